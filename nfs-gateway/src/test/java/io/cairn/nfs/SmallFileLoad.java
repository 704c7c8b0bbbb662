package io.cairn.nfs;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.nfs.NfsClient.Handle;
import io.cairn.nfs.rpc.XdrWriter;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Makes files of 4 KiB: CREATE, WRITE unstable, COMMIT, one after the other for each file, so many
 * files at a time over one connection. The identity of a call tells the lane and the step.
 */
final class SmallFileLoad implements AutoCloseable {
    private static final int FILE_BYTES = 4096;
    private static final int STEPS = 3;
    private static final int TIMEOUT_MS = 60_000;

    /** Offset in a reply of the NFS status: xid, type, state, verifier of 8, accept state. */
    private static final int STATUS_AT = 24;

    private final Socket socket;
    private final DataOutputStream out;
    private final DataInputStream in;
    private final Handle directory;
    private final byte[][] handles;
    private final byte[] contents = new byte[FILE_BYTES];
    private final byte[] reply = new byte[65_536];
    private int names;

    SmallFileLoad(Endpoint server, Handle directory, int lanes) throws IOException {
        this.socket = new Socket(server.host(), server.port());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MS);
        this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 65_536));
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 65_536));
        this.directory = directory;
        this.handles = new byte[lanes][];
    }

    /** Works until the end, in nanoTime; the files finished after the warm-up. */
    long run(long warmNs, long endNs) throws IOException {
        for (int lane = 0; lane < handles.length; lane++) {
            create(lane);
        }
        out.flush();
        long finished = 0;
        int busy = handles.length;
        while (busy > 0) {
            int length = in.readInt() & Integer.MAX_VALUE;
            in.readFully(reply, 0, length);
            ByteBuffer answer = ByteBuffer.wrap(reply, 0, length);
            if (length < STATUS_AT + 4 || answer.getInt(STATUS_AT) != 0) {
                throw new IOException("call refused: " + answer.getInt(STATUS_AT));
            }
            int lane = answer.getInt(0) / STEPS;
            int step = answer.getInt(0) % STEPS;
            if (step == 0) {
                write(lane, answer.position(STATUS_AT + 4));
            } else if (step == 1) {
                commit(lane);
            } else {
                long now = System.nanoTime();
                finished += now > warmNs && now <= endNs ? 1 : 0;
                if (now < endNs) {
                    create(lane);
                } else {
                    busy--;
                }
            }
            if (in.available() == 0) {
                out.flush();
            }
        }
        return finished;
    }

    private void call(int lane, int step, int procedure, Consumer<XdrWriter> arguments)
            throws IOException {
        NfsLoad.send(out, lane * STEPS + step, procedure, arguments);
    }

    private void create(int lane) throws IOException {
        byte[] name = ("s-" + names++).getBytes(StandardCharsets.US_ASCII);
        call(
                lane,
                0,
                NfsClient.CREATE,
                args -> {
                    args.opaque(directory.bytes()).opaque(name).i32(1);
                    NfsCodec.change(args, AttributeChange.NONE.withMode(0644));
                });
    }

    private void write(int lane, ByteBuffer created) throws IOException {
        if (created.getInt() != 1) {
            throw new IOException("CREATE without a handle");
        }
        byte[] handle = new byte[created.getInt()];
        created.get(handle);
        handles[lane] = handle;
        call(
                lane,
                1,
                NfsClient.WRITE,
                args -> args.opaque(handle).i64(0).i32(FILE_BYTES).i32(0).opaque(contents));
    }

    private void commit(int lane) throws IOException {
        call(lane, 2, NfsClient.COMMIT, args -> args.opaque(handles[lane]).i64(0).i32(0));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
