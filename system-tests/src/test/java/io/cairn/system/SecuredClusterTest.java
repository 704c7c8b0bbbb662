package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.identity.Authorities;
import io.cairn.identity.Capture;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.Identity;
import io.cairn.identity.JoinToken;
import io.cairn.identity.SigningRequest;
import io.cairn.identity.TlsSecurity;
import io.cairn.net.EventLoops;
import io.cairn.net.Message;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.node.Closing;
import io.cairn.node.ExitCode;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.Ticket;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes with TLS: a master, two chunk servers that hold two copies, a mount. */
@Timeout(240)
class SecuredClusterTest {
    private static final SecureRandom RANDOM = new SecureRandom();

    @TempDir private Path directory;
    private final Closing closing = new Closing();
    private final Endpoint master = new Endpoint("127.0.0.1", ProcessCluster.freePort());
    private final String admin = "127.0.0.1:" + ProcessCluster.freePort();

    @AfterEach
    void stop() {
        closing.close();
    }

    private CairnProcess start(String name, String... arguments) {
        return closing.add(
                CairnProcess.start(directory.resolve(name + ".log"), List.of(arguments)));
    }

    private CairnProcess.Result ca(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("ca"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--api", "http://" + admin));
        command.addAll(List.of("--data", directory.resolve("m1").toString()));
        CairnProcess.Result result = CairnProcess.run(directory, command.toArray(String[]::new));
        assertEquals(0, result.exitCode(), result.output());
        return result;
    }

    private String token(String role, String name) throws Exception {
        return ca("join-token", "--role", role, "--name", name)
                .output()
                .lines()
                .filter(line -> line.startsWith("cairn-join-"))
                .findFirst()
                .orElseThrow();
    }

    private CairnProcess startMaster() throws Exception {
        CairnProcess process =
                start(
                        "m1",
                        "master",
                        "--id",
                        "m1",
                        "--data",
                        directory.resolve("m1").toString(),
                        "--listen",
                        master.toString(),
                        "--raft",
                        "m1=127.0.0.1:" + ProcessCluster.freePort(),
                        "--found",
                        "--tls",
                        "--replicas",
                        "2",
                        "--expect-servers",
                        "2",
                        "--admin",
                        admin);
        process.await(CairnProcess.READY, 60);
        process.awaitFirstToken();
        return process;
    }

    private CairnProcess startChunk(String name, Endpoint listen) throws Exception {
        return startChunk(name, listen, master, token("chunk", name));
    }

    private CairnProcess startChunk(String name, Endpoint listen, Endpoint masters, String token) {
        return start(
                name,
                "chunk",
                "--id",
                name,
                "--data",
                directory.resolve(name).toString(),
                "--listen",
                listen.toString(),
                "--masters",
                masters.toString(),
                "--join",
                token);
    }

    /** A transport with an identity, or a plain one. */
    private NettyTransport transport(@Nullable Identity identity) {
        Clock clock = Clock.system();
        EventLoops loops = new EventLoops("test", 1, clock);
        TlsSecurity security =
                identity == null
                        ? null
                        : new TlsSecurity(identity, clock, new Refusals("test", clock));
        return closing.add(
                new NettyTransport(
                        loops,
                        ChannelSettings.standard(clock, false),
                        ByteBufAllocator.DEFAULT,
                        true,
                        security));
    }

    private void ask(@Nullable Identity identity, Message request) throws Exception {
        ask(master, identity, request);
    }

    private void ask(Endpoint whom, @Nullable Identity identity, Message request) throws Exception {
        transport(identity)
                .connect(whom, (_, m, _) -> m.release(), 10_000)
                .thenCompose(made -> made.call(request, 10_000))
                .get(30, TimeUnit.SECONDS)
                .release();
    }

    private Errno failureOf(@Nullable Identity identity, Message request) {
        return failureOf(master, identity, request);
    }

    private Errno failureOf(Endpoint whom, @Nullable Identity identity, Message request) {
        ExecutionException error =
                assertThrows(ExecutionException.class, () -> ask(whom, identity, request));
        return assertInstanceOf(FsException.class, error.getCause()).errno();
    }

    /** Whether the masters break off with somebody; they hear of a revocation a little later. */
    private boolean isBrokenOff(Identity identity) throws Exception {
        try {
            ask(identity, status());
            return false;
        } catch (ExecutionException e) {
            return e.getCause() instanceof FsException failure
                    && failure.errno() == Errno.DISCONNECTED;
        }
    }

    private static Message status() {
        return Message.of(v -> MasterRequest.query(0, new Query.GetStatus(), v));
    }

    private static Identity sign(CertificateAuthority authority, Instant from) {
        SigningRequest request = SigningRequest.make(RANDOM);
        return Identity.of(
                request.key(),
                Identity.chain(
                        authority.sign(request.bytes(), Role.MOUNT, "m", from, Duration.ofDays(30)),
                        Authorities.of(authority.certificate())));
    }

    @Test
    void onlyMembersSpeak() throws Exception {
        CairnProcess leader = startMaster();
        Endpoint chunks = new Endpoint("127.0.0.1", ProcessCluster.freePort());
        CairnProcess first = startChunk("c1", chunks);
        CairnProcess second =
                startChunk("c2", new Endpoint("127.0.0.1", ProcessCluster.freePort()));
        first.await(CairnProcess.READY, 60);
        second.await(CairnProcess.READY, 60);
        Path mountpoint = Files.createDirectories(directory.resolve("mnt"));
        closing.add(() -> ProcessCluster.unmount(mountpoint));
        Path identity = directory.resolve("laptop");
        start(
                        "mount",
                        "mount",
                        master.toString(),
                        mountpoint.toString(),
                        "--foreground",
                        "-o",
                        "identity=" + identity,
                        "--join",
                        token("mount", "laptop"))
                .await(CairnProcess.READY, 60);
        byte[] contents = new byte[5 << 20];
        new Random(7).nextBytes(contents);
        Files.write(mountpoint.resolve("large"), contents);
        Files.writeString(mountpoint.resolve("small"), "a small file");
        assertArrayEquals(contents, Files.readAllBytes(mountpoint.resolve("large")));
        assertEquals("a small file", Files.readString(mountpoint.resolve("small")));

        CairnProcess status =
                closing.add(
                        CairnProcess.start(
                                directory.resolve("status.log"),
                                List.of("status", "--masters", master.toString()),
                                Map.of("CAIRN_IDENTITY", identity.toString())));
        assertEquals(0, status.awaitExit(60), status.output());
        refusesStrangers(Identity.read(identity));
        refusesWithoutTicket(chunks, Identity.read(identity));
        // Who is refused may know it before the line is written.
        first.await("shows no ticket for", 60);
        leader.await("master: refused 127\\.0\\.0\\.1", 60);
        assertTrue(ca("list").output().contains("mount.laptop"));
        ca("revoke", "mount.laptop", "--yes");
        Poll.until("the revoked mount is refused", 60, () -> isBrokenOff(Identity.read(identity)));
    }

    /**
     * A mount that has a password and the certificate of the authority, and none of its own. Of all
     * that it says to the master, and of what a joining chunk server says, nothing can be read.
     */
    @Test
    void aPasswordIsEnoughForAMount() throws Exception {
        var _ = startMaster();
        Capture wire = closing.add(new Capture(master));
        CairnProcess first = startChunk("c1", new Endpoint("127.0.0.1", ProcessCluster.freePort()));
        // To join it goes where its token says, and nowhere else.
        Capture joining = closing.add(new Capture(master));
        JoinToken token = JoinToken.parse(token("chunk", "c2"));
        Endpoint at = new Endpoint("127.0.0.1", ProcessCluster.freePort());
        CairnProcess second =
                startChunk("c2", at, wire.endpoint(), asking(joining.endpoint(), token).text());
        first.await(CairnProcess.READY, 60);
        second.await("joined as chunk c2", 60);
        assertTrue(joining.connections() > 0, "it has not joined by way of the capture");
        second.await(CairnProcess.READY, 60);
        String password = "correct horse";
        String told = exports(password, "passwd", "alice");
        assertTrue(told.contains("no mount rule names alice yet"), told);
        Path part = Files.createDirectories(directory.resolve("part"));
        closing.add(() -> ProcessCluster.unmount(part));
        refused("no mount rule lets user alice", mountOf(part, password));
        exports("", "add", "/ 127.0.0.1(rw)", "--user", "alice");
        refused("password refused", mountOf(part, "another horse"));
        start("part", mountOf(wire.endpoint(), part, password)).await(CairnProcess.READY, 60);
        Files.writeString(part.resolve("a-known-name"), "the known contents of a small file");
        byte[] contents = new byte[5 << 20];
        new Random(7).nextBytes(contents);
        Files.write(part.resolve("large"), contents);
        assertArrayEquals(contents, Files.readAllBytes(part.resolve("large")));
        int before = wire.connections();
        start("gateway", gatewayOf(wire.endpoint(), password)).await(CairnProcess.READY, 60);
        assertTrue(wire.connections() > before, "the gateway does not go by way of the capture");
        String joined = joining.seen();
        assertTrue(joined.length() > token.secret().length(), joined.length() + " bytes passed");
        String seen = wire.seen() + joined;
        assertTrue(seen.length() > 10_000, seen.length() + " bytes passed");
        for (String known : List.of(password, "alice", "a-known-name", "known contents")) {
            assertFalse(seen.contains(known), known + " can be read on the wire");
        }
        assertFalse(seen.contains(token.secret()), "the token can be read on the wire");
    }

    /** A token whose bearer asks elsewhere. */
    private static JoinToken asking(Endpoint master, JoinToken token) {
        return new JoinToken(
                token.role(), token.name(), List.of(master), token.fingerprint(), token.secret());
    }

    /** What a change of the rules or users says, with a line of input. */
    private String exports(String line, String... words) throws Exception {
        Path input = Files.writeString(directory.resolve("input"), line + "\n");
        List<String> arguments = new ArrayList<>(List.of("exports"));
        arguments.addAll(List.of(words));
        arguments.addAll(List.of("--yes", "--api", "http://" + admin));
        arguments.addAll(List.of("--data", directory.resolve("m1").toString()));
        CairnProcess process =
                closing.add(
                        CairnProcess.start(
                                directory.resolve("exports-" + words[0] + ".log"),
                                List.of("sh", "-c", "exec \"$0\" \"$@\" < " + input),
                                arguments,
                                Map.of()));
        assertEquals(0, process.awaitExit(60), process.output());
        return process.output();
    }

    private void refused(String says, String[] mount) throws Exception {
        CairnProcess.Result refused = CairnProcess.run(directory, mount);
        assertEquals(ExitCode.NO_PERMISSION, refused.exitCode(), refused.output());
        assertTrue(refused.output().contains(says), refused.output());
    }

    private Path login(String password) throws IOException {
        Path login = directory.resolve("login-" + password.length());
        Files.writeString(login, "user=alice\npassword=" + password + "\n");
        Files.setPosixFilePermissions(login, PosixFilePermissions.fromString("rw-------"));
        return login;
    }

    private Path authority() {
        return directory.resolve("m1").resolve("tls").resolve("authority.pem");
    }

    private String[] gatewayOf(Endpoint masters, String password) throws IOException {
        return new String[] {
            "nfs",
            "--masters",
            masters.toString(),
            "--listen",
            "127.0.0.1:0",
            "--ca",
            authority().toString(),
            "--credentials",
            login(password).toString()
        };
    }

    private String[] mountOf(Path part, String password) throws IOException {
        return mountOf(master, part, password);
    }

    private String[] mountOf(Endpoint masters, Path part, String password) throws IOException {
        return new String[] {
            "mount",
            masters.toString(),
            part.toString(),
            "--foreground",
            "-o",
            "ca=" + authority() + ",credentials=" + login(password)
        };
    }

    /** The mount itself has one; somebody with its certificate alone guesses numbers of objects. */
    private void refusesWithoutTicket(Endpoint chunks, Identity mount) {
        ChunkAddress guessed = new ChunkAddress(1, 1, 1, 0, 22);
        for (Ticket shown : List.of(Ticket.NONE, new Ticket(new byte[54]))) {
            ChunkRequest request = new ChunkRequest.Read(guessed.showing(shown), 0, 4096);
            assertEquals(Errno.BAD_TICKET, failureOf(chunks, mount, Message.of(request::toBytes)));
        }
    }

    private void refusesStrangers(Identity mount) {
        // A member that asks for what is not its business.
        assertEquals(
                Errno.EACCES,
                failureOf(
                        mount,
                        Message.of(
                                v ->
                                        MasterRequest.cluster(
                                                new ClusterRequest.MemberSynced(1, 2, 3), v))));
        // Plain bytes, another cluster, an old certificate.
        assertEquals(Errno.DISCONNECTED, failureOf(null, status()));
        CertificateAuthority other = CertificateAuthority.found(Clock.system(), RANDOM);
        assertEquals(Errno.DISCONNECTED, failureOf(sign(other, Instant.now()), status()));
        CertificateAuthority own =
                CertificateAuthority.read(directory.resolve("m1").resolve("tls"), RANDOM);
        Instant past = Instant.now().minus(Duration.ofDays(40));
        assertEquals(Errno.DISCONNECTED, failureOf(sign(own, past), status()));
    }

    @Test
    void nothingListensBeyondLoopbackWithoutCertificates() throws Exception {
        String open = "0.0.0.0:" + ProcessCluster.freePort();
        CairnProcess.Result refused =
                CairnProcess.run(
                        directory,
                        "chunk",
                        "--id",
                        "c1",
                        "--data",
                        directory.resolve("c1").toString(),
                        "--listen",
                        open,
                        "--masters",
                        master.toString());
        assertEquals(78, refused.exitCode(), refused.output());
        assertTrue(refused.output().contains("will not listen on " + open), refused.output());
        assertTrue(refused.output().contains("cairn ca join-token --role chunk --name c1"));
        assertTrue(refused.output().contains("--insecure-plain"));
        assertTrue(refused.output().contains("insecure-plain: true"), refused.output());
    }
}
