package io.cairn.nfs.rpc;

import io.cairn.net.tcp.ReadBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/**
 * Puts the fragments that a socket delivers together to records (RFC 5531, 11):
 *
 * <pre>
 *  31 30                                    0
 * +--+---------------------------------------+----------------------+
 * |L |  length of the fragment               |  bytes ...           |
 * +--+---------------------------------------+----------------------+
 *  L: last fragment of its record
 * </pre>
 *
 * Every way of cutting a record is legal, so a fragment may have any length, 0 included. The length
 * is checked against the largest record, and admitted by the connection, before anything is
 * allocated for it. When the connection pauses, bytes already read are held until it resumes. Used
 * on the connection's loop only.
 */
final class RecordReader extends ChannelInboundHandlerAdapter implements ReadBuffers.Source {
    private static final int MARK_BYTES = 4;
    private static final int MIN_WINDOW_BYTES = 4096;

    /** Admitted on the word of the peer alone. */
    private static final int FIRST_BYTES = 64 << 10;

    private enum State {
        MARK,
        ADMISSION,
        BODY
    }

    private final RpcConnection connection;
    private final int maxRecordBytes;
    private State state = State.MARK;
    private int mark;
    private int markFill;
    private boolean last;
    private int fragmentLeft;
    private int grantedLeft;
    private int collectedOfFragment;
    private int emptyFragments;
    private int admittedBytes;
    private @Nullable ByteBuf record;
    private @Nullable ByteBuf window;
    private @Nullable ByteBuf held;
    private boolean large;

    RecordReader(RpcConnection connection, int maxRecordBytes) {
        this.connection = connection;
        this.maxRecordBytes = maxRecordBytes;
    }

    /** Whether a record has begun and is not complete. */
    boolean isInsideRecord() {
        return markFill > 0 || record != null;
    }

    @Override
    public boolean isLarge() {
        return large;
    }

    /** The rest of what is granted of the fragment being collected. */
    @Override
    public @Nullable ByteBuf window() {
        ByteBuf collecting = record;
        window = null;
        if (state == State.BODY && collecting != null && grantedLeft >= MIN_WINDOW_BYTES) {
            window = collecting.retainedSlice(collecting.writerIndex(), grantedLeft).setIndex(0, 0);
        }
        return window;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        connection.ended();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        connection.drain();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        connection.failed(cause);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // The window is known by its identity.
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        connection.heard();
        if (!connection.isAlive()) {
            in.release();
        } else if (in == window) {
            window = null;
            filled(in);
            connection.consumed(isInsideRecord());
        } else if (held != null) {
            held = Unpooled.wrappedBuffer(held, in);
        } else {
            consumeOrHold(in);
        }
    }

    /** The socket has read into the record itself. */
    private void filled(ByteBuf in) {
        ByteBuf collecting = record;
        int bytes = in.readableBytes();
        in.release();
        if (collecting != null) {
            collecting.writerIndex(collecting.writerIndex() + bytes);
            took(bytes, collecting);
            if (state == State.ADMISSION) {
                admit();
            }
        }
    }

    /** Goes on with what was held; called when the connection no longer pauses. */
    void resume() {
        ByteBuf in = held;
        held = null;
        consumeOrHold(in == null ? Unpooled.EMPTY_BUFFER : in);
    }

    private void consumeOrHold(ByteBuf in) {
        consume(in);
        connection.consumed(isInsideRecord());
        if (connection.isAlive() && in.isReadable()) {
            held = in;
        } else {
            in.release();
        }
    }

    /** Stops when the bytes are used up, the connection pauses or has ended. */
    private void consume(ByteBuf in) {
        boolean progress = true;
        while (progress && connection.isAlive() && !connection.isPaused()) {
            progress =
                    switch (state) {
                        case MARK -> readMark(in);
                        case ADMISSION -> admit();
                        case BODY -> readBody(in);
                    };
        }
    }

    private boolean readMark(ByteBuf in) {
        while (markFill < MARK_BYTES && in.isReadable()) {
            mark = mark << 8 | in.readUnsignedByte();
            markFill++;
        }
        if (markFill < MARK_BYTES) {
            return false;
        }
        last = mark < 0;
        fragmentLeft = mark & Integer.MAX_VALUE;
        int collected = record == null ? 0 : record.readableBytes();
        if (fragmentLeft > maxRecordBytes - collected) {
            connection.violated("a record of more than " + maxRecordBytes + " bytes");
            return false;
        }
        if (fragmentLeft == 0 && !last && ++emptyFragments > RpcLimits.MAX_EMPTY_FRAGMENTS) {
            connection.violated("too many empty fragments");
            return false;
        }
        state = State.ADMISSION;
        return true;
    }

    /** Reserves memory for the fragment: a little at first, so that a claim alone costs little. */
    private boolean admit() {
        int wanted = collectedOfFragment == 0 ? Math.min(fragmentLeft, FIRST_BYTES) : fragmentLeft;
        if (!connection.admit(wanted)) {
            return false;
        }
        admittedBytes += wanted;
        grantedLeft = wanted;
        ByteBuf collecting = record;
        if (collecting == null) {
            record = connection.allocator().directBuffer(wanted, maxRecordBytes);
        } else {
            collecting.ensureWritable(wanted);
        }
        state = State.BODY;
        return true;
    }

    private boolean readBody(ByteBuf in) {
        ByteBuf collecting = record;
        if (collecting == null) {
            throw new IllegalStateException("no record to collect");
        }
        int count = Math.min(in.readableBytes(), grantedLeft);
        collecting.writeBytes(in, count);
        if (count == 0 && grantedLeft > 0) {
            return false;
        }
        took(count, collecting);
        return true;
    }

    private void took(int bytes, ByteBuf collecting) {
        collectedOfFragment += bytes;
        grantedLeft -= bytes;
        fragmentLeft -= bytes;
        if (fragmentLeft == 0) {
            fragmentEnds(collecting);
        } else if (grantedLeft == 0) {
            state = State.ADMISSION;
        }
    }

    private void fragmentEnds(ByteBuf collected) {
        state = State.MARK;
        mark = 0;
        markFill = 0;
        collectedOfFragment = 0;
        if (!last) {
            return;
        }
        int admitted = admittedBytes;
        large = admitted > ReadBuffers.LARGE_BYTES;
        record = null;
        admittedBytes = 0;
        emptyFragments = 0;
        connection.received(collected, admitted);
    }

    /** Releases what was collected; the connection has ended. Returns the bytes admitted for it. */
    int dispose() {
        if (held != null) {
            held.release();
            held = null;
        }
        if (record != null) {
            record.release();
            record = null;
        }
        int admitted = admittedBytes;
        admittedBytes = 0;
        return admitted;
    }
}
