package io.cairn.chunk.store.seal;

import java.io.IOException;

/** An encrypted file cannot be opened: its key is not there, is not the right one, or is gone. */
public final class SealException extends IOException {
    private static final long serialVersionUID = 1;

    private final boolean isFinal;

    SealException(String message) {
        this(message, false);
    }

    SealException(String message, boolean isFinal) {
        super(message);
        this.isFinal = isFinal;
    }

    /** Whether the key was dropped: nothing ever opens the file again. */
    public boolean isFinal() {
        return isFinal;
    }
}
