package io.cairn.nfs;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.nfs.NfsClient.Handle;
import io.cairn.nfs.rpc.Credential;
import io.cairn.nfs.rpc.XdrWriter;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Measures an NFS server, ours or another: calls of one kind over one connection, so many
 * outstanding. {@code NfsLoad HOST:PORT[:MOUNTPORT] EXPORT SECONDS OUTSTANDING}. Not a test.
 */
public final class NfsLoad {
    private static final int MIB = 1 << 20;
    private static final int WARM_UP = 1;

    private final Endpoint server;
    private final int seconds;
    private final int outstanding;

    private NfsLoad(Endpoint server, int seconds, int outstanding) {
        this.server = server;
        this.seconds = seconds;
        this.outstanding = outstanding;
    }

    /** Runs all measurements. */
    public static void main(String[] arguments) throws Exception {
        String[] address = arguments[0].split(":", -1);
        Endpoint server = new Endpoint(address[0], Integer.parseInt(address[1]));
        Endpoint mount =
                address.length < 3
                        ? server
                        : new Endpoint(address[0], Integer.parseInt(address[2]));
        int seconds = Integer.parseInt(arguments[2]);
        NfsLoad load = new NfsLoad(server, seconds, Integer.parseInt(arguments[3]));
        Handle root;
        try (NfsClient client = new NfsClient(mount, Credential.sys(0, 0))) {
            root = client.mount(arguments[1]);
        }
        load.measure(root);
    }

    private void measure(Handle root) throws Exception {
        Handle file;
        Handle directory;
        try (NfsClient client = new NfsClient(server, Credential.sys(0, 0))) {
            String unique = Long.toHexString(System.nanoTime());
            directory = client.mkdir(root, "load-" + unique).handle();
            file =
                    client.create(directory, "file", 1, AttributeChange.NONE.withMode(0644))
                            .handle();
        }
        rate("null", 0, i -> out -> {});
        rate("getattr", NfsClient.GETATTR, i -> out -> out.opaque(file.bytes()));
        byte[] name = "file".getBytes(StandardCharsets.US_ASCII);
        rate("lookup", NfsClient.LOOKUP, i -> out -> out.opaque(directory.bytes()).opaque(name));
        rate("access", NfsClient.ACCESS, i -> out -> out.opaque(file.bytes()).i32(0x3f));
        byte[] data = new byte[MIB];
        new java.util.Random(1).nextBytes(data);
        rate(
                "write MiB",
                NfsClient.WRITE,
                i ->
                        out ->
                                out.opaque(file.bytes())
                                        .i64((long) (i % 512) * MIB)
                                        .i32(MIB)
                                        .i32(0)
                                        .opaque(data));
        try (NfsClient client = new NfsClient(server, Credential.sys(0, 0))) {
            client.commit(file);
        }
        rate(
                "read MiB",
                NfsClient.READ,
                i -> out -> out.opaque(file.bytes()).i64((long) (i % 512) * MIB).i32(MIB));
        rate(
                "create",
                NfsClient.CREATE,
                i ->
                        out -> {
                            out.opaque(directory.bytes());
                            out.opaque(("c-" + i).getBytes(StandardCharsets.US_ASCII)).i32(1);
                            NfsCodec.change(out, AttributeChange.NONE.withMode(0644));
                        });
        long end = System.nanoTime() + (WARM_UP + seconds) * 1_000_000_000L;
        try (SmallFileLoad files = new SmallFileLoad(server, directory, outstanding)) {
            report(
                    "small file",
                    files.run(end - seconds * 1_000_000_000L, end),
                    seconds * 1_000_000_000L);
        }
        listing(directory);
    }

    private void listing(Handle directory) {
        try (NfsClient client = new NfsClient(server, Credential.sys(0, 0))) {
            for (int round = 0; round < 2; round++) {
                long start = System.nanoTime();
                long cookie = 0;
                int entries = 0;
                NfsClient.Page page;
                do {
                    page = client.readdirplus(directory, cookie, 65_536, 65_536);
                    entries += page.entries().size();
                    cookie = page.entries().getLast().cookie();
                } while (!page.end());
                report("readdirplus entries", entries, System.nanoTime() - start);
            }
        }
    }

    private void rate(String what, int procedure, IntFunction<Consumer<XdrWriter>> arguments)
            throws Exception {
        try (Socket socket = new Socket(server.host(), server.port())) {
            socket.setTcpNoDelay(true);
            DataOutputStream out =
                    new DataOutputStream(
                            new BufferedOutputStream(socket.getOutputStream(), 65_536));
            DataInputStream in =
                    new DataInputStream(new BufferedInputStream(socket.getInputStream(), 65_536));
            Semaphore room = new Semaphore(outstanding);
            long begin = System.nanoTime();
            long warm = begin + WARM_UP * 1_000_000_000L;
            long end = warm + seconds * 1_000_000_000L;
            Thread sender =
                    Thread.ofPlatform().start(() -> send(procedure, arguments, out, room, end));
            byte[] skipped = new byte[MIB + 4096];
            int answered = 0;
            int failed = 0;
            long counted = 0;
            while (true) {
                int length = in.readInt() & Integer.MAX_VALUE;
                in.readFully(skipped, 0, length);
                if (skipped[0] == -1) {
                    break;
                }
                answered++;
                failed += length >= 28 && skipped[27] != 0 && procedure != 0 ? 1 : 0;
                long now = System.nanoTime();
                counted += now > warm && now <= end ? 1 : 0;
                room.release();
            }
            sender.join();
            report(
                    what + (failed > 0 ? " (" + failed + " of " + answered + " failed)" : ""),
                    counted,
                    seconds * 1_000_000_000L);
        }
    }

    /** Sends until the end, waits for all answers, and says goodbye with a call that is known. */
    private static void send(
            int procedure,
            IntFunction<Consumer<XdrWriter>> arguments,
            DataOutputStream out,
            Semaphore room,
            long end) {
        try {
            int outstanding = room.availablePermits();
            for (int i = 0; System.nanoTime() < end; i++) {
                if (!room.tryAcquire()) {
                    out.flush();
                    await(room, 1);
                }
                send(out, i, procedure, arguments.apply(i));
            }
            out.flush();
            await(room, outstanding);
            send(out, -1, 0, nothing -> {});
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(Semaphore room, int permits) throws InterruptedException {
        if (!room.tryAcquire(permits, 60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no answer for a minute");
        }
    }

    static void send(DataOutputStream out, int xid, int procedure, Consumer<XdrWriter> arguments)
            throws IOException {
        byte[] call =
                RpcClient.encode(
                        new int[] {xid, 0, 2, NfsClient.NFS, 3, procedure},
                        Credential.sys(0, 0),
                        arguments);
        out.writeInt(1 << 31 | call.length);
        out.write(call);
    }

    static void report(String what, long count, long ns) {
        System.out.println(String.format(Locale.ROOT, "%-24s %10.0f /s", what, count * 1e9 / ns));
    }
}
