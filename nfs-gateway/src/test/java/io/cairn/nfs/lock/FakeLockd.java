package io.cairn.nfs.lock;

import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The services of a client machine on one port: port mapper, lock manager, status monitor. */
final class FakeLockd implements AutoCloseable {
    /** A call that came in, without the cookie of a callback. */
    record Callback(int program, int procedure, byte[] cookie, int word, XdrReader rest) {}

    private final ServerSocket server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    final BlockingQueue<Callback> calls = new LinkedBlockingQueue<>();
    final AtomicInteger lookups = new AtomicInteger();

    /** What GRANTED answers. */
    volatile int status = NlmClient.GRANTED;

    /** Calls that are to be received and not answered. */
    final AtomicInteger silent = new AtomicInteger();

    /** Whether the connection ends after each answer. */
    volatile boolean hangsUp;

    FakeLockd() {
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    Callback await() throws InterruptedException {
        Callback call = calls.poll(60, TimeUnit.SECONDS);
        if (call == null) {
            throw new AssertionError("no callback within 60 s");
        }
        return call;
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                sockets.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                int length = in.readInt() & Integer.MAX_VALUE;
                byte[] record = new byte[length];
                in.readFully(record);
                if (!answer(new XdrReader(Unpooled.wrappedBuffer(record)), socket)) {
                    return;
                }
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private boolean answer(XdrReader call, Socket socket) throws IOException {
        int xid = call.i32();
        call.i32();
        call.i32();
        int program = call.i32();
        call.i32();
        int procedure = call.i32();
        call.i32();
        call.opaque(400);
        call.i32();
        call.opaque(400);
        ByteBuf reply = Unpooled.buffer().writeInt(0);
        XdrWriter out = new XdrWriter(reply);
        out.i32(xid).i32(1).i32(0).i32(0).i32(0).i32(0);
        if (program == 100000) {
            lookups.incrementAndGet();
            out.i32(port());
        } else {
            byte[] cookie = call.opaque(1024);
            calls.add(new Callback(program, procedure, cookie, call.i32(), call));
            if (silent.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                return true;
            }
            if (procedure == 5) {
                out.opaque(cookie).i32(status);
            }
        }
        reply.setInt(0, (1 << 31) | (reply.readableBytes() - 4));
        OutputStream stream = socket.getOutputStream();
        stream.write(reply.array(), 0, reply.readableBytes());
        return program == 100000 || !hangsUp;
    }

    /** Ends all connections. */
    void hangUp() {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        sockets.clear();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        hangUp();
    }
}
