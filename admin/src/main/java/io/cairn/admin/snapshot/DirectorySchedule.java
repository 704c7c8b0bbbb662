package io.cairn.admin.snapshot;

/**
 * The snapshots that are taken of a directory.
 *
 * @param root the directory
 * @param directory its path
 * @param counts how many are kept
 * @param version of its record
 */
record DirectorySchedule(long root, String directory, SnapshotCounts counts, long version) {}
