package io.cairn.wire;

/** A message of a family whose types have codes: the code, one byte, and the fields. */
public interface TypedMessage {
    /** The type of the message. */
    MessageType type();

    /** Writes the fields, without the code. */
    void encode(Encoder out);

    /** Writes code and fields. */
    default void write(Encoder out) {
        encode(out.u8(type().code()));
    }

    /** Code and fields, alone in an array, for a reader of this version of the protocol. */
    default byte[] toBytes(int version) {
        Encoder out = Encoder.speaking(version);
        write(out);
        return out.toBytes();
    }
}
