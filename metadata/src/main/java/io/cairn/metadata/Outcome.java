package io.cairn.metadata;

import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Reply;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an envelope, as the master knows it that applied it: no one there has to decode
 * the request, nor the reply.
 *
 * @param envelope what was asked; null when the bytes are no envelope, or one that not all masters
 *     can read
 * @param reply the answer
 * @param bytes the answer as it is sent, in the version of the envelope
 */
public record Outcome(@Nullable Envelope envelope, Reply reply, byte[] bytes) {
    static Outcome of(Envelope envelope, Reply reply) {
        return new Outcome(envelope, reply, reply.toBytes(envelope.version()));
    }
}
