package io.cairn.bench;

import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.Identity;
import io.cairn.identity.SigningRequest;
import io.cairn.identity.TlsSecurity;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.Ticket;
import io.cairn.wire.chunk.TicketClaim;
import io.cairn.wire.chunk.TicketKey;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What certificates and tickets cost: both sides of a handshake, and a ticket's two ends. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls the setup before anything else.
public class SecurityBenchmark {
    private static final String HOLDER = "mount.m1";

    private final TicketKey key = TicketKey.derive(new byte[32], 1);
    private TlsSecurity security;
    private TicketClaim claim;
    private Ticket ticket;

    @Setup
    public void certify() {
        SecureRandom random = new SecureRandom();
        Clock clock = Clock.system();
        CertificateAuthority authority = CertificateAuthority.found(clock, random);
        SigningRequest request = SigningRequest.make(random);
        Identity identity =
                Identity.of(
                        request.key(),
                        Identity.chain(
                                authority.sign(
                                        request.bytes(),
                                        Role.MASTER,
                                        "m1",
                                        clock.now(),
                                        CertificateAuthority.LIFE),
                                Authorities.of(authority.certificate())));
        security = new TlsSecurity(identity, clock, new Refusals("bench", clock));
        claim = TicketClaim.ofAll(1, 7, true, 1_000_000);
        ticket = claim.sign(key, HOLDER);
    }

    /** Both sides, on one processor, and without a network. */
    @Benchmark
    public void handshake() {
        security.rehearse();
    }

    /** Once for a mount in five minutes. */
    @Benchmark
    public Ticket signTicket() {
        return claim.sign(key, HOLDER);
    }

    /** Once for a ticket on a connection. */
    @Benchmark
    public boolean checkTicket() {
        TicketClaim read = TicketClaim.read(ticket);
        return read != null && read.isSigned(ticket, key, HOLDER);
    }
}
