package io.cairn.net;

import io.cairn.cluster.Endpoint;
import io.cairn.net.frame.FrameKind;
import io.cairn.wire.Encoder;
import io.cairn.wire.ProtocolRange;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;

/** A peer that may say anything, over a plain socket. */
public final class RawPeer implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    public RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(20_000);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    public RawPeer(Endpoint to) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), to.port()));
    }

    /** The bytes of a frame. */
    public static byte[] frame(int kind, long requestId, byte[] header, int payloadBytes) {
        return preface(13L + header.length + payloadBytes, kind, requestId, header.length)
                .raw(header, 0, header.length)
                .raw(new byte[payloadBytes], 0, payloadBytes)
                .toBytes();
    }

    /** The bytes before the header, with any lengths. */
    public static Encoder preface(long length, int kind, long requestId, long headerLength) {
        return new Encoder().i32((int) length).u8(kind).i64(requestId).i32((int) headerLength);
    }

    /** The greeting of a side that speaks one version only. */
    public static byte[] hello(long magic, int version) {
        return frame(FrameKind.HELLO.code(), 0, new Encoder().i64(magic).i32(version).toBytes(), 0);
    }

    public static byte[] hello() {
        return hello(0x8943_6169_726e_0d0aL, ProtocolRange.OURS.newest());
    }

    public void say(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** Says it, unless the other side has closed meanwhile. */
    public void trySay(byte[] bytes) throws IOException {
        try {
            say(bytes);
        } catch (SocketException closed) {
            // As expected of the other side.
            return;
        }
    }

    /**
     * Says something and then one zero after the other, on a thread of its own, until the other
     * side closes or the thread is interrupted.
     */
    public Thread trickle(byte[] begin) {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                say(begin);
                                while (true) {
                                    Thread.sleep(20);
                                    say(new byte[] {0});
                                }
                            } catch (IOException | InterruptedException thrownOut) {
                                return;
                            }
                        });
    }

    /** The next frame, from its kind on. */
    ByteBuffer hearFrame() throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        return ByteBuffer.wrap(frame);
    }

    /** The next frame: its kind, and skips the rest. */
    public int hearKind() throws IOException {
        int length = in.readInt();
        int kind = in.readUnsignedByte();
        in.skipNBytes(length - 1);
        return kind;
    }

    /** The kind of the next frame that is no sign of life. */
    int hearAnswer() throws IOException {
        int kind = hearKind();
        while (kind == FrameKind.BEAT.code()) {
            kind = hearKind();
        }
        return kind;
    }

    /** Reads on until the other side closes. */
    public void hearEnd() throws IOException {
        InputStream all = in;
        byte[] waste = new byte[65536];
        try {
            while (all.read(waste) >= 0) {}
        } catch (SocketException reset) {
            return;
        }
    }

    /** Closes with a reset. */
    void abort() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
