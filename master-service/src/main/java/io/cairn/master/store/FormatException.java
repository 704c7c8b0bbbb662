package io.cairn.master.store;

import java.io.IOException;

/** A directory that this master must not use; the message names the file and the remedy. */
public final class FormatException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The fault. */
    public enum Fault {
        /** Written by a version that this one can no longer read. */
        TOO_OLD,
        /** Written by a newer version. */
        TOO_NEW,
        /** Damaged. */
        CORRUPT,
        /** Belongs to another master, another cluster, or is no master's directory at all. */
        FOREIGN
    }

    private final Fault fault;

    FormatException(Fault fault, String message) {
        super(message);
        this.fault = fault;
    }

    /** The fault. */
    public Fault fault() {
        return fault;
    }
}
