package io.cairn.metadata.diff;

import io.cairn.fs.FileType;
import org.jspecify.annotations.Nullable;

/**
 * A difference between two states of a tree. Paths are relative to its root, without a slash at
 * either end; that of the root is empty.
 *
 * @param path in the later state, or in the earlier one if it was removed
 * @param before where it was, if it was moved
 */
public record PathChange(Kind kind, FileType type, byte[] path, byte @Nullable [] before) {
    /** What happened. */
    public enum Kind {
        /** There was no such name, or it was of something else. */
        ADDED,
        /** The name is gone, or is of something else now. */
        REMOVED,
        /** The contents or attributes differ. */
        CHANGED,
        /** The same inode had another name. */
        MOVED
    }
}
