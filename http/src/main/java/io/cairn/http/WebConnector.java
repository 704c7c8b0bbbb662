package io.cairn.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a {@link HttpServer}. It takes as many as the door says, from one address half
 * of them, and closes each whose client lets it wait too long. Jetty's own limit begins anew with
 * each byte, so one byte a second would hold a connection for ever. Thread-safe.
 */
final class WebConnector extends ServerConnector {
    private static final Logger LOG = LoggerFactory.getLogger(WebConnector.class);
    private static final long REPORT_MS = 60_000;

    private final String port;
    private final WebTimeouts timeouts;
    private final Map<EndPoint, Scheduler.Task> deadlines = new ConcurrentHashMap<>();
    private final Map<EndPoint, InetAddress> guests = new HashMap<>();
    private final Map<InetAddress, Integer> hosts = new HashMap<>();
    private boolean reported;

    WebConnector(Server server, String port, WebTimeouts timeouts, ConnectionFactory... protocols) {
        super(server, 0, 1, protocols);
        this.port = port;
        this.timeouts = timeouts;
        setIdleTimeout(0);
    }

    /** The connection that a request came through. */
    static EndPoint peer(Request request) {
        EndPoint peer = request.getConnectionMetaData().getConnection().getEndPoint();
        return peer instanceof EndPoint.Wrapper wrapper ? wrapper.unwrap() : peer;
    }

    @Override
    protected void onEndPointOpened(EndPoint peer) {
        super.onEndPointOpened(peer);
        if (admit(peer)) {
            awaitRequest(peer);
        } else {
            peer.close();
        }
    }

    @Override
    protected void onEndPointClosed(EndPoint peer) {
        disarm(peer);
        leave(peer);
        super.onEndPointClosed(peer);
    }

    private synchronized boolean admit(EndPoint peer) {
        if (!(peer.getRemoteSocketAddress() instanceof InetSocketAddress address)) {
            return false;
        }
        InetAddress host = address.getAddress();
        int ofHost = hosts.getOrDefault(host, 0);
        boolean stays =
                guests.size() < HttpServer.MAX_CONNECTIONS
                        && ofHost < HttpServer.MAX_CONNECTIONS / 2;
        if (stays) {
            guests.put(peer, host);
            hosts.put(host, ofHost + 1);
        } else if (!reported) {
            reported = true;
            getScheduler().schedule(this::reportAgain, REPORT_MS, TimeUnit.MILLISECONDS);
            LOG.warn(
                    "{}: connections are refused; {} are open, {} of them from {}",
                    port,
                    guests.size(),
                    ofHost,
                    host.getHostAddress());
        }
        return stays;
    }

    private synchronized void reportAgain() {
        reported = false;
    }

    private synchronized void leave(EndPoint peer) {
        InetAddress host = guests.remove(peer);
        if (host != null) {
            hosts.computeIfPresent(host, (_, count) -> count == 1 ? null : count - 1);
        }
    }

    /** From now on the client has its time to send the head of a request. */
    void awaitRequest(EndPoint peer) {
        arm(peer, timeouts.requestMs());
    }

    /** Closes the connection after a time unless {@link #disarm} or this is called before. */
    void arm(EndPoint peer, long ms) {
        Scheduler.Task later =
                getScheduler().schedule(() -> peer.close(), ms, TimeUnit.MILLISECONDS);
        cancel(deadlines.put(peer, later));
        if (!peer.isOpen()) {
            disarm(peer);
        }
    }

    /** The client may wait for us as long as it likes. */
    void disarm(EndPoint peer) {
        cancel(deadlines.remove(peer));
    }

    private static void cancel(Scheduler.@Nullable Task task) {
        if (task != null) {
            task.cancel();
        }
    }
}
