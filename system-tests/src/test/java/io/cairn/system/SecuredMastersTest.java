package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.identity.Identity;
import io.cairn.identity.TlsSecurity;
import io.cairn.net.EventLoops;
import io.cairn.net.Message;
import io.cairn.net.Refusals;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.node.Closing;
import io.cairn.node.ExitCode;
import io.cairn.runtime.Clock;
import io.netty.buffer.ByteBufAllocator;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three masters with certificates under a mount: real processes. */
class SecuredMastersTest {
    @TempDir private Path directory;
    private final Closing closing = new Closing();
    private final List<Endpoint> clients = free();
    private final List<Endpoint> raft = free();
    private int starts;
    private final Endpoint admin = new Endpoint("127.0.0.1", ProcessCluster.freePort());

    private static List<Endpoint> free() {
        List<Endpoint> three = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            three.add(new Endpoint("127.0.0.1", ProcessCluster.freePort()));
        }
        return three;
    }

    @AfterEach
    void stop() {
        closing.close();
    }

    private CairnProcess start(String name, String... arguments) {
        return closing.add(
                CairnProcess.start(directory.resolve(name + ".log"), List.of(arguments)));
    }

    /** A command of an operator at the first master. */
    private String command(String... words) throws Exception {
        List<String> all = toFirst(List.of(words));
        CommandResult[] last = new CommandResult[1];
        Poll.until(
                "an answer to " + List.of(words),
                60,
                () -> {
                    last[0] = CommandResult.of(all);
                    return last[0].code() != ExitCode.TEMPORARY;
                });
        assertEquals(ExitCode.OK, last[0].code(), last[0].out() + last[0].errors());
        return last[0].out();
    }

    private boolean isAdded(String name, String peer) {
        List<String> words = List.of("admin", "masters", "add", peer);
        CommandResult result = CommandResult.of(toFirst(words));
        return result.code() == ExitCode.OK || result.errors().contains(name + " is one of");
    }

    private List<String> toFirst(List<String> words) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of("--api", "http://" + admin));
        all.addAll(List.of("--token-file", directory.resolve("m1/admin.token").toString()));
        return all;
    }

    private String token(String role, String name) throws Exception {
        return command("ca", "join-token", "--role", role, "--name", name).trim();
    }

    private CairnProcess master(int number, String peers, String adminAt, String... more) {
        String name = "m" + number;
        List<String> all =
                new ArrayList<>(List.of("master", "--id", name, "--raft", peers, "--data"));
        all.add(directory.resolve(name).toString());
        all.addAll(List.of("--listen", clients.get(number - 1).toString(), "--admin", adminAt));
        all.addAll(List.of(more));
        // Each start has a log of its own: a line of the last one would count as one of this.
        return start(name + "-" + starts++, all.toArray(String[]::new));
    }

    private String peer(int number) {
        return "m" + number + "=" + raft.get(number - 1);
    }

    private CairnProcess join(int number) throws Exception {
        String name = "m" + number;
        CairnProcess process =
                master(
                        number,
                        peer(1) + "," + peer(number),
                        "127.0.0.1:0",
                        "--join",
                        token("master", name));
        process.await("masters add " + name + "=", 60);
        // A handshake is slow in a new JVM: then nobody answers yet.
        Poll.until(name + " is a master", 60, () -> isAdded(name, peer(number)));
        return process;
    }

    @Test
    @Timeout(value = 240)
    void theyGoOnWhenTheLeaderDiesAndNobodyElseSpeaksToThem() throws Exception {
        CairnProcess plain = master(1, peer(1), admin.toString(), "--found");
        plain.await(CairnProcess.READY, 60);
        plain.awaitFirstToken();
        plain.terminate();
        assertEquals(143, plain.awaitExit(60), plain.output());
        // A cluster gets its authority later, too.
        CairnProcess first = master(1, peer(1), admin.toString(), "--tls");
        first.await(CairnProcess.READY, 60);
        start(
                "c1",
                "chunk",
                "--id",
                "c1",
                "--data",
                directory.resolve("c1").toString(),
                "--listen",
                "127.0.0.1:0",
                "--masters",
                clients.getFirst().toString(),
                "--join",
                token("chunk", "c1"));
        Path mountpoint = Files.createDirectories(directory.resolve("mnt"));
        closing.add(() -> ProcessCluster.unmount(mountpoint));
        Path identity = directory.resolve("laptop");
        CairnProcess mount =
                start(
                        "mount",
                        "mount",
                        clients.getFirst().toString(),
                        mountpoint.toString(),
                        "--foreground",
                        "--identity",
                        identity.toString(),
                        "--join",
                        token("mount", "laptop"));
        join(2);
        CairnProcess third = join(3);
        third.await(CairnProcess.READY, 60);
        mount.await(CairnProcess.READY, 60);
        byte[] contents = new byte[3 << 20];
        new Random(7).nextBytes(contents);
        Files.write(mountpoint.resolve("before"), contents);

        refusesStrangers(Identity.read(identity));
        first.kill();
        Files.write(mountpoint.resolve("after"), contents);
        Files.writeString(mountpoint.resolve("small"), "names and small contents");
        assertArrayEquals(contents, Files.readAllBytes(mountpoint.resolve("before")));
        assertArrayEquals(contents, Files.readAllBytes(mountpoint.resolve("after")));
        // It comes back with what it has, and without the token.
        CairnProcess again = master(1, peer(1), admin.toString());
        again.await(CairnProcess.READY, 60);
        assertEquals("names and small contents", Files.readString(mountpoint.resolve("small")));
        String log = third.output();
        assertTrue(log.contains("refused 127.0.0.1"), log);
    }

    /** The port of Raft of a master that does not lead. */
    private void refusesStrangers(Identity mount) {
        Clock clock = Clock.system();
        speak(null);
        speak(new TlsSecurity(mount, clock, new Refusals("test", clock)));
    }

    private void speak(@Nullable TlsSecurity security) {
        Clock clock = Clock.system();
        NettyTransport from =
                closing.add(
                        new NettyTransport(
                                new EventLoops("test", 1, clock),
                                ChannelSettings.standard(clock, false),
                                ByteBufAllocator.DEFAULT,
                                true,
                                security));
        assertThrows(
                ExecutionException.class,
                () ->
                        from.connect(raft.get(2), (_, m, _) -> m.release(), 10_000)
                                .thenCompose(made -> made.call(Message.of(new byte[] {5}), 10_000))
                                .get(30, TimeUnit.SECONDS)
                                .release());
    }
}
