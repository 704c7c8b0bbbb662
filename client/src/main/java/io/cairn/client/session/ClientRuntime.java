package io.cairn.client.session;

import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.trace.Tracer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The needs of the client besides the network.
 *
 * @param random all uses synchronize on it, so it need not be thread-safe
 * @param threads runs each task on a thread of its own, which may block
 * @param tracer makes the spans of its operations
 * @param machine identity of the start of this machine, for reads from chunk servers here without
 *     the network; 0 for none of them
 * @param login who logs in at the masters with a password; null for nobody
 * @param hearers who hears what masters tell about the cluster
 * @param polled a second network to the leader, run by the threads of the door; null for none
 */
public record ClientRuntime(
        Clock clock,
        Scheduler scheduler,
        RandomGenerator random,
        Executor threads,
        Tracer tracer,
        long machine,
        @Nullable PasswordLogin login,
        Hearers hearers,
        @Nullable PolledNetwork polled) {
    /**
     * Who hears what masters tell about the cluster. None of them may block.
     *
     * @param revoked hears the serial numbers of revoked certificates
     * @param authorities hears the certificates of authorities in PEM, when one is replaced
     * @param masters hears where all masters are, as often as they tell
     */
    public record Hearers(
            Consumer<List<String>> revoked,
            Consumer<String> authorities,
            Consumer<List<Endpoint>> masters) {
        /** Nobody. */
        static final Hearers NONE = new Hearers(_ -> {}, _ -> {}, _ -> {});
    }

    /** Without traces. */
    public ClientRuntime(
            Clock clock, Scheduler scheduler, RandomGenerator random, Executor threads) {
        this(clock, scheduler, random, threads, Tracer.OFF, 0, null, Hearers.NONE, null);
    }

    /** With virtual threads, and without traces. */
    public ClientRuntime(Clock clock, Scheduler scheduler, RandomGenerator random) {
        this(clock, scheduler, random, task -> Thread.ofVirtual().name("cairn-client").start(task));
    }

    /** The same with traces. */
    public ClientRuntime with(Tracer other) {
        return new ClientRuntime(
                clock, scheduler, random, threads, other, machine, login, hearers, polled);
    }

    /** The same with a network that the threads of the door run. */
    public ClientRuntime with(PolledNetwork other) {
        return new ClientRuntime(
                clock, scheduler, random, threads, tracer, machine, login, hearers, other);
    }

    /** The same with somebody who logs in at the masters; null for nobody. */
    public ClientRuntime with(@Nullable PasswordLogin other) {
        return new ClientRuntime(
                clock, scheduler, random, threads, tracer, machine, other, hearers, polled);
    }

    /** The same that tells of revoked certificates. */
    public ClientRuntime onRevoked(Consumer<List<String>> hearer) {
        return with(new Hearers(hearer, hearers.authorities, hearers.masters));
    }

    /** The same that tells of the authorities when one is replaced. */
    public ClientRuntime onAuthorities(Consumer<String> hearer) {
        return with(new Hearers(hearers.revoked, hearer, hearers.masters));
    }

    /** The same that tells where the masters are. */
    public ClientRuntime onMasters(Consumer<List<Endpoint>> hearer) {
        return with(new Hearers(hearers.revoked, hearers.authorities, hearer));
    }

    private ClientRuntime with(Hearers others) {
        return new ClientRuntime(
                clock, scheduler, random, threads, tracer, machine, login, others, polled);
    }

    /** The same on a machine where chunk servers may run. */
    public ClientRuntime onMachine(long identity) {
        return new ClientRuntime(
                clock, scheduler, random, threads, tracer, identity, login, hearers, polled);
    }
}
