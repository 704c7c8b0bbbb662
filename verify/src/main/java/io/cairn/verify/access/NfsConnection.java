package io.cairn.verify.access;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls of NFS version 3 and MOUNT over one TCP connection (RFC 1813, RFC 5531), as root. For one
 * thread at a time.
 */
final class NfsConnection implements AutoCloseable {
    static final int NFS = 100003;
    static final int MOUNT = 100005;

    private static final int CONNECT_LIMIT_MS = 5000;
    private static final int ANSWER_LIMIT_MS = 45_000;
    private static final int LAST_FRAGMENT = 1 << 31;
    private static final int MAX_RECORD = 4 << 20;

    private final Socket socket;
    private final DataInputStream in;
    private final AtomicInteger xids;

    /**
     * Connects.
     *
     * @param xids numbers of calls: a server takes a number that it has seen for a repeated call
     */
    NfsConnection(String host, int port, AtomicInteger xids) throws IOException {
        this.xids = xids;
        socket = new Socket();
        socket.connect(new InetSocketAddress(host, port), CONNECT_LIMIT_MS);
        socket.setSoTimeout(ANSWER_LIMIT_MS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    /** Writes the arguments of a call, or the results. */
    @FunctionalInterface
    interface Writer {
        void to(DataOutputStream out) throws IOException;
    }

    /** Bytes with their length, filled up to four. */
    static void opaque(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
        out.write(new byte[-bytes.length & 3]);
    }

    /** The same, read. */
    static byte[] opaque(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_RECORD) {
            throw new IOException("an opaque of " + length + " bytes");
        }
        byte[] bytes = in.readNBytes(length);
        in.skipNBytes(-length & 3);
        return bytes;
    }

    /** Calls and waits; the results, with their status in front. */
    DataInputStream call(int program, int procedure, Writer arguments) throws IOException {
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(record);
        int id = xids.incrementAndGet();
        for (int field : new int[] {0, id, 0, 2, program, 3, procedure}) {
            out.writeInt(field);
        }
        // AUTH_SYS: stamp, no machine name, uid 0, gid 0, no more groups; then no verifier.
        for (int field : new int[] {1, 20, 0, 0, 0, 0, 0, 0, 0}) {
            out.writeInt(field);
        }
        arguments.to(out);
        byte[] bytes = record.toByteArray();
        int mark = LAST_FRAGMENT | bytes.length - 4;
        for (int i = 0; i < 4; i++) {
            bytes[i] = (byte) (mark >>> 24 - 8 * i);
        }
        socket.getOutputStream().write(bytes);
        return answer(id);
    }

    private DataInputStream answer(int id) throws IOException {
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        int mark;
        do {
            mark = in.readInt();
            int length = mark & Integer.MAX_VALUE;
            if (length > MAX_RECORD) {
                throw new IOException("a record of " + length + " bytes");
            }
            byte[] fragment = in.readNBytes(length);
            if (fragment.length < length) {
                throw new IOException("the connection ended");
            }
            record.write(fragment);
        } while (mark >= 0);
        DataInputStream answer =
                new DataInputStream(new ByteArrayInputStream(record.toByteArray()));
        if (answer.readInt() != id || answer.readInt() != 1 || answer.readInt() != 0) {
            throw new IOException("no answer to this call");
        }
        answer.readInt();
        opaque(answer);
        int accepted = answer.readInt();
        if (accepted != 0) {
            throw new IOException("the call was not accepted: " + accepted);
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
