package io.cairn.identity;

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
import java.util.concurrent.atomic.AtomicInteger;

/** Stands between processes and a service, and keeps all that passes. */
public final class Capture implements AutoCloseable {
    private final ServerSocket door;
    private final Endpoint to;
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();

    /** In front of a server. */
    public Capture(Endpoint to) throws IOException {
        this.to = to;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    /** Where clients connect instead. */
    public Endpoint endpoint() {
        return new Endpoint("127.0.0.1", door.getLocalPort());
    }

    /** How many connections have reached the server this way. */
    public int connections() {
        return connections.get();
    }

    /** All bytes of both directions, each as one character. */
    public String seen() {
        synchronized (seen) {
            return seen.toString(StandardCharsets.ISO_8859_1);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                sockets.add(client);
                Thread.ofVirtual().start(() -> pass(client));
            }
        } catch (IOException e) {
            // The end.
        }
    }

    /** Who cannot be connected now is cut off, and comes again. */
    private void pass(Socket client) {
        try (client;
                Socket server = new Socket(to.host(), to.port())) {
            sockets.add(server);
            connections.getAndIncrement();
            Thread back = Thread.ofVirtual().start(() -> copy(server, client));
            copy(client, server);
            back.join();
        } catch (IOException e) {
            // The server does not listen.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
