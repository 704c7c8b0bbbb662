package io.cairn.master.cluster;

/**
 * Space of all disks, as the chunk servers told it last; a disk counts once, however many targets
 * are on it.
 *
 * @param totalBytes of all disks, less what servers hold back
 * @param freeBytes of disks whose servers answer
 * @param replicas copies that a file gets where no policy says otherwise
 */
public record Space(long totalBytes, long freeBytes, int replicas) {}
