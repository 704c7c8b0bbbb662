package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.Identity;
import io.cairn.identity.SigningRequest;
import io.cairn.identity.TlsSecurity;
import io.cairn.master.MasterGroup.Change;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.raft.tls.AuthorityOffer;
import io.cairn.master.raft.tls.SecuredNetwork;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.net.Connection;
import io.cairn.net.EventLoops;
import io.cairn.net.Message;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.net.Refusals.Reason;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Masters with certificates; real Ratis on the loopback. */
class SecuredGroupTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final byte VOTE = 1;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private final Clock clock = Clock.system();
    private final CertificateAuthority authority = CertificateAuthority.found(clock, RANDOM);
    private final Refusals handshakes = new Refusals("network", clock);
    private final Refusals refusals = new Refusals("raft", clock);
    private final List<NettyTransport> transports = new ArrayList<>();

    @AfterEach
    void close() {
        transports.forEach(NettyTransport::close);
    }

    private TlsSecurity security(CertificateAuthority signer, Role role, String name) {
        SigningRequest request = SigningRequest.make(RANDOM);
        Identity identity =
                Identity.of(
                        request.key(),
                        Identity.chain(
                                signer.sign(
                                        request.bytes(),
                                        role,
                                        name,
                                        clock.now(),
                                        CertificateAuthority.LIFE),
                                Authorities.of(signer.certificate())));
        return new TlsSecurity(identity, clock, handshakes);
    }

    private synchronized NettyTransport transport(@Nullable TlsSecurity security) {
        NettyTransport made =
                new NettyTransport(
                        new EventLoops("test", 1, clock),
                        ChannelSettings.standard(clock, false),
                        ByteBufAllocator.DEFAULT,
                        true,
                        security);
        transports.add(made);
        return made;
    }

    private SecuredNetwork network(String name) {
        return new SecuredNetwork(transport(security(authority, Role.MASTER, name)), refusals);
    }

    @Test
    void oneBecomesThreeThatFailOver() throws Exception {
        try (TestGroup group = new TestGroup(directory, 3, new CheckpointRule(40, 1 << 20))) {
            group.networks = this::network;
            group.founders = 1;
            group.start(0);
            TestSession session = new TestSession(group::leaderLog);
            for (int i = 0; i < 100; i++) {
                session.create("alone" + i);
            }
            for (int next = 1; next < 3; next++) {
                group.start(next);
                Change change = new Change(group.newcomer(next), null);
                // It may take its time to the first answer: a handshake is slow in a new JVM.
                TestGroup.await(
                        "a newcomer that answers", () -> group.leaderLog().refusal(change) == null);
                group.leaderLog().change(change).get(60, TimeUnit.SECONDS);
            }
            session.create("together");
            group.awaitAgreement();
            int first = group.leader();
            group.stop(first);
            session.create("after");
            assertNotEquals(first, group.leader());
            assertTrue(TestSession.has(group.leaderLog(), "alone99"));
            group.start(first);
            session.create("again");
            group.awaitAgreement();
        }
    }

    @Test
    void nobodyElseSpeaksToTheirPort() throws Exception {
        try (TestGroup group = new TestGroup(directory, 1, CheckpointRule.standard())) {
            group.networks = this::network;
            group.start(0);
            assertTrue(group.leaderLog().mayRead());
            Endpoint port = group.newcomer(0).raft();
            assertEquals(Errno.DISCONNECTED, failure(null, port, "m2"));
            assertEquals(
                    Errno.DISCONNECTED,
                    failure(
                            security(CertificateAuthority.found(clock, RANDOM), Role.MASTER, "m2"),
                            port,
                            "m2"));
            assertEquals(0, refusals.count(Reason.ROLE));
            Errno ofMount = failure(security(authority, Role.MOUNT, "m2"), port, "m2");
            assertTrue(ofMount == Errno.DISCONNECTED || ofMount == Errno.EACCES);
            assertEquals(1, refusals.count(Reason.ROLE));
            // A master speaks for itself only.
            TlsSecurity m3 = security(authority, Role.MASTER, "m3");
            assertEquals(Errno.EACCES, failure(m3, port, "m2"));
            assertEquals(2, refusals.count(Reason.ROLE));
        }
    }

    @Test
    void aMasterTakesTheKeyOfANewAuthorityFromMastersOnly() throws Exception {
        List<String> taken = new ArrayList<>();
        try (TestGroup group = new TestGroup(directory, 1, CheckpointRule.standard())) {
            group.networks =
                    name ->
                            new SecuredNetwork(
                                    transport(security(authority, Role.MASTER, name)),
                                    refusals,
                                    secret -> {
                                        taken.add(new String(secret, StandardCharsets.US_ASCII));
                                        return "the fingerprint";
                                    });
            group.start(0);
            String first = group.newcomer(0).id();
            Endpoint at = group.newcomer(0).raft();
            byte[] secret = {'k', 'e', 'y'};
            try (AuthorityOffer other = new AuthorityOffer(network("m2"))) {
                assertEquals("the fingerprint", other.offer(first, at, secret));
                assertThrows(IOException.class, () -> other.offer("m7", at, secret));
            }
            TlsSecurity mount = security(authority, Role.MOUNT, "laptop");
            try (AuthorityOffer stranger =
                    new AuthorityOffer(new SecuredNetwork(transport(mount), refusals))) {
                assertThrows(IOException.class, () -> stranger.offer(first, at, secret));
            }
            assertEquals(List.of("key"), taken);
        }
    }

    /** How a question for a vote in the name of a master fails. */
    private Errno failure(@Nullable TlsSecurity security, Endpoint port, String name) {
        RequestVoteRequestProto vote =
                RequestVoteRequestProto.newBuilder()
                        .setServerRequest(
                                RaftRpcRequestProto.newBuilder()
                                        .setRequestorId(ByteString.copyFromUtf8(name)))
                        .build();
        Message request =
                new Message(new byte[] {VOTE}, Unpooled.wrappedBuffer(vote.toByteArray()));
        NettyTransport from = transport(security);
        ExecutionException error =
                assertThrows(
                        ExecutionException.class,
                        () -> {
                            Connection made =
                                    from.connect(port, (_, m, _) -> m.release(), 10_000)
                                            .get(20, TimeUnit.SECONDS);
                            made.call(request, 10_000).get(20, TimeUnit.SECONDS).release();
                        });
        return assertInstanceOf(FsException.class, error.getCause()).errno();
    }
}
