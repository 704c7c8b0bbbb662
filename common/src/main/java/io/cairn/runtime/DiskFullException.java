package io.cairn.runtime;

import java.io.IOException;
import java.nio.file.Path;

/** A disk has no room for what was to be written (ENOSPC, or EDQUOT of the disk's own quota). */
public final class DiskFullException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Names the file that was to grow. */
    public DiskFullException(Path path) {
        super(path + ": No space left on device");
    }

    /** Whether an error comes of a full disk, at first or second hand. */
    public static boolean isBehind(IOException error) {
        return error instanceof DiskFullException || error.getCause() instanceof DiskFullException;
    }
}
