package io.cairn.net;

import io.cairn.base.Wording;
import io.cairn.runtime.Clock;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which connections a port takes. One address gets a part of the places at most. The last sixteenth
 * of them is kept for addresses that have few, such as other servers. A machine that opens
 * connections without end keeps out only itself. Of an address that has all its places, one that
 * has not yet said who it is makes room for the next, so that not even on one machine idle
 * connections keep out those that speak. Refusals are one warning a minute. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
public final class Admission {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    /** Connections of an address that may use the last places. */
    static final int FEW = 16;

    private static final long REPORT_NS = 60_000_000_000L;

    /** The connections of an address, and those of them that have said nothing, oldest first. */
    private static final class Host {
        private int count;
        private final Queue<Channel> silent = new ArrayDeque<>();
    }

    private final String port;
    private final int max;
    private final int maxOfHost;
    private final Clock clock;
    private final Set<Channel> open = new HashSet<>();
    private final Map<InetAddress, Host> hosts = new HashMap<>();
    private long refused;
    private boolean reported;
    private long reportedNs;

    /**
     * For a port.
     *
     * @param port what to call it in the log
     * @param max connections at a time, 1 or more
     * @param maxOfHost those of them from one address
     */
    public Admission(String port, int max, int maxOfHost, Clock clock) {
        this.port = port;
        this.max = max;
        this.maxOfHost = maxOfHost;
        this.clock = clock;
    }

    /**
     * Whether a new connection may stay; one that may not is closed. To be called once for each
     * connection.
     *
     * @param speaks whether connections of this port say who they are, with {@link #spoke}
     */
    public boolean admit(Channel channel, boolean speaks) {
        InetAddress address = ((InetSocketAddress) channel.remoteAddress()).getAddress();
        String warning = null;
        Channel loser = null;
        synchronized (this) {
            Host host = hosts.computeIfAbsent(address, a -> new Host());
            String reason = refusal(host, address);
            if (reason != null) {
                loser = host.silent.poll();
                loser = loser == null ? channel : loser;
                warning = report(reason);
            }
            if (channel.equals(loser)) {
                forgetIfGone(address, host);
            } else {
                open.add(channel);
                host.count++;
                if (speaks) {
                    host.silent.add(channel);
                }
            }
        }
        if (warning != null) {
            LOG.warn("{}", warning);
        }
        boolean stays = !channel.equals(loser);
        if (stays) {
            channel.closeFuture().addListener(done -> closed(channel, address));
        }
        if (loser != null) {
            loser.close();
        }
        return stays;
    }

    /** A connection has said who it is, in words of ours. */
    public synchronized void spoke(Channel channel) {
        if (channel.remoteAddress() instanceof InetSocketAddress remote) {
            Host host = hosts.get(remote.getAddress());
            if (host != null) {
                host.silent.remove(channel);
            }
        }
    }

    /** The connections that are open now; a copy. */
    synchronized Set<Channel> open() {
        return Set.copyOf(open);
    }

    private synchronized void closed(Channel channel, InetAddress address) {
        Host host = hosts.get(address);
        if (open.remove(channel) && host != null) {
            host.count--;
            host.silent.remove(channel);
            forgetIfGone(address, host);
        }
    }

    private void forgetIfGone(InetAddress address, Host host) {
        if (host.count == 0) {
            hosts.remove(address);
        }
    }

    private @Nullable String refusal(Host host, InetAddress address) {
        if (host.count >= maxOfHost) {
            return address.getHostAddress() + " has " + host.count + ", the limit for one address";
        }
        boolean full = open.size() >= max;
        boolean reserved = open.size() >= max - max / 16 && host.count >= FEW;
        return full || reserved ? open.size() + " are open, the limit" : null;
    }

    private @Nullable String report(String reason) {
        refused++;
        long nowNs = clock.nanoTime();
        if (reported && nowNs - reportedNs < REPORT_NS) {
            return null;
        }
        long count = refused;
        refused = 0;
        reported = true;
        reportedNs = nowNs;
        return "%s: %s refused%s; the last because %s"
                .formatted(
                        port,
                        Wording.count(count, "connection"),
                        count > 1 ? " in the last minutes" : "",
                        reason);
    }
}
