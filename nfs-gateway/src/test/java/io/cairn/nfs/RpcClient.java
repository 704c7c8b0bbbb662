package io.cairn.nfs;

import io.cairn.cluster.Endpoint;
import io.cairn.nfs.rpc.Credential;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Consumer;

/** ONC RPC over one blocking socket. Thread-safe: one call at a time. */
public final class RpcClient implements AutoCloseable {
    private static final int TIMEOUT_MS = 30_000;
    private static final int LAST = 1 << 31;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private int xid = 1000;

    /** An answer: the {@code accept_stat}, or what a denial says, and what follows. */
    public record Answer(int xid, boolean accepted, int status, XdrReader results) {}

    /** Connects. */
    public RpcClient(Endpoint to) {
        try {
            socket = new Socket();
            socket.connect(new InetSocketAddress(to.host(), to.port()), TIMEOUT_MS);
            socket.setSoTimeout(TIMEOUT_MS);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(socket.getOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Calls and waits. */
    public synchronized Answer call(
            int program,
            int version,
            int procedure,
            Credential credential,
            Consumer<XdrWriter> arguments) {
        int id = ++xid;
        send(encode(new int[] {id, 0, 2, program, version, procedure}, credential, arguments));
        Answer answer = receive();
        if (answer.xid != id) {
            throw new AssertionError("the answer of call " + answer.xid + " instead of " + id);
        }
        return answer;
    }

    /** The bytes of a call, without mark. */
    public static byte[] encode(
            int[] header, Credential credential, Consumer<XdrWriter> arguments) {
        ByteBuf buffer = Unpooled.buffer();
        XdrWriter writer = new XdrWriter(buffer);
        for (int field : header) {
            writer.i32(field);
        }
        if (credential.known()) {
            int[] groups = credential.groups();
            writer.i32(1).i32(4 + 8 + 4 + 4 + 4 + 4 * groups.length);
            writer.i32(7).opaque(new byte[] {'t', 'e', 's', 't'});
            writer.i32(credential.uid()).i32(credential.gid()).i32(groups.length);
            for (int group : groups) {
                writer.i32(group);
            }
        } else {
            writer.i32(0).i32(0);
        }
        writer.i32(0).i32(0);
        arguments.accept(writer);
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes);
        return bytes;
    }

    /** Sends one record of one fragment. */
    public void send(byte[] record) {
        ByteBuf bytes = Unpooled.buffer(4 + record.length);
        bytes.writeInt(LAST | record.length).writeBytes(record);
        sendRaw(bytes.array());
    }

    /** Sends bytes as they are. */
    public void sendRaw(byte[] bytes) {
        try {
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next answer. */
    public Answer receive() {
        try {
            ByteBuf record = Unpooled.buffer();
            int mark;
            do {
                mark = in.readInt();
                byte[] fragment = new byte[mark & Integer.MAX_VALUE];
                in.readFully(fragment);
                record.writeBytes(fragment);
            } while (mark >= 0);
            return decode(record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Answer decode(ByteBuf record) {
        XdrReader reader = new XdrReader(record);
        int xid = reader.i32();
        if (reader.i32() != 1) {
            throw new AssertionError("not a reply");
        }
        boolean accepted = reader.i32() == 0;
        if (accepted) {
            reader.i32();
            reader.opaque(400);
        }
        return new Answer(xid, accepted, reader.i32(), reader);
    }

    /** Whether the server ends the connection, within half a minute, without another answer. */
    public boolean isClosedByServer() {
        try {
            in.readByte();
            return false;
        } catch (EOFException e) {
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** Has a small receive buffer, so that the server soon cannot send. */
    public void readNothing() {
        try {
            socket.setReceiveBufferSize(4096);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
