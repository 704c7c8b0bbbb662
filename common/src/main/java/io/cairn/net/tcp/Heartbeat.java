package io.cairn.net.tcp;

import io.cairn.net.PolledLine;
import io.cairn.net.TimerWheel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;

/**
 * Looks after a connection once a second: sends a sign of life when nothing else was sent, and
 * breaks the connection off when the other side is silent, slow to greet, does not finish a frame,
 * or takes nothing. Counts its own turns rather than time, so that a pause of this process does not
 * look like silence of the others. On the event loop only.
 */
final class Heartbeat extends TimerWheel.Entry {
    /** Turns without a frame sent, after which a BEAT is. */
    static final int QUIET_TURNS = 3;

    /** Turns in which the peer has to say HELLO. */
    static final int GREETING_TURNS = 10;

    /** Turns in which nothing is heard, though this side reads, of a peer that is gone. */
    static final int SILENT_TURNS = 10;

    /** Turns in which a frame that has begun has to be complete. */
    static final int FRAME_TURNS = 30;

    /** Turns in which a peer may take nothing of what is sent to it. */
    static final int STALLED_TURNS = 60;

    private static final int KEEP_IDLE_S = 30;
    private static final int KEEP_INTERVAL_S = 10;
    private static final int KEEP_COUNT = 3;

    private final NettyConnection connection;
    private final TransportContext context;
    private final Channel channel;
    private final FrameReader reader;
    private final Outbox outbox;

    private boolean heard;
    private boolean leftToTcp;
    private int greetingTurns;
    private int silentTurns;
    private int frameTurns;
    private int quietTurns;
    private int stalledTurns;
    private long lastFrameCount;
    private long lastSentCount;
    private long lastPending;

    public Heartbeat(
            NettyConnection connection,
            TransportContext context,
            Channel channel,
            FrameReader reader,
            Outbox outbox) {
        this.connection = connection;
        this.context = context;
        this.channel = channel;
        this.reader = reader;
        this.outbox = outbox;
    }

    public void begin() {
        connection.wheel().arm(this, context.beatMs());
    }

    public void end() {
        connection.wheel().disarm(this);
    }

    /** The other side is a {@link PolledLine}: only TCP tells whether it is still there. */
    void leaveToTcp() {
        leftToTcp = true;
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        if (channel instanceof EpollSocketChannel socket) {
            socket.config().setTcpKeepIdle(KEEP_IDLE_S);
            socket.config().setTcpKeepIntvl(KEEP_INTERVAL_S);
            socket.config().setTcpKeepCnt(KEEP_COUNT);
        }
    }

    /** Bytes arrived. */
    void heard() {
        heard = true;
    }

    @Override
    public void expire() {
        if (!connection.isAlive()) {
            return;
        }
        if (!connection.isGreeted() && ++greetingTurns >= GREETING_TURNS) {
            connection.breakOff("no HELLO within " + text(GREETING_TURNS));
        }
        checkReading();
        checkWriting();
        begin();
    }

    private void checkReading() {
        if (connection.isPaused()) {
            silentTurns = 0;
            frameTurns = 0;
            return;
        }
        silentTurns = heard || leftToTcp ? 0 : silentTurns + 1;
        heard = false;
        if (silentTurns >= SILENT_TURNS) {
            connection.breakOff("nothing heard for " + text(SILENT_TURNS));
        }
        boolean sameFrame = reader.isInsideFrame() && reader.frameCount() == lastFrameCount;
        frameTurns = sameFrame ? frameTurns + 1 : 0;
        lastFrameCount = reader.frameCount();
        if (frameTurns >= FRAME_TURNS) {
            connection.breakOff("a frame was not complete after " + text(FRAME_TURNS));
        }
    }

    private void checkWriting() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        long pending = buffer == null ? 0 : buffer.totalPendingWriteBytes();
        boolean sent = outbox.sentCount() != lastSentCount;
        lastSentCount = outbox.sentCount();
        stalledTurns = pending > 0 && pending == lastPending && !sent ? stalledTurns + 1 : 0;
        lastPending = pending;
        if (stalledTurns >= STALLED_TURNS) {
            connection.breakOff("it took nothing for " + text(STALLED_TURNS));
        }
        quietTurns = sent ? 0 : quietTurns + 1;
        if (quietTurns >= QUIET_TURNS && pending == 0 && !leftToTcp) {
            quietTurns = 0;
            outbox.add(Frame.beat());
        }
    }

    private String text(int turns) {
        return turns * context.beatMs() / 1000.0 + " s";
    }
}
