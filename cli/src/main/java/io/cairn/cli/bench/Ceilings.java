package io.cairn.cli.bench;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.cairn.os.NativeCalls;
import io.cairn.os.SystemCalls;
import io.cairn.runtime.Clock;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * What the machine does without Cairn: the speed that nothing built on it can pass. Immutable.
 *
 * @param diskWrite a stream to the disk, synced at the end
 * @param diskRead a stream from the disk, of pages that the kernel had forgotten
 * @param diskSync writes of 4 KiB with a sync after each
 * @param loopback a stream over TCP to itself
 * @param roundTrip one byte there and back over TCP
 * @param request requests of the kernel that the mount answers without work; null when the path is
 *     no FUSE mount
 */
record Ceilings(
        Figure diskWrite,
        Figure diskRead,
        Figure diskSync,
        Figure loopback,
        Figure roundTrip,
        @Nullable Figure request) {
    static final String GROUP = "this machine";

    private static final int RECORD = 1 << 20;
    private static final int SMALL = 4096;

    /** No more is written for a ceiling: the disk may be memory. */
    private static final long MOST_BYTES = 4L << 30;

    private static final long NS = 1_000_000;

    private static final MethodHandle IOCTL =
            NativeCalls.bind("ioctl", 2, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);

    /**
     * Measures them, some seconds.
     *
     * @param mounted a directory of the mount
     * @param local a directory of the disk
     * @param limitMs how long each may take
     */
    static Ceilings measure(Path mounted, Path local, long limitMs, Clock clock, Results results)
            throws IOException, InterruptedException {
        Path file = local.resolve("disk");
        try {
            Figure write =
                    results.bytes(GROUP, "disk, write", diskWrite(file, limitMs, clock), null);
            Figure read = results.bytes(GROUP, "disk, read", diskRead(file, limitMs, clock), null);
            Figure sync =
                    results.times(
                            GROUP, "disk, write 4k and sync", diskSync(file, limitMs, clock), null);
            Figure stream =
                    results.bytes(GROUP, "loopback, stream", loopback(limitMs, clock), null);
            Figure trip =
                    results.times(GROUP, "loopback, round trip", roundTrip(limitMs, clock), null);
            double perSecond = requests(mounted.resolve("request"), limitMs, clock);
            Figure request =
                    perSecond < 0
                            ? null
                            : results.times(GROUP, "empty FUSE request", perSecond, null);
            return new Ceilings(write, read, sync, stream, trip, request);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static ByteBuffer noise(int bytes) {
        byte[] noise = new byte[bytes];
        new Random(1).nextBytes(noise);
        return ByteBuffer.allocateDirect(bytes).put(noise);
    }

    private static double diskWrite(Path file, long limitMs, Clock clock) throws IOException {
        ByteBuffer record = noise(RECORD);
        long roomBytes = Files.getFileStore(file.getParent()).getUsableSpace() / 4;
        long mostBytes = Math.min(MOST_BYTES, roomBytes);
        long began = clock.nanoTime();
        long done = 0;
        try (FileChannel out =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            while (done < mostBytes && clock.nanoTime() - began < limitMs * NS) {
                done += out.write(record.rewind());
            }
            out.force(false);
        }
        return done * 1e9 / (clock.nanoTime() - began);
    }

    private static double diskRead(Path file, long limitMs, Clock clock) throws IOException {
        DataFile.forget(file);
        try (DataFile in = DataFile.open(file, RECORD)) {
            // To make the record takes a while, too.
            long began = clock.nanoTime();
            long done = in.read(0, Files.size(file), () -> clock.nanoTime() - began < limitMs * NS);
            return done * 1e9 / (clock.nanoTime() - began);
        }
    }

    private static double diskSync(Path file, long limitMs, Clock clock) throws IOException {
        ByteBuffer record = noise(SMALL);
        long began = clock.nanoTime();
        long times = 0;
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
            while (clock.nanoTime() - began < limitMs * NS) {
                out.write(record.rewind(), (times % 256) * SMALL);
                out.force(false);
                times++;
            }
        }
        return times * 1e9 / (clock.nanoTime() - began);
    }

    private static double loopback(long limitMs, Clock clock)
            throws IOException, InterruptedException {
        return connected(
                socket -> {
                    byte[] bytes = new byte[RECORD];
                    InputStream in = socket.getInputStream();
                    while (in.read(bytes) >= 0) {
                        // Only the time counts.
                    }
                },
                socket -> {
                    byte[] bytes = new byte[RECORD];
                    OutputStream out = socket.getOutputStream();
                    long began = clock.nanoTime();
                    long done = 0;
                    while (clock.nanoTime() - began < limitMs * NS) {
                        out.write(bytes);
                        done += bytes.length;
                    }
                    return done * 1e9 / (clock.nanoTime() - began);
                });
    }

    private static double roundTrip(long limitMs, Clock clock)
            throws IOException, InterruptedException {
        return connected(
                socket -> {
                    InputStream in = socket.getInputStream();
                    OutputStream out = socket.getOutputStream();
                    for (int b = in.read(); b >= 0; b = in.read()) {
                        out.write(b);
                    }
                },
                socket -> {
                    DataInputStream in = new DataInputStream(socket.getInputStream());
                    OutputStream out = socket.getOutputStream();
                    long began = clock.nanoTime();
                    long times = 0;
                    while (clock.nanoTime() - began < limitMs * NS) {
                        out.write(1);
                        in.readByte();
                        times++;
                    }
                    return times * 1e9 / (clock.nanoTime() - began);
                });
    }

    private interface Peer {
        void serve(Socket socket) throws IOException;
    }

    private interface Caller {
        double measure(Socket socket) throws IOException;
    }

    private static double connected(Peer peer, Caller caller)
            throws IOException, InterruptedException {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 1, here)) {
            Thread thread =
                    Thread.ofPlatform()
                            .daemon()
                            .start(
                                    () -> {
                                        try (Socket socket = server.accept()) {
                                            socket.setTcpNoDelay(true);
                                            peer.serve(socket);
                                        } catch (IOException e) {
                                            throw new UncheckedIOException(e);
                                        }
                                    });
            double result;
            try (Socket socket = new Socket(here, server.getLocalPort())) {
                socket.setTcpNoDelay(true);
                result = caller.measure(socket);
            }
            thread.join();
            return result;
        }
    }

    /**
     * The kernel passes an ioctl that it does not know to the mount, which refuses it at once.
     * Negative when the path is no FUSE mount: then the kernel answers itself.
     */
    private static double requests(Path file, long limitMs, Clock clock) throws IOException {
        if (!Files.getFileStore(file.getParent()).type().startsWith("fuse")) {
            return -1;
        }
        Files.write(file, new byte[0]);
        SystemCalls calls = new SystemCalls();
        int fd = calls.open(file.toString(), SystemCalls.O_RDONLY | SystemCalls.O_CLOEXEC);
        if (fd < 0) {
            throw new IOException("cannot open " + file);
        }
        try {
            long began = clock.nanoTime();
            long times = 0;
            while (clock.nanoTime() - began < limitMs * NS) {
                NativeCalls.invoke(s -> (int) IOCTL.invokeExact(s, fd, 0L, 0L));
                times++;
            }
            return times * 1e9 / (clock.nanoTime() - began);
        } finally {
            calls.close(fd);
            Files.deleteIfExists(file);
        }
    }
}
