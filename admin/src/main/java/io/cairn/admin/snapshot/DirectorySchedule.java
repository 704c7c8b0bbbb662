package io.cairn.admin.snapshot;

import org.jspecify.annotations.Nullable;

/**
 * The snapshots that are taken of a directory.
 *
 * @param root the directory
 * @param directory its path
 * @param counts how many are kept
 * @param version of its record; 0 when it has none of its own
 * @param className the class that says it; null when it is set for this directory itself
 */
record DirectorySchedule(
        long root,
        String directory,
        SnapshotCounts counts,
        long version,
        @Nullable String className) {
    /** One that is set for the directory itself. */
    DirectorySchedule(long root, String directory, SnapshotCounts counts, long version) {
        this(root, directory, counts, version, null);
    }
}
