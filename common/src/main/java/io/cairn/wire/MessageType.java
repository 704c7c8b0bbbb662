package io.cairn.wire;

/** A type of message: a line in the enum of its family. */
public interface MessageType {
    /** The first byte of the encoding, 1..255. Never given to another type. */
    int code();

    /** The name of the constant. */
    String name();
}
