package io.cairn.node;

import io.cairn.client.session.PasswordLogin;
import io.cairn.identity.TlsSecurity;
import io.cairn.net.EventLoops;
import io.cairn.net.FreePorts;
import io.cairn.net.MeasuredTransport;
import io.cairn.net.Refusals;
import io.cairn.net.TracedTransport;
import io.cairn.net.Transport;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.net.tcp.PolledTransport;
import io.cairn.node.identity.CertificateIssuer;
import io.cairn.node.identity.Credentials;
import io.cairn.node.identity.Renewal;
import io.cairn.node.trace.OtlpTracing;
import io.cairn.runtime.Clock;
import io.cairn.runtime.CpuLatency;
import io.cairn.runtime.ThreadScheduler;
import io.cairn.runtime.Tuning;
import io.cairn.seal.MasterKey;
import io.cairn.trace.Tracer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.logging.LogbackMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.security.SecureRandom;
import java.util.OptionalInt;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The real world for the services of one process: network, time, delayed work, randomness, metrics,
 * traces.
 */
public final class ProcessContext implements AutoCloseable {
    private static final String NETWORK = "cairn-net";
    private static final String RAFT_NETWORK = "cairn-raft-net";
    private static final int RAFT_LOOPS = 2;

    private final Tuning tuning = Tuning.here();
    private final EventLoops loops;
    private final ChannelSettings channels;
    private final NettyTransport transport;
    private final @Nullable Credentials credentials;
    private final @Nullable TlsSecurity security;
    private volatile @Nullable Renewal renewal;
    private @Nullable NettyTransport raft;
    private volatile @Nullable PasswordLogin login;
    private volatile @Nullable MasterKey masterKey;
    private final @Nullable OtlpTracing traces;
    private final @Nullable CpuLatency cpuLatency;
    private final ThreadScheduler scheduler = new ThreadScheduler("cairn-timer", 1);
    private final SecureRandom random = new SecureRandom();
    private final FreePorts ports = new FreePorts(random);
    private final PrometheusMeterRegistry metrics =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final LogbackMetrics events = new LogbackMetrics();

    /** Without traces, in which processors sleep as they like. */
    public ProcessContext() {
        this(null, OptionalInt.empty());
    }

    /** Without an identity: its connections are plain. */
    public ProcessContext(@Nullable OtlpTracing traces, OptionalInt cpuLatencyUs) {
        this(traces, cpuLatencyUs, null);
    }

    /**
     * A world.
     *
     * @param traces closed with it; null for none
     * @param cpuLatencyUs the limit of {@link CpuLatency} in microseconds, if there is to be one
     * @param credentials who this process is; null when its connections are plain
     */
    public ProcessContext(
            @Nullable OtlpTracing traces,
            OptionalInt cpuLatencyUs,
            @Nullable Credentials credentials) {
        // Netty would watch one buffer in 128 and remember where it was used: for developers.
        if (System.getProperty("io.netty.leakDetection.level") == null) {
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        }
        loops = new EventLoops(NETWORK, tuning.eventLoops(), Clock.system());
        this.traces = traces;
        channels = ChannelSettings.standard(clock(), traces != null);
        this.credentials = credentials;
        security = credentials == null ? null : secured(credentials);
        transport = new NettyTransport(loops, channels, ByteBufAllocator.DEFAULT, false, security);
        if (security != null) {
            security.onRevocation(transport::examine);
            transport.measure(metrics);
        }
        new ClassLoaderMetrics().bindTo(metrics);
        collections.bindTo(metrics);
        events.bindTo(metrics);
        new FileDescriptorMetrics().bindTo(metrics);
        loops.measure(metrics);
        new JvmMemoryMetrics().bindTo(metrics);
        new JvmThreadMetrics().bindTo(metrics);
        new ProcessorMetrics().bindTo(metrics);
        new UptimeMetrics().bindTo(metrics);
        cpuLatency =
                cpuLatencyUs.isPresent()
                        ? CpuLatency.watch(cpuLatencyUs.getAsInt(), clock(), scheduler)
                        : null;
        Gauge.builder("cairn.cpu.latency.held", () -> isCpuLatencyHeld() ? 1 : 0)
                .description("1 while processors may not sleep as they like, see --cpu-latency")
                .register(metrics);
    }

    private TlsSecurity secured(Credentials own) {
        Refusals refusals = new Refusals("network", clock());
        refusals.measure(metrics);
        TlsSecurity made = new TlsSecurity(own.identity(), clock(), refusals);
        made.rehearse();
        return made;
    }

    /** From now on clients of this process log in at masters; to be called before there is one. */
    public void logInWith(PasswordLogin who) {
        login = who;
    }

    /**
     * From now on this process takes and makes plain connections, too, while its cluster changes to
     * TLS; to be called before it listens. Without a certificate all are plain anyway.
     */
    public void admitPlain() {
        if (security != null) {
            security.admitPlain();
        }
    }

    /** From now on services of this process use this key; to be called before there is one. */
    public void encryptWith(MasterKey key) {
        masterKey = key;
    }

    /** What wraps the keys of storage classes; null when there is none. */
    @Nullable MasterKey masterKey() {
        return masterKey;
    }

    /** Who logs in at masters with a password; null when nobody does. */
    @Nullable PasswordLogin login() {
        return login;
    }

    /** The security of all connections; null when they are plain. */
    @Nullable TlsSecurity security() {
        return security;
    }

    /** From now on the certificate of this process is renewed, if it has one, in this way alone. */
    void renewBy(CertificateIssuer issuer) {
        if (credentials != null && security != null) {
            Renewal before = renewal;
            if (before != null) {
                before.close();
            }
            renewal =
                    new Renewal(
                            security, credentials.directory(), issuer, scheduler, clock(), random);
        }
    }

    /**
     * An authority of the cluster is replaced: from now on this process trusts these, and asks for
     * a certificate of the present one. Returns at once.
     *
     * @param pem their certificates, the present one first
     */
    void trust(String pem) {
        Renewal renewing = renewal;
        if (renewing != null) {
            renewing.trust(pem);
        }
    }

    private boolean isCpuLatencyHeld() {
        return cpuLatency != null && cpuLatency.isHeld();
    }

    public Tuning tuning() {
        return tuning;
    }

    public EventLoops loops() {
        return loops;
    }

    public Transport transport() {
        return transport;
    }

    /**
     * The network of masters among each other, with threads and memory of its own: requests of
     * clients do not hold it up. Always the same one, and closed with this.
     */
    synchronized Transport amongMasters() {
        NettyTransport known = raft;
        if (known == null) {
            known =
                    new NettyTransport(
                            new EventLoops(RAFT_NETWORK, RAFT_LOOPS, clock()),
                            ChannelSettings.standard(clock(), false),
                            ByteBufAllocator.DEFAULT,
                            true,
                            security == null ? null : security.strict());
            if (security != null) {
                security.onRevocation(known::examine);
            }
            raft = known;
        }
        return known;
    }

    /** A network that the threads of a mount run. */
    PolledTransport polled() {
        return new PolledTransport(channels, ByteBufAllocator.DEFAULT, loops.resolvers());
    }

    /** The transport of a service: its requests are measured, and traced. */
    Transport measured(String service, Function<byte[], String> names, Tracer tracer) {
        return new MeasuredTransport(
                TracedTransport.around(transport, tracer, service, names),
                service,
                names,
                metrics,
                clock());
    }

    /**
     * Makes the spans of a service.
     *
     * @param service what it is, such as {@code cairn-master}
     * @param instance which one it is
     */
    public Tracer tracer(String service, String instance) {
        return traces == null ? Tracer.OFF : traces.tracer(service, instance);
    }

    public ThreadScheduler scheduler() {
        return scheduler;
    }

    public Clock clock() {
        return Clock.system();
    }

    public SecureRandom random() {
        return random;
    }

    /** Ports for the services of this process. */
    FreePorts ports() {
        return ports;
    }

    public PrometheusMeterRegistry metrics() {
        return metrics;
    }

    private synchronized void closeRaft() {
        if (raft != null) {
            raft.close();
        }
    }

    @Override
    public void close() {
        if (cpuLatency != null) {
            cpuLatency.close();
        }
        Renewal renewing = renewal;
        if (renewing != null) {
            renewing.close();
        }
        closeRaft();
        transport.close();
        loops.close();
        scheduler.close();
        collections.close();
        events.close();
        metrics.close();
        if (traces != null) {
            traces.close();
        }
    }
}
