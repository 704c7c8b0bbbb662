package io.cairn.client.session;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.net.PolledLine;
import io.cairn.net.Transport;
import io.cairn.runtime.Attendant;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Polled;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.master.Reply;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls that a thread brings to the leader without the event loop of the connection, when it looks
 * for answers between other work. After any failure the call is sent as any other: a mutation with
 * the same number, so that it is executed once. Thread-safe.
 */
final class DirectCalls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectCalls.class);

    private final MasterChannel channel;
    private final SessionState state;
    private final long timeoutMs;
    private final PolledCalls polled;

    /**
     * No line yet.
     *
     * @param timeoutMs for making a line, and for an answer over it
     * @param leader the connection to the leader, or null while there is none
     */
    DirectCalls(
            MasterChannel channel,
            Transport transport,
            Clock clock,
            long timeoutMs,
            Supplier<@Nullable Connection> leader) {
        this.channel = channel;
        this.state = channel.session();
        this.timeoutMs = timeoutMs;
        this.polled = new PolledCalls(transport, clock, timeoutMs, leader);
    }

    /** The answers to what was begun. */
    Polled polled() {
        return polled;
    }

    /** Whether a call of this thread would be polled. */
    boolean canBegin() {
        return Attendant.isAttending() && polled.line() != null;
    }

    /** The bytes of a call, which has its number then; null when it is not for a line now. */
    private byte @Nullable [] claimed(MasterCall call, int version) {
        if (state.session() == 0 || !channel.claim(call)) {
            return null;
        }
        byte[] frame = call.frame(state.session(), state.ackedUpTo(), version);
        return frame.length > PolledLine.MAX_REQUEST_BYTES ? null : frame;
    }

    /** Collects a call whose answer is polled for; false when it is still to be sent. */
    boolean begin(MasterCall call) {
        PolledLine line = Attendant.isAttending() ? polled.line() : null;
        byte[] frame = line == null ? null : claimed(call, line.version());
        if (line == null || frame == null) {
            return false;
        }
        call.attempts++;
        if (line.call(frame, timeoutMs, new Answered(call, state.greetings()))) {
            return true;
        }
        call.attempts--;
        return false;
    }

    /** Hears of a call that was begun. */
    private final class Answered implements PolledLine.Asker {
        private final MasterCall call;
        private final long greetings;

        Answered(MasterCall call, long greetings) {
            this.call = call;
            this.greetings = greetings;
        }

        @Override
        public void answered(Message reply) {
            if (!isTaken(call, greetings, reply)) {
                channel.send(call);
            }
        }

        @Override
        public void failed(FsException error) {
            LOG.debug("{} over the polled line: {}", call.title(), error.getMessage());
            channel.send(call);
        }
    }

    /** Takes the answer to a call; false when it is to be asked for over the connection. */
    private boolean isTaken(MasterCall call, long greetings, Message answer) {
        Reply reply;
        try {
            reply = call.reply(answer);
        } catch (MalformedMessageException e) {
            channel.fail(call, MasterChannel.malformed(call, e));
            return true;
        }
        if (reply instanceof Reply.Failure f && f.errno() == Errno.NO_SESSION) {
            channel.withoutSession(call);
        } else if (reply instanceof Reply.EntryReply entry && call.opens()) {
            // A new leader, or the same one after a break, may not have heard of this open.
            if (!state.openIf(greetings, entry.inode().ino())) {
                return false;
            }
            channel.complete(call, reply);
        } else {
            channel.succeed(call, reply);
        }
        return true;
    }

    /** The connection was made anew: what else leads there is probably broken. */
    void renew() {
        polled.renew();
    }

    /** Closes all lines; calls in progress fail. Idempotent. */
    @Override
    public void close() {
        polled.leave();
    }
}
