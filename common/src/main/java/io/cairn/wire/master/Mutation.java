package io.cairn.wire.master;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.TypedMessage;

/**
 * A request that changes the replicated state. It travels and is logged inside an {@link Envelope},
 * which adds session, sequence number and time, and is executed by the namespace in log order.
 */
public sealed interface Mutation extends TypedMessage
        permits TreeMutation,
                ContentMutation,
                ContentMutation.SharingMutation,
                SessionMutation.Numbered,
                SessionMutation,
                HostMutation,
                LeaderMutation {
    @Override
    MutationType type();

    /** About how many bytes the fields take; the exact number saves a copy. */
    default int expectedBytes() {
        return Encoder.EXPECTED_BYTES;
    }

    /** The mutation itself, without the wish to be told what was before. */
    default Mutation unwrapped() {
        return this;
    }

    /**
     * Whether doing it twice is the same as doing it once, so that it may be sent in a new session
     * although it may have been executed in the old one.
     */
    default boolean isRepeatable() {
        return type().isRepeatable();
    }

    /**
     * What to send in a new session, although it may have been executed in the old one. What it
     * would count twice it counts no more: better too little than too much.
     */
    default Mutation again() {
        return this;
    }

    /** Whether it is refused on the last room of a master's disk. */
    default boolean needsRoom() {
        return type().needsRoom();
    }

    /** Whether only one caller waits for it, who may be interrupted. */
    default boolean isCancellable() {
        return type().isCancellable();
    }

    /** Reads code and fields. */
    static Mutation decode(Decoder in) {
        return decode(in.u8(), in);
    }

    /** Reads the fields of a mutation whose code was read. */
    static Mutation decode(int code, Decoder in) {
        return MutationType.TABLE.require(code).decode(in);
    }
}
