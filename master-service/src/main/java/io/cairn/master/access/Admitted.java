package io.cairn.master.access;

import io.cairn.metadata.Outcome;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Reply;
import org.jspecify.annotations.Nullable;

/**
 * A mutation that was judged.
 *
 * @param bytes with its envelope, as it may be done
 * @param offset where the envelope begins; it goes to the end
 * @param refusal instead; null when it may be done
 * @param visit that judged it; null when there are no rules, or it is refused
 */
public record Admitted(byte[] bytes, int offset, @Nullable Reply refusal, @Nullable Visit visit) {
    /** Without rules, or refused. */
    public Admitted(byte[] bytes, int offset, @Nullable Reply refusal) {
        this(bytes, offset, refusal, null);
    }

    /** What is told of its outcome: no contents that the users of the mount may not read. */
    public Outcome told(Outcome outcome) {
        Envelope envelope = outcome.envelope();
        if (visit == null || envelope == null || !visit.isMapped()) {
            return outcome;
        }
        Reply reply = visit.told(outcome.reply());
        return new Outcome(envelope, reply, reply.toBytes(envelope.version()));
    }
}
