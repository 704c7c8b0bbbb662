package io.cairn.fs;

/**
 * The answer to {@code statfs}: honest numbers of the room for a writer at the default redundancy.
 *
 * @param totalBytes capacity
 * @param freeBytes capacity not used
 * @param availableBytes what unprivileged writers may still use
 * @param inodes inodes in use
 * @param freeInodes inodes that may still be made
 */
public record Usage(
        long totalBytes, long freeBytes, long availableBytes, long inodes, long freeInodes) {}
