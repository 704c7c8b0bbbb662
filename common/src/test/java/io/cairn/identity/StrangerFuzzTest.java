package io.cairn.identity;

import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.identity.scram.Password;
import io.cairn.identity.scram.ScramClient;
import io.cairn.identity.scram.ScramServer;
import io.cairn.identity.scram.ScramVerifier;
import io.cairn.net.Principal.Role;
import io.cairn.runtime.Clock;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What strangers may say before anybody knows them, changed at random: each parser refuses it in
 * its own way, and throws nothing else. {@code -Dcairn.fuzz.rounds} and {@code -Dcairn.fuzz.seed}
 * ask for other runs. The seed fixes all keys, and what is changed; signatures and times are others
 * in each run, so that a failure shows all its bytes.
 */
class StrangerFuzzTest {
    private static final int ROUNDS = Integer.getInteger("cairn.fuzz.rounds", 200);
    private static final long SEED = Long.getLong("cairn.fuzz.seed", 1);
    private static final int LONGER = 100;
    private static final String NONCE = "0123456789abcdef";
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SecureRandom keys = keys();
    private final TestIdentities identities = new TestIdentities(keys);

    private static SecureRandom keys() {
        try {
            SecureRandom seeded = SecureRandom.getInstance("SHA1PRNG");
            seeded.setSeed(SEED);
            return seeded;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Takes bytes, or refuses them. */
    private interface Parser {
        void parse(byte[] bytes) throws Exception;
    }

    /**
     * Runs a parser on many things.
     *
     * @param refusal the only way in which it may refuse
     */
    private static void fuzz(
            int rounds, Class<? extends Exception> refusal, Parser parser, byte[]... samples) {
        Random random = new Random(SEED);
        for (int round = 0; round < rounds; round++) {
            byte[] bytes = changed(random, samples[random.nextInt(samples.length)]);
            try {
                parser.parse(bytes);
            } catch (Exception | StackOverflowError | OutOfMemoryError e) {
                if (!refusal.isInstance(e)) {
                    String shown = HexFormat.of().formatHex(bytes);
                    throw new AssertionError(
                            "seed %d, round %d: %s".formatted(SEED, round, shown), e);
                }
            }
        }
    }

    private static byte[] changed(Random random, byte[] sample) {
        byte[] bytes = sample.clone();
        for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(6)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes[at] = (byte) 0xff;
                case 3 -> bytes = Arrays.copyOf(bytes, at);
                case 4 -> bytes = twice(bytes, at, random.nextInt(bytes.length - at + 1));
                default -> {
                    bytes = new byte[random.nextInt(2 * sample.length)];
                    random.nextBytes(bytes);
                }
            }
        }
        return bytes;
    }

    /** With a piece of it repeated. */
    private static byte[] twice(byte[] bytes, int at, int length) {
        byte[] longer = Arrays.copyOf(bytes, bytes.length + length);
        System.arraycopy(bytes, at, longer, at + length, bytes.length - at);
        return longer;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void requestsToJoin() {
        requestsToJoin(ROUNDS);
        joinTokens(ROUNDS);
        answersOfMasters(ROUNDS);
        certificates(ROUNDS);
    }

    private void requestsToJoin(int rounds) {
        fuzz(
                rounds,
                FsException.class,
                each ->
                        identities.authority.sign(
                                each, Role.CHUNK, "c1", Instant.now(), Duration.ofDays(1)),
                SigningRequest.make(keys).bytes());
    }

    private void joinTokens(int rounds) {
        List<Endpoint> masters = List.of(new Endpoint("10.0.0.1", 9871));
        JoinToken token = new JoinToken(Role.CHUNK, "c1", masters, "00ff", "secret");
        fuzz(rounds, FsException.class, each -> JoinToken.parse(text(each)), bytes(token.text()));
    }

    /** A newcomer knows the master by a fingerprint only. */
    private void answersOfMasters(int rounds) {
        SigningRequest request = SigningRequest.make(keys);
        X509Certificate signed =
                identities.authority.sign(
                        request.bytes(), Role.CHUNK, "c1", Instant.now(), Duration.ofDays(1));
        byte[] chain = Identity.chain(signed, Authorities.of(identities.authority.certificate()));
        fuzz(rounds, FsException.class, each -> Identity.of(request.key(), each), chain);
        fuzz(
                rounds,
                FsException.class,
                each -> CertificateAuthority.of(each, keys),
                identities.authority.handOver(chain));
    }

    private void certificates(int rounds) {
        X509Certificate authority = identities.authority.certificate();
        PeerTrust trust = new PeerTrust(List.of(authority), Instant::now, Set::of);
        X509Certificate own = identities.identity(Role.MOUNT, "m").certificate();
        fuzz(
                rounds,
                CertificateException.class,
                each -> {
                    CertificateFactory factory = CertificateFactory.getInstance("X.509");
                    var read = factory.generateCertificate(new ByteArrayInputStream(each));
                    X509Certificate[] shown = {(X509Certificate) read};
                    trust.checkClientTrusted(shown, "EC");
                },
                encoded(own),
                encoded(authority));
        // Beside a stranger's own certificate, and one of an authority that signed it.
        CertificateAuthority theirs = CertificateAuthority.found(Clock.system(), keys);
        X509Certificate stranger =
                theirs.sign(
                        SigningRequest.make(keys).bytes(),
                        Role.MASTER,
                        "m1",
                        Instant.now(),
                        Duration.ofDays(1));
        fuzz(
                rounds,
                CertificateException.class,
                each -> {
                    CertificateFactory factory = CertificateFactory.getInstance("X.509");
                    var read = factory.generateCertificate(new ByteArrayInputStream(each));
                    X509Certificate[] shown = {
                        stranger, theirs.certificate(), (X509Certificate) read, authority
                    };
                    trust.checkClientTrusted(shown, "EC");
                    throw new AssertionError("a stranger is trusted");
                },
                encoded(theirs.introduce(theirs.certificate(), Clock.system())),
                encoded(identities.authority.introduce(authority, Clock.system())));
    }

    private static byte[] encoded(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (CertificateException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void messagesOfLogins() {
        messagesOfLogins(ROUNDS);
    }

    private static void messagesOfLogins(int rounds) {
        Password password = Password.of("correct horse");
        ScramVerifier verifier = ScramVerifier.of(password, new byte[16], 4096);
        ScramClient client = new ScramClient("alice", password, NONCE);
        ScramServer server = ScramServer.begin(client.first(), _ -> verifier, "xyz");
        String last = client.answer(server.challenge());
        fuzz(
                rounds,
                IllegalArgumentException.class,
                each -> ScramServer.begin(text(each), _ -> verifier, "xyz"),
                bytes(client.first()));
        // No exception at all: it is null when the password is wrong.
        fuzz(rounds, NeverThrown.class, each -> server.finish(text(each)), bytes(last));
        fuzz(
                rounds / 10,
                IllegalArgumentException.class,
                each -> new ScramClient("alice", password, NONCE).answer(text(each)),
                bytes(server.challenge()));
    }

    /** Thrown by nobody. */
    private static final class NeverThrown extends Exception {
        private static final long serialVersionUID = 1;
    }

    @Test
    void beginningsOfTls() throws Exception {
        beginningsOfTls(ROUNDS / 4);
    }

    private void beginningsOfTls(int rounds) throws SSLException {
        for (SslProvider provider : List.of(SslProvider.OPENSSL, SslProvider.JDK)) {
            beginningsOfTls(rounds, provider);
        }
    }

    private void beginningsOfTls(int rounds, SslProvider provider) throws SSLException {
        TlsSecurity master = identities.security(provider, Role.MASTER, "m1");
        TlsSecurity chunk = identities.security(provider, Role.CHUNK, "c1");
        byte[] hello = hello(chunk.client());
        byte[] plain = bytes("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        fuzz(rounds, SSLException.class, each -> begin(master.server(), each), hello, plain);
        fuzz(rounds, SSLException.class, each -> begin(chunk.server(), each), hello, plain);
    }

    private static byte[] hello(SSLEngine engine) throws SSLException {
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        var _ = engine.wrap(NOTHING.duplicate(), out);
        ReferenceCountUtil.release(engine);
        return Arrays.copyOf(out.array(), out.position());
    }

    /** Takes a flight of the other side as a connection does, and answers as far as it can. */
    private static void begin(SSLEngine engine, byte[] flight) throws SSLException {
        try {
            answer(engine, flight);
        } finally {
            ReferenceCountUtil.release(engine);
        }
    }

    private static void answer(SSLEngine engine, byte[] flight) throws SSLException {
        ByteBuffer in = ByteBuffer.wrap(flight);
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
        ByteBuffer answer = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.beginHandshake();
        for (int steps = 0; steps < 1000; steps++) {
            SSLEngineResult.HandshakeStatus status = engine.getHandshakeStatus();
            if (status == SSLEngineResult.HandshakeStatus.NEED_TASK) {
                engine.getDelegatedTask().run();
                continue;
            }
            boolean isOurTurn = status == SSLEngineResult.HandshakeStatus.NEED_WRAP;
            if (!isOurTurn && !in.hasRemaining()) {
                return;
            }
            answer.clear();
            SSLEngineResult result =
                    isOurTurn ? engine.wrap(NOTHING.duplicate(), answer) : engine.unwrap(in, out);
            if (result.getStatus() != SSLEngineResult.Status.OK) {
                return;
            }
        }
        throw new IllegalStateException("the handshake goes round");
    }

    @Test
    @Tag("long")
    @Timeout(3600)
    void forLong() throws Exception {
        int rounds = LONGER * ROUNDS;
        requestsToJoin(rounds);
        joinTokens(rounds);
        answersOfMasters(rounds);
        certificates(rounds);
        messagesOfLogins(rounds);
        beginningsOfTls(rounds);
    }
}
