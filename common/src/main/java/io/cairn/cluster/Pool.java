package io.cairn.cluster;

import io.cairn.cluster.Policy.Compression;

/**
 * A set of placement groups with one redundancy rule and one compression. Never changes; when
 * servers join, a younger pool with the same rule takes the new files.
 *
 * @param id number, from 1
 * @param redundancy the rule
 * @param firstGroup number of its first placement group; its groups are numbered consecutively
 * @param groupCount how many groups, from 1
 * @param compression how its chunks are kept that rest; not UNSAID
 */
public record Pool(
        int id, Redundancy redundancy, int firstGroup, int groupCount, Compression compression)
        implements Table.Numbered {
    /** Checks. */
    public Pool {
        if (compression == Compression.UNSAID) {
            throw new IllegalArgumentException("pool " + id + " does not say its compression");
        }
    }

    /** A pool with {@code replicas} copies of every chunk, 1..15, as they were written. */
    public Pool(int id, int replicas, int firstGroup, int groupCount) {
        this(id, replicas, firstGroup, groupCount, Compression.NONE);
    }

    /** A pool with {@code replicas} copies of every chunk, 1..15. */
    public Pool(int id, int replicas, int firstGroup, int groupCount, Compression compression) {
        this(id, new Redundancy.Copies(replicas), firstGroup, groupCount, compression);
    }

    /** On how many targets there is something of every chunk: members of each group. */
    public int replicas() {
        return switch (redundancy) {
            case Redundancy.Copies copies -> copies.number();
        };
    }
}
