package io.cairn.http;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Listener;
import io.cairn.net.PortBinding;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP/1.1 on a port, plain or over TLS; Jetty does the work. Connections are kept; pipelined
 * requests are answered one after the other, each on a virtual thread of its own, when all of it
 * has arrived.
 *
 * <p>Bounds: {@value #MAX_CONNECTIONS} connections; a request line of 16 KiB (414), with the
 * headers 24 KiB (431), a body of 1 MiB (413). A connection is closed when the head of its next
 * request is not there {@value #REQUEST_MS} ms after it began or its last answer was taken. A body
 * that is not there as long after its head gets 408. An answer must be taken in that time, too.
 * Thread-safe.
 */
public final class HttpServer implements Listener {
    /** Connections at a time; one address gets half of them at most. */
    public static final int MAX_CONNECTIONS = 256;

    /** Largest body of a request, in bytes. */
    public static final int MAX_BODY_BYTES = 1 << 20;

    /** How long a request, and the sending of an answer, may take, in milliseconds. */
    static final int REQUEST_MS = 30_000;

    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
    private static final int MAX_HEADER_BYTES = 24 << 10;

    /** Threads of Jetty's own: one looks at the sockets, one stands in for it, one is to spare. */
    private static final int THREADS = 4;

    private static final int ACCEPT_QUEUE = 1024;

    private final ServerSocketChannel socket;
    private final Endpoint endpoint;
    private final Future<@Nullable Server> starting;
    private final ExecutorService workers =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("web-", 1).factory());

    /**
     * Opens the door.
     *
     * @param at where to listen; port 0 takes a free one
     * @param certificate what the server proves itself with; null for plain HTTP
     * @throws FsException as {@link Transport#listen} does
     */
    public HttpServer(
            Clock clock, Endpoint at, @Nullable WebCertificate certificate, WebHandler handler) {
        this(clock, at, certificate, handler, WebTimeouts.STANDARD);
    }

    /** The same with other limits of time. */
    HttpServer(
            Clock clock,
            Endpoint at,
            @Nullable WebCertificate certificate,
            WebHandler handler,
            WebTimeouts timeouts) {
        socket = bind(at);
        int port = socket.socket().getLocalPort();
        endpoint = new Endpoint(at.host(), port);
        // Connections wait in the socket's queue until Jetty has started, and nobody else does.
        starting = workers.submit(() -> start(certificate, handler, timeouts, clock));
    }

    private static ServerSocketChannel bind(Endpoint at) {
        ServerSocketChannel socket = null;
        try {
            InetSocketAddress address =
                    new InetSocketAddress(InetAddress.getByName(at.host()), at.port());
            socket = ServerSocketChannel.open();
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            return socket.bind(address, ACCEPT_QUEUE);
        } catch (UnknownHostException e) {
            throw new FsException(
                    Errno.ENXIO, "cannot listen on " + at + ": unknown host; use an address", e);
        } catch (IOException e) {
            close(socket);
            throw PortBinding.refusal(at, e);
        }
    }

    private static void close(@Nullable ServerSocketChannel socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            LOG.debug("a port does not close", e);
        }
    }

    private @Nullable Server start(
            @Nullable WebCertificate certificate,
            WebHandler handler,
            WebTimeouts timeouts,
            Clock clock) {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS, 1);
        threads.setName("http");
        threads.setDaemon(true);
        threads.setReservedThreads(0);
        threads.setVirtualThreadsExecutor(workers);
        Server server = new Server(threads);
        server.setStopTimeout(0);
        server.setErrorHandler(WebExchange::refuseWhatIsNotHttp);
        SslContextFactory.Server tls = certificate == null ? null : certificate.forServer();
        WebConnector connector =
                new WebConnector(server, endpoint.toString(), timeouts, connections(tls));
        server.addConnector(connector);
        server.setHandler(new WebExchange(handler, connector, timeouts, clock));
        try {
            connector.open(socket);
            server.start();
        } catch (Exception e) {
            if (socket.isOpen()) {
                LOG.error("nobody is served on {}", endpoint, e);
            } else {
                LOG.debug("{} is closed before anybody was served", endpoint, e);
            }
            close(socket);
            return null;
        }
        if (certificate != null && tls != null) {
            CertificateWatch.begin(
                    certificate, tls, server.getScheduler(), timeouts.certificateMs());
        }
        return server;
    }

    private static ConnectionFactory[] connections(SslContextFactory.@Nullable Server tls) {
        HttpConfiguration http = new HttpConfiguration();
        http.setRequestHeaderSize(MAX_HEADER_BYTES);
        http.setSendServerVersion(false);
        // Addresses are told to the handler as they are, and nothing is opened by them.
        http.setUriCompliance(UriCompliance.UNSAFE);
        HttpConnectionFactory plain = new HttpConnectionFactory(http);
        return tls == null
                ? new ConnectionFactory[] {plain}
                : new ConnectionFactory[] {
                    new SslConnectionFactory(tls, plain.getProtocol()), plain
                };
    }

    @Override
    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public void close() {
        close(socket);
        try {
            Server server = starting.get();
            workers.shutdownNow();
            if (server != null) {
                server.stop();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.debug("the web door closes", e);
        } finally {
            workers.shutdownNow();
        }
    }
}
