package io.cairn.master;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.metadata.Namespace;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Reply;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is refused on the last room of a master's disk. Thread-safe. */
final class RoomCheck {
    private final ReplicatedLog log;
    private final Supplier<Namespace> namespace;

    RoomCheck(ReplicatedLog log, Supplier<Namespace> namespace) {
        this.log = log;
        this.namespace = namespace;
    }

    /**
     * The refusal of a mutation; null when it is taken.
     *
     * @param frame with the envelope from {@code offset} to its end
     * @throws FsException NOT_READY when a master with room is about to lead
     */
    @Nullable Reply refusal(byte[] frame, int offset) {
        long session = Envelope.sessionOf(frame, offset);
        if (!log.isShortOfRoom()
                || namespace.get().hasReply(session, Envelope.sequenceOf(frame, offset))) {
            return null;
        }
        Decoder in = new Decoder(frame, offset, frame.length - offset);
        if (!Envelope.decode(in).mutation().needsRoom()) {
            return null;
        }
        if (log.isGivingWay()) {
            throw new FsException(Errno.NOT_READY, "another master is about to lead");
        }
        return new Reply.Failure(Errno.ENOSPC, "the disk of the leading master is full");
    }
}
