package io.cairn.wire;

/** Bytes that are not a message of this protocol. The connection they came from is closed. */
public final class MalformedMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says what was wrong and where. */
    public MalformedMessageException(String message) {
        super(message, null, false, false);
    }
}
