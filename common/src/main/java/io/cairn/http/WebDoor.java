package io.cairn.http;

import io.cairn.cluster.Endpoint;
import io.cairn.net.EventLoops;
import io.cairn.net.Listener;
import io.cairn.net.TcpDoor;
import io.cairn.net.Transport;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 on a port, plain or over TLS. Connections are kept; pipelined requests are answered one
 * after the other. A request is handed over when all of it has arrived.
 *
 * <p>Bounds: {@value #MAX_CONNECTIONS} connections; a request line and headers of 16 KiB each (414,
 * 431), a body of 1 MiB (413). The next request must have arrived as a whole {@value #REQUEST_MS}
 * ms after the connection began or the last answer was sent, and the client must take an answer in
 * that time. Otherwise the connection is closed, with 408 when the head of a request had arrived.
 * Thread-safe.
 */
public final class WebDoor implements Listener {
    /** Connections at a time; one address gets half of them at most. */
    public static final int MAX_CONNECTIONS = 256;

    /** Largest body of a request, in bytes. */
    public static final int MAX_BODY_BYTES = 1 << 20;

    /** How long a request, and the sending of an answer, may take, in milliseconds. */
    static final int REQUEST_MS = 30_000;

    private static final int MAX_LINE_BYTES = 16 << 10;
    private static final int MAX_HEADER_BYTES = 16 << 10;
    private static final int PIECE_BYTES = 8 << 10;

    private final TcpDoor door;
    private final ExecutorService workers;

    /**
     * Opens the door.
     *
     * @param at where to listen; port 0 takes a free one
     * @param certificate what the server proves itself with; null for plain HTTP
     * @throws io.cairn.base.FsException as {@link Transport#listen} does
     */
    public WebDoor(
            EventLoops loops,
            Endpoint at,
            @Nullable WebCertificate certificate,
            WebHandler handler) {
        this(loops, at, certificate, handler, WebPatience.STANDARD);
    }

    /** The same with other limits of time. */
    WebDoor(
            EventLoops loops,
            Endpoint at,
            @Nullable WebCertificate certificate,
            WebHandler handler,
            WebPatience patience) {
        workers = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("web-", 1).factory());
        door =
                new TcpDoor(
                        loops,
                        at,
                        MAX_CONNECTIONS,
                        MAX_CONNECTIONS / 2,
                        channel -> accept(channel, certificate, handler, patience));
    }

    private void accept(
            Channel channel,
            @Nullable WebCertificate certificate,
            WebHandler handler,
            WebPatience patience) {
        channel.config().setAutoRead(false);
        if (certificate != null) {
            channel.pipeline().addLast(certificate.context().newHandler(channel.alloc()));
        }
        HttpDecoderConfig limits =
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(MAX_LINE_BYTES)
                        .setMaxHeaderSize(MAX_HEADER_BYTES)
                        .setMaxChunkSize(PIECE_BYTES);
        channel.pipeline()
                .addLast(new HttpServerCodec(limits))
                .addLast(new FlowControlHandler())
                .addLast(new WebConnection(handler, workers, patience));
    }

    @Override
    public Endpoint endpoint() {
        return door.endpoint();
    }

    @Override
    public void close() {
        door.close();
        workers.shutdownNow();
    }
}
