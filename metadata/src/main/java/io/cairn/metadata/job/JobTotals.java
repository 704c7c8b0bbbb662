package io.cairn.metadata.job;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The counts of a tree job so far. Grows while a step runs, in the hands of the apply thread; what
 * others see never changes.
 */
public final class JobTotals {
    /** The counters. A code is the place in the record. */
    public enum Count implements Coded {
        /** Names gone through, the root of the tree included. */
        NAMES(0),
        /** Names found so far, in directories that were entered; those gone through included. */
        FOUND(1),
        /** Regular files, each once. */
        FILES(2),
        /** Directories. */
        DIRECTORIES(3),
        /** Everything else. */
        OTHERS(4),
        /** Inodes changed, or names removed. */
        CHANGED(5),
        /** Names at which something failed. */
        ERRORS(6),
        /** Lengths of the files, in bytes. */
        SIZE_BYTES(7),
        /** The size of one copy of the contents, in bytes. */
        ALLOCATED_BYTES(8),
        /** The size of all copies of the contents, in bytes. */
        STORED_BYTES(9),
        /** Files whose contents are not laid out as their new policy asks. */
        MISPLACED_FILES(10),
        /** The size of one copy of their contents, in bytes. */
        MISPLACED_BYTES(11),
        /** Further names of files that were counted under another name. */
        LINKS(12),
        /** Inodes with several names that are remembered, so as to be counted once. */
        REMEMBERED(13);

        /** All by their codes. */
        public static final CodeTable<Count> CODES = new CodeTable<>(values());

        private final int code;

        Count(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    /**
     * Files with one number of copies.
     *
     * @param files how many
     * @param sizeBytes their lengths
     * @param allocatedBytes what one copy takes
     */
    public record Share(long files, long sizeBytes, long allocatedBytes) {
        private Share plus(Share other) {
            return new Share(
                    files + other.files,
                    sizeBytes + other.sizeBytes,
                    allocatedBytes + other.allocatedBytes);
        }
    }

    private static final int NUMBER = Count.values().length;

    private final long[] counts;
    private final SortedMap<Integer, Share> shares;

    private JobTotals(long[] counts, SortedMap<Integer, Share> shares) {
        this.counts = counts;
        this.shares = shares;
    }

    /** Nothing counted. */
    static JobTotals none() {
        return new JobTotals(new long[NUMBER], new TreeMap<>());
    }

    JobTotals copy() {
        return new JobTotals(counts.clone(), new TreeMap<>(shares));
    }

    /** A counter. */
    public long get(Count count) {
        return counts[count.code()];
    }

    void add(Count count, long number) {
        counts[count.code()] += number;
    }

    /**
     * The files by the number of copies that their contents have; 0 stands for contents that live
     * with the names, in the masters.
     */
    public Map<Integer, Share> shares() {
        return Map.copyOf(shares);
    }

    void addShare(int replicas, long sizeBytes, long allocatedBytes) {
        shares.merge(replicas, new Share(1, sizeBytes, allocatedBytes), Share::plus);
    }

    void encode(Encoder out) {
        out.longs(counts).i32(shares.size());
        shares.forEach(
                (replicas, share) ->
                        out.i32(replicas)
                                .i64(share.files)
                                .i64(share.sizeBytes)
                                .i64(share.allocatedBytes));
    }

    static JobTotals decode(Decoder in) {
        long[] counts = Arrays.copyOf(in.longs(), NUMBER);
        SortedMap<Integer, Share> shares = new TreeMap<>();
        for (int left = in.i32(); left > 0; left--) {
            int replicas = in.i32();
            shares.merge(replicas, new Share(in.i64(), in.i64(), in.i64()), Share::plus);
        }
        return new JobTotals(counts, shares);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof JobTotals t
                && Arrays.equals(counts, t.counts)
                && shares.equals(t.shares);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(counts);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Count count : Count.values()) {
            text.append(count).append('=').append(get(count)).append(' ');
        }
        return text.append(shares).toString();
    }
}
