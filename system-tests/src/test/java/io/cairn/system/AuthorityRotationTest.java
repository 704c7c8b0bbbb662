package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.Identity;
import io.cairn.identity.SigningRequest;
import io.cairn.identity.TlsSecurity;
import io.cairn.net.EventLoops;
import io.cairn.net.Message;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.node.ExitCode;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkRequest;
import io.netty.buffer.ByteBufAllocator;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The authority of a cluster of real processes is replaced while programs on a mount write, and a
 * master that was removed is revoked.
 */
@Timeout(300)
final class AuthorityRotationTest {
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The question of one master to another that is answered whatever the state is. */
    private static final byte[] HELLO = {5};

    @TempDir private Path directory;
    private ProcessCluster cluster;

    @BeforeEach
    void open() throws Exception {
        cluster = new ProcessCluster(directory, 2);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private String token(String role, String name) throws Exception {
        return cairn("ca", "join-token", "--role", role, "--name", name).trim();
    }

    /** What a command prints at last; there may be no leader for a moment. */
    private String cairn(String... words) throws Exception {
        List<CommandResult> last = new ArrayList<>();
        Poll.until(
                "an answer to " + List.of(words),
                60,
                () -> {
                    last.add(result(words));
                    return last.getLast().code() != ExitCode.TEMPORARY;
                });
        assertEquals(ExitCode.OK, last.getLast().code(), last.getLast().errors());
        return last.getLast().out();
    }

    private Path data(String name) {
        return directory.resolve(name);
    }

    private void joinMaster(String name) throws Exception {
        String self = name + "=127.0.0.1:" + ProcessCluster.freePort();
        cluster.start(
                name,
                "master",
                "--id",
                name,
                "--data",
                data(name).toString(),
                "--listen",
                "127.0.0.1:" + ProcessCluster.freePort(),
                "--raft",
                "m1=" + cluster.doors() + "," + self,
                "--admin",
                "127.0.0.1:0",
                "--join",
                token("master", name));
        cluster.process(name).await("masters add " + name + "=", 60);
        Poll.until(name + " is a master", 60, () -> isAdded(name, self));
        cluster.process(name).await(CairnProcess.READY, 60);
    }

    private boolean isAdded(String name, String self) throws Exception {
        CommandResult result = result("admin", "masters", "add", self, "--yes");
        return result.code() == ExitCode.OK || result.errors().contains(name + " is one of");
    }

    /** A command that may have to wait for others. */
    private boolean isDone(String... words) throws Exception {
        return result(words).code() == ExitCode.OK;
    }

    private CommandResult result(String... words) throws Exception {
        String api = cluster.process("m1").await("admin on (\\S+)", 60).group(1);
        List<String> command = new ArrayList<>(List.of(words));
        command.addAll(List.of("--api", "http://" + api));
        command.addAll(List.of("--token-file", data("m1").resolve("admin.token").toString()));
        return CommandResult.of(command);
    }

    private String refusal(String... words) throws Exception {
        CommandResult result = result(words);
        assertNotEquals(ExitCode.OK, result.code(), result.out());
        return result.errors();
    }

    private Path mount(String name, String token) throws Exception {
        String identity = data("identity-of-" + name).toString();
        return cluster.mount(name, "", "--identity", identity, "--join", token);
    }

    private void end(String name) {
        cluster.process(name).terminate();
        Poll.until("the end of " + name, 60, () -> !cluster.process(name).isAlive());
    }

    private static void goesOn(AckedLoad load) {
        int goal = load.operations() + 50;
        Poll.until("work", 120, () -> load.operations() >= goal || !load.failures().isEmpty());
        assertEquals(List.of(), load.failures());
    }

    /** What somebody has who stole the key of the authority. */
    private static Identity forge(CertificateAuthority stolen, Role role, String name) {
        SigningRequest request = SigningRequest.make(RANDOM);
        X509Certificate signed =
                stolen.sign(request.bytes(), role, name, Instant.now(), CertificateAuthority.LIFE);
        return Identity.of(
                request.key(), Identity.chain(signed, Authorities.of(stolen.certificate())));
    }

    /** How a request ends; null when it is answered. */
    private @Nullable Errno outcome(Endpoint at, Identity identity, Message request)
            throws Exception {
        Clock clock = Clock.system();
        TlsSecurity security = new TlsSecurity(identity, clock, new Refusals("test", clock));
        try (NettyTransport from =
                new NettyTransport(
                        new EventLoops("test", 1, clock),
                        ChannelSettings.standard(clock, false),
                        ByteBufAllocator.DEFAULT,
                        true,
                        security)) {
            from.connect(at, (_, m, _) -> m.release(), 10_000)
                    .thenCompose(made -> made.call(request, 10_000))
                    .get(30, TimeUnit.SECONDS)
                    .release();
            return null;
        } catch (ExecutionException e) {
            return assertInstanceOf(FsException.class, e.getCause()).errno();
        }
    }

    private @Nullable Errno atRaft(Identity master) throws Exception {
        return outcome(Endpoint.parse(cluster.doors()), master, Message.of(HELLO));
    }

    private @Nullable Errno atChunks(Identity mount) throws Exception {
        List<String> command = cluster.command("c1");
        Endpoint at = Endpoint.parse(command.get(command.indexOf("--listen") + 1));
        ChunkRequest read = new ChunkRequest.Read(new ChunkAddress(1, 1, 1, 0, 22), 0, 4096);
        return outcome(at, mount, Message.of(read::toBytes));
    }

    @Test
    void nobodyOnAMountNoticesIt() throws Exception {
        cluster.startMasters(1, 2, "--tls");
        cluster.process("m1").await(CairnProcess.READY, 60);
        Path _ = cluster.awaitFirstToken();
        for (String name : List.of("c1", "c2")) {
            cluster.startChunkServer(name, "--join", token("chunk", name));
        }
        joinMaster("m2");
        joinMaster("m3");
        Path away = mount("away", token("mount", "away"));
        assertTrue(away.toFile().isDirectory());
        end("away");
        Path mountpoint = mount("mnt", token("mount", "laptop"));
        CertificateAuthority stolen = CertificateAuthority.read(data("m1").resolve("tls"), RANDOM);
        try (AckedLoad load = new AckedLoad(mountpoint, 2, 7, false)) {
            goesOn(load);
            replace(load, stolen);
            // One master is enough to go on, whichever led.
            cluster.kill("m1");
            goesOn(load);
            cluster.start("m1").await(CairnProcess.READY, 60);
            goesOn(load);
            revokeMaster();
            goesOn(load);
            load.stop();
            load.verify(mountpoint);
            assertEquals(List.of(), load.failures(), cluster.logs());
        }
    }

    private void replace(AckedLoad load, CertificateAuthority stolen) throws Exception {
        Identity master = forge(stolen, Role.MASTER, "m9");
        Identity laptop = forge(stolen, Role.MOUNT, "laptop");
        assertNull(atRaft(master));
        assertEquals(Errno.BAD_TICKET, atChunks(laptop));
        assertTrue(refusal("ca", "drop-former", "--yes").contains("no former authority"));
        String _ = cairn("ca", "rotate", "--yes");
        goesOn(load);
        // Who is off is named, and gets its certificate when it comes back.
        Poll.until(
                "all that run have new certificates",
                120,
                () -> refusal("ca", "drop-former", "--yes").contains("is needed by mount.away:"));
        goesOn(load);
        Path again = cluster.mount("away", "", "--identity", data("identity-of-away").toString());
        assertTrue(Files.isDirectory(again.resolve("w0")), () -> again + " is empty");
        Poll.until("the end of the former", 120, () -> isDone("ca", "drop-former", "--yes"));
        Poll.until("masters refuse it", 60, () -> atRaft(master) == Errno.DISCONNECTED);
        Poll.until("chunk servers refuse it", 60, () -> atChunks(laptop) == Errno.DISCONNECTED);
        goesOn(load);
        assertEquals(1, cairn("ca", "authorities").lines().skip(1).count());
        end("away");
        for (String name : List.of("m1", "m2", "m3")) {
            Path tls = data(name).resolve("tls");
            assertNotEquals(
                    stolen.certificate(), CertificateAuthority.read(tls, RANDOM).certificate());
            assertEquals(1, Identity.read(tls).authorities().certificates().size());
        }
    }

    private boolean isThirdRemoved() throws Exception {
        CommandResult result = result("admin", "masters", "remove", "m3", "--yes");
        return result.code() == ExitCode.OK || result.errors().contains("There is no master");
    }

    private void revokeMaster() throws Exception {
        Identity third = Identity.read(data("m3").resolve("tls"));
        assertTrue(refusal("ca", "revoke", "master.m3", "--yes").contains("is one of the masters"));
        Poll.until("m3 is removed", 60, this::isThirdRemoved);
        assertNull(atRaft(third));
        Poll.until("m3 is revoked", 60, () -> isDone("ca", "revoke", "master.m3", "--yes"));
        Poll.until("m3 is refused", 60, () -> atRaft(third) == Errno.DISCONNECTED);
        String told = refusal("ca", "join-token", "--role", "master", "--name", "m3");
        assertTrue(told.contains("another name"), told);
        joinMaster("m4");
    }
}
