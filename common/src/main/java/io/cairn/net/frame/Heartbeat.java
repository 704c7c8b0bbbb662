package io.cairn.net.frame;

import io.cairn.net.TimerWheel;

/**
 * Looks after a connection once a second: sends a sign of life when nothing else was sent, and
 * breaks the connection off when the other side is silent, slow to greet, does not finish a frame,
 * or takes nothing. Counts its own turns rather than time, so that a pause of this process does not
 * look like silence of the others. For the owner only.
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

    private final FrameChannel channel;
    private final long beatMs;
    private boolean heard;
    private int greetingTurns;
    private int silentTurns;
    private int frameTurns;
    private int quietTurns;
    private int stalledTurns;
    private long lastFrameCount;
    private long lastSentCount;
    private long lastPending;

    /**
     * Does not look yet.
     *
     * @param beatMs a turn
     */
    Heartbeat(FrameChannel channel, long beatMs) {
        this.channel = channel;
        this.beatMs = beatMs;
    }

    void begin() {
        channel.wheel().arm(this, beatMs);
    }

    void end() {
        channel.wheel().disarm(this);
    }

    /** Bytes arrived. */
    void heard() {
        heard = true;
    }

    @Override
    public void expire() {
        if (!channel.isAlive()) {
            return;
        }
        if (!channel.isGreeted() && ++greetingTurns >= GREETING_TURNS) {
            channel.breakOff("no HELLO within " + text(GREETING_TURNS));
        }
        checkReading();
        checkWriting();
        begin();
    }

    private void checkReading() {
        if (channel.isPaused()) {
            silentTurns = 0;
            frameTurns = 0;
            return;
        }
        silentTurns = heard ? 0 : silentTurns + 1;
        heard = false;
        if (silentTurns >= SILENT_TURNS) {
            channel.breakOff("nothing heard for " + text(SILENT_TURNS));
        }
        boolean sameFrame =
                channel.reader().isInsideFrame() && channel.reader().frameCount() == lastFrameCount;
        frameTurns = sameFrame ? frameTurns + 1 : 0;
        lastFrameCount = channel.reader().frameCount();
        if (frameTurns >= FRAME_TURNS) {
            channel.breakOff("a frame was not complete after " + text(FRAME_TURNS));
        }
    }

    private void checkWriting() {
        Outbox outbox = channel.outbox();
        long pending = channel.unsentBytes();
        boolean sent = outbox.sentCount() != lastSentCount;
        lastSentCount = outbox.sentCount();
        stalledTurns = pending > 0 && pending == lastPending && !sent ? stalledTurns + 1 : 0;
        lastPending = pending;
        if (stalledTurns >= STALLED_TURNS) {
            channel.breakOff("it took nothing for " + text(STALLED_TURNS));
        }
        quietTurns = sent ? 0 : quietTurns + 1;
        if (quietTurns >= QUIET_TURNS && pending == 0) {
            quietTurns = 0;
            outbox.add(Frame.beat());
        }
    }

    private String text(int turns) {
        return turns * beatMs / 1000.0 + " s";
    }
}
