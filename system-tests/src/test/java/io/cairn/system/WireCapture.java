package io.cairn.system;

import io.cairn.cluster.Endpoint;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands between processes and a service, and keeps all that passes. */
final class WireCapture implements AutoCloseable {
    private final ServerSocket door;
    private final Endpoint to;
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    /** In front of a server. */
    WireCapture(Endpoint to) throws IOException {
        this.to = to;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    /** Where clients connect instead. */
    Endpoint endpoint() {
        return new Endpoint("127.0.0.1", door.getLocalPort());
    }

    /** All bytes of both directions, each as one character. */
    String seen() {
        synchronized (seen) {
            return seen.toString(StandardCharsets.ISO_8859_1);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                Socket server = new Socket(to.host(), to.port());
                sockets.add(client);
                sockets.add(server);
                Thread.ofVirtual().start(() -> copy(client, server));
                Thread.ofVirtual().start(() -> copy(server, client));
            }
        } catch (IOException e) {
            // The end.
        }
    }

    private void copy(Socket from, Socket into) {
        byte[] bytes = new byte[64 << 10];
        try (from;
                into) {
            InputStream in = from.getInputStream();
            OutputStream out = into.getOutputStream();
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                synchronized (seen) {
                    seen.write(bytes, 0, count);
                }
                out.write(bytes, 0, count);
            }
        } catch (IOException e) {
            // One side has closed.
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
