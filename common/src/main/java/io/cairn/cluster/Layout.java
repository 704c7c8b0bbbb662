package io.cairn.cluster;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Where the contents of a file live: the way its chunks spread over the placement groups, and which
 * data object in which pool holds which chunk.
 *
 * @param chunkSizeLog2 16..26: chunks of 64 KiB..64 MiB
 * @param stripeWidth placement groups used in turn; 0 = all of a pool
 * @param seed decides where the stripe starts; the same for all runs, so that a chunk keeps its
 *     group as long as it stays in its pool
 * @param runs in order of their first chunk, the first one starting at 0; never empty
 * @param renewedOid the youngest object whose bytes beyond the end of the file were given up
 *     although no client had truncated it, 0 when none. A writer that has not heard of it in time
 *     has lost the bytes that it put there
 */
public record Layout(
        int chunkSizeLog2, int stripeWidth, long seed, List<Run> runs, long renewedOid) {
    /** Chunk size when the directory says nothing: 4 MiB. */
    public static final int STANDARD_CHUNK_SIZE_LOG2 = 22;

    /** Smallest and largest chunk size exponent. */
    public static final int MIN_CHUNK_SIZE_LOG2 = 16;

    public static final int MAX_CHUNK_SIZE_LOG2 = 26;

    /**
     * A file with more objects, because it was truncated in so many places, is made whole, by a
     * copy, before the next time.
     */
    public static final int MAX_OBJECTS = 1024;

    /**
     * Runs that there may be behind a change of chunks that a snapshot has. So a file of as many
     * chunks can always be changed, whichever were changed before; one message holds them.
     */
    public static final int MAX_RUNS = 1 << 16;

    /**
     * From {@code firstChunk} up to the next run the chunks are stored under {@code oid} in a pool.
     *
     * <p>When {@code sourceOid} is not 0, the chunk {@code firstChunk} (only that one) still has to
     * be cloned: its first {@code sourceLengthBytes} bytes are those of the same chunk index under
     * {@code sourceOid}, the rest is zeros. Readers read the source up to that length; writers ask
     * the head of the group to clone first (CLONE does nothing when the chunk exists). The source
     * is in the same pool.
     *
     * <p>A length without a source is left where the clone of chunk 0 was made: the file was cut
     * inside of it, so that nobody knows how many bytes of it are in use.
     *
     * @param poolId the pool; 0 while no pool exists (nothing can be stored yet)
     * @param detour 0 when its chunks are where the layout says. Else groups of the pool had no
     *     serving member when the run began, and bit i tells whether the i-th group from the start
     *     of the stripe on is used; the rest of the pool is not
     */
    public record Run(
            long firstChunk,
            int poolId,
            long oid,
            long sourceOid,
            long sourceLengthBytes,
            long detour) {
        /** A run without a clone to make, where the layout says. */
        public static Run of(long firstChunk, int poolId, long oid) {
            return new Run(firstChunk, poolId, oid, 0, 0, 0);
        }

        /** A run without a clone to make in the groups of this one. */
        public Run beside(long chunk, long otherOid) {
            return new Run(chunk, poolId, otherOid, 0, 0, detour);
        }

        /** The same with a clone to make. */
        public Run cloning(long fromOid, long lengthBytes) {
            return new Run(firstChunk, poolId, oid, fromOid, lengthBytes, detour);
        }

        /** The same with the clone made of a chunk of a size in bytes. */
        private Run cloned(long chunkSizeBytes) {
            boolean wasCut = firstChunk == 0 && sourceLengthBytes < chunkSizeBytes;
            return new Run(firstChunk, poolId, oid, 0, wasCut ? sourceLengthBytes : 0, detour);
        }

        /** The same in certain groups. */
        public Run withDetour(long groups) {
            return new Run(firstChunk, poolId, oid, sourceOid, sourceLengthBytes, groups);
        }

        /** Whether a chunk of both would be in the same group. */
        public boolean sharesGroups(Run other) {
            return poolId == other.poolId && detour == other.detour;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Run run
                    && firstChunk == run.firstChunk
                    && poolId == run.poolId
                    && oid == run.oid
                    && sourceOid == run.sourceOid
                    && sourceLengthBytes == run.sourceLengthBytes
                    && detour == run.detour;
        }

        @Override
        public int hashCode() {
            return 31 * Long.hashCode(firstChunk) + Long.hashCode(oid);
        }
    }

    /** Keeps its own copy of the runs. */
    public Layout {
        runs = List.copyOf(runs);
    }

    /** A layout of which no part was ever renewed. */
    public Layout(int chunkSizeLog2, int stripeWidth, long seed, List<Run> runs) {
        this(chunkSizeLog2, stripeWidth, seed, runs, 0);
    }

    /**
     * Written out, as is that of a run: clients compare a layout with every answer of a master, and
     * what the language would make is a tree of method handles, slow until C2 has compiled it.
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof Layout layout
                && chunkSizeLog2 == layout.chunkSizeLog2
                && stripeWidth == layout.stripeWidth
                && seed == layout.seed
                && renewedOid == layout.renewedOid
                && runs.equals(layout.runs);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(seed) + runs.hashCode();
    }

    /** The chunk size in bytes. */
    public long chunkSizeBytes() {
        return 1L << chunkSizeLog2;
    }

    /** The chunk that holds a byte of the file. */
    public long chunkOf(long offsetBytes) {
        return offsetBytes >>> chunkSizeLog2;
    }

    /** The first chunk without a byte of a file of a length. */
    public long chunkBehind(long sizeBytes) {
        return sizeBytes == 0 ? 0 : chunkOf(sizeBytes - 1) + 1;
    }

    /** The run that holds a chunk. */
    public Run runOf(long chunkIndex) {
        return runs.get(placeOf(runs, chunkIndex));
    }

    /** The place of the run that holds a chunk, in runs that are ordered as those of a layout. */
    public static int placeOf(List<Run> runs, long chunkIndex) {
        int low = 0;
        int high = runs.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (runs.get(middle).firstChunk() <= chunkIndex) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** How many objects its runs are of. */
    public int objectCount() {
        if (runs.size() == 1) {
            return 1;
        }
        Set<Long> oids = new HashSet<>();
        runs.forEach(run -> oids.add(run.oid()));
        return oids.size();
    }

    /**
     * Whether the file was never cut to a part of its length, as far as can be told from where its
     * chunks are: false in doubt.
     */
    public boolean isWhole() {
        Run first = runs.get(0);
        return runs.size() == 1
                && renewedOid == 0
                && first.sourceOid() == 0
                && first.sourceLengthBytes() == 0;
    }

    /** Whether there is a pool for what comes next. */
    public boolean hasPool() {
        return lastRun().poolId() != 0;
    }

    /** The pools in which it has runs, in the order of their numbers. */
    public Set<Integer> pools() {
        if (runs.size() == 1) {
            return hasPool() ? Set.of(lastRun().poolId()) : Set.of();
        }
        Set<Integer> pools = new TreeSet<>();
        runs.forEach(run -> pools.add(run.poolId()));
        pools.remove(0);
        return pools;
    }

    /** Whether an object has a chunk of the contents, or the source of one still to be cloned. */
    public boolean refersTo(long oid, long chunkIndex) {
        Run run = runOf(chunkIndex);
        return run.oid() == oid || run.sourceOid() == oid;
    }

    /** The object of the last run: changes whenever the file was truncated. */
    public long lastOid() {
        return lastRun().oid();
    }

    /**
     * The oldest object with anything beyond the end of a file of a length. That is the last one,
     * but for a detour that begins behind the chunk of the end. Chunks that were renewed because of
     * a snapshot are younger than the last one.
     */
    public long oidAtEnd(long sizeBytes) {
        long endChunk = chunkOf(sizeBytes);
        long oldest = lastOid();
        for (int i = runs.size() - 1; i >= 0; i--) {
            oldest = Math.min(oldest, runs.get(i).oid());
            if (runs.get(i).firstChunk() <= endChunk) {
                break;
            }
        }
        return oldest;
    }

    /** The last run: it holds every chunk beyond the end of the file. */
    public Run lastRun() {
        return runs.get(runs.size() - 1);
    }

    /** The same with other runs. */
    public Layout withRuns(List<Run> newRuns) {
        return new Layout(chunkSizeLog2, stripeWidth, seed, newRuns, renewedOid);
    }

    /** The same with other runs, which give up what the last object holds beyond the end. */
    public Layout withRenewed(List<Run> newRuns) {
        return new Layout(chunkSizeLog2, stripeWidth, seed, newRuns, lastOid());
    }

    /** Whether a chunk still has to be cloned, to this object. */
    public boolean isPending(long chunkIndex, long oid) {
        Run run = runOf(chunkIndex);
        return run.sourceOid() != 0 && run.firstChunk() == chunkIndex && run.oid() == oid;
    }

    /** The same with the clones of chunks done, each to the object beside it. */
    public Layout withCloned(long[] chunks, long[] oids) {
        List<Run> done = new ArrayList<>(runs);
        for (int i = 0; i < chunks.length; i++) {
            if (isPending(chunks[i], oids[i])) {
                done.set(placeOf(runs, chunks[i]), runOf(chunks[i]).cloned(chunkSizeBytes()));
            }
        }
        return withRuns(joined(done));
    }

    /** Runs with those made one that continue each other. */
    public static List<Run> joined(List<Run> parts) {
        List<Run> joined = new ArrayList<>(parts.size());
        for (Run run : parts) {
            boolean continues =
                    !joined.isEmpty()
                            && run.sourceOid() == 0
                            && joined.getLast().oid() == run.oid()
                            && joined.getLast().sharesGroups(run);
            if (!continues) {
                joined.add(run);
            }
        }
        return joined;
    }
}
