package io.cairn.runtime;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A filesystem takes no changes (EROFS): Linux remounts one so whose disk has failed. */
public final class ReadOnlyDiskException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Names the file that was to change. */
    public ReadOnlyDiskException(Path path) {
        super(path + ": Read-only file system");
    }

    /** Whether an error comes of such a filesystem, at whatever hand. */
    public static boolean isBehind(@Nullable Throwable error) {
        for (Throwable at = error; at != null; at = at.getCause()) {
            if (at instanceof ReadOnlyDiskException) {
                return true;
            }
        }
        return false;
    }
}
