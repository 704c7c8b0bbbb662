package io.cairn.chunk.store.format;

import java.io.IOException;

/** A directory cannot be used as a target. The message names the file and the remedy. */
public final class TargetException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** Written by a version of Cairn that this one no longer reads. */
        TOO_OLD,
        /** Written by a later version of Cairn. */
        TOO_NEW,
        /** A checksum or a length is wrong. */
        CORRUPT,
        /** Belongs to another cluster or to another program. */
        FOREIGN,
        /** Holds files but was never formatted as a target. */
        NOT_EMPTY,
        /** Open in this or another process. */
        IN_USE,
        /** The disk failed, or the directory cannot be read or written. */
        UNUSABLE
    }

    private final Reason reason;

    public TargetException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public TargetException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }
}
