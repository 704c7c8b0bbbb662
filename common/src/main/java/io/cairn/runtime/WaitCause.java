package io.cairn.runtime;

import java.util.Locale;

/** What the work of a {@link PendingRequest} waits for. */
public enum WaitCause {
    /** An answer of the leading master. */
    MASTER,

    /** An answer of chunk servers. */
    CHUNKS,

    /** Room in the buffers of what is written and not yet on chunk servers. */
    BUFFERS,

    /** Other work of the same client on the same file. */
    OTHERS;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** In lower case. */
    public String word() {
        return word;
    }
}
