package io.cairn.net;

import io.cairn.cluster.Endpoint;
import io.cairn.runtime.DaemonThreads;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What a service tells operators and their machines over HTTP/1.1, read only:
 *
 * <pre>
 * GET /health/live   200 {"live":true} while the process answers
 * GET /health/ready  200 {"ready":true}, or 503 {"ready":false,"reasons":["..."]}
 * GET /metrics       200 metrics in the Prometheus text format
 * GET /status        200 a JSON document
 * </pre>
 *
 * HEAD works wherever GET does; other methods are 405, other paths 404, what is not HTTP 400. One
 * request a connection, which ends after {@value #CONNECTION_MS} ms whatever happens. Pages are
 * made on a thread of the door's own. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
public final class AdminDoor implements Listener {
    /** How long a connection lasts at most, in milliseconds. */
    static final int CONNECTION_MS = 30_000;

    /** Connections at a time. */
    static final int MAX_CONNECTIONS = 256;

    private static final int MAX_LINE_BYTES = 4096;
    private static final int MAX_HEADER_BYTES = 8192;
    private static final int MAX_BODY_BYTES = 8192;

    /**
     * Where the contents come from. Each is called once a request, on one thread; what it throws
     * becomes 500.
     *
     * @param reasonsNotReady why the service cannot serve now, a sentence each; empty when it can
     * @param metrics the metrics in the Prometheus text format
     * @param status a JSON document
     */
    public record Pages(
            Supplier<List<String>> reasonsNotReady,
            Supplier<String> metrics,
            Supplier<String> status) {}

    private final TcpDoor door;
    private final ThreadPoolExecutor pageMaker;

    /**
     * Opens the door.
     *
     * @param at where to listen; port 0 takes a free one
     * @throws io.cairn.fs.FsException as {@link Transport#listen} does
     */
    public AdminDoor(EventLoops loops, Endpoint at, Pages pages) {
        pageMaker =
                new ThreadPoolExecutor(
                        1,
                        1,
                        10,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(MAX_CONNECTIONS),
                        new DaemonThreads("admin"));
        pageMaker.allowCoreThreadTimeOut(true);
        door = new TcpDoor(loops, at, MAX_CONNECTIONS, channel -> accept(channel, pages));
    }

    private void accept(Channel channel, Pages pages) {
        var deadline =
                channel.eventLoop()
                        .schedule(() -> channel.close(), CONNECTION_MS, TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(done -> deadline.cancel(false));
        channel.pipeline()
                .addLast(new HttpServerCodec(MAX_LINE_BYTES, MAX_HEADER_BYTES, MAX_BODY_BYTES))
                .addLast(new HttpObjectAggregator(MAX_BODY_BYTES, true))
                .addLast(new AdminRequests(pages, pageMaker));
    }

    @Override
    public Endpoint endpoint() {
        return door.endpoint();
    }

    @Override
    public void close() {
        door.close();
        pageMaker.shutdownNow();
    }
}
