package io.cairn.wire.master;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/**
 * The work of a chunk server with one of its targets since it opened it. All are sums that only
 * grow; a process that starts anew counts from 0.
 *
 * @param countedMs for how long it has counted
 * @param servedBytes what clients have read, in whole blocks
 * @param takenBytes what clients have written here, as the head: each byte counts at one target
 * @param readBytes what was read from the disk, for clients and other servers
 * @param writtenBytes what was written to the disk: all copies, and what was brought up to date
 * @param reads how many reads that were
 * @param writes how many writes that were
 * @param syncs how many blobs were made durable
 * @param readNs how long the reads took, added up
 * @param writeNs how long the writes took, added up
 * @param syncNs how long making durable took, added up
 * @param errors failed reads, writes and syncs of the disk, and blobs found damaged
 * @param errorAgoMs how long ago the last error was; negative without any
 */
public record TargetLoad(
        long countedMs,
        long servedBytes,
        long takenBytes,
        long readBytes,
        long writtenBytes,
        long reads,
        long writes,
        long syncs,
        long readNs,
        long writeNs,
        long syncNs,
        long errors,
        long errorAgoMs) {
    /** Of a target that has done nothing yet, or of which nothing is known. */
    public static final TargetLoad NONE = new TargetLoad(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1);

    void encode(Encoder out) {
        out.i64(countedMs).i64(servedBytes).i64(takenBytes).i64(readBytes).i64(writtenBytes);
        out.i64(reads).i64(writes).i64(syncs).i64(readNs).i64(writeNs).i64(syncNs);
        out.i64(errors).i64(errorAgoMs);
    }

    static TargetLoad decode(Decoder in) {
        return new TargetLoad(
                in.i64(), in.i64(), in.i64(), in.i64(), in.i64(), in.i64(), in.i64(), in.i64(),
                in.i64(), in.i64(), in.i64(), in.i64(), in.i64());
    }
}
