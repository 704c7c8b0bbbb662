package io.cairn.cluster;

import io.cairn.cluster.Policy.Compression;
import org.jspecify.annotations.Nullable;

/**
 * A set of placement groups with one redundancy rule and one kind. Never changes; when servers
 * join, a younger pool with the same rule and kind takes the new files.
 *
 * @param id number, from 1
 * @param redundancy the rule
 * @param firstGroup number of its first placement group; its groups are numbered consecutively
 * @param groupCount how many groups, from 1
 * @param kind what tells it from others with the same rule
 */
public record Pool(int id, Redundancy redundancy, int firstGroup, int groupCount, Kind kind)
        implements Table.Numbered {
    /**
     * What is the same for all chunks of a pool besides their copies.
     *
     * @param compression how chunks are kept that rest; not UNSAID
     * @param labels of the chunk servers that may have copies; not UNSAID
     * @param key number of the key that encrypts the chunks on the disks; 0 = they are not
     *     encrypted
     */
    public record Kind(Compression compression, Labels.Expression labels, int key) {
        /** Name of the one cipher that there is. */
        public static final String CIPHER = "aes-256-xts";

        /** As they were written, on any server. */
        public static final Kind PLAIN = new Kind(Compression.NONE, Labels.Expression.ANY);

        /** Checks. */
        public Kind {
            if (compression == Compression.UNSAID || !labels.isSaid() || key < 0) {
                throw new IllegalArgumentException("a pool says its compression and its labels");
            }
        }

        /** One that is not encrypted. */
        public Kind(Compression compression, Labels.Expression labels) {
            this(compression, labels, 0);
        }

        /** One on any server. */
        public static Kind of(Compression compression) {
            return new Kind(compression, Labels.Expression.ANY);
        }

        /** Name of the cipher for chunks on the disks; null when they are not encrypted. */
        public @Nullable String cipher() {
            return key > 0 ? CIPHER : null;
        }

        /** The same without a compression. */
        public Kind unpacked() {
            return new Kind(Compression.NONE, labels, key);
        }
    }

    /** A pool with {@code replicas} copies of every chunk, 1..15, as they were written. */
    public Pool(int id, int replicas, int firstGroup, int groupCount) {
        this(id, replicas, firstGroup, groupCount, Kind.PLAIN);
    }

    /** A pool with {@code replicas} copies of every chunk, 1..15. */
    public Pool(int id, int replicas, int firstGroup, int groupCount, Kind kind) {
        this(id, new Redundancy.Copies(replicas), firstGroup, groupCount, kind);
    }

    /** How its chunks are kept that rest. */
    public Compression compression() {
        return kind.compression();
    }

    /** Labels of the chunk servers that may have copies. */
    public Labels.Expression labels() {
        return kind.labels();
    }

    /** The same for as many copies as there are: which servers may have which of them. */
    public Labels.Expression copyLabels() {
        return kind.labels().ofCopies(replicas());
    }

    /** Number of the key that encrypts its chunks; 0 = they are not encrypted. */
    public int key() {
        return kind.key();
    }

    /** On how many targets there is something of every chunk: members of each group. */
    public int replicas() {
        return switch (redundancy) {
            case Redundancy.Copies copies -> copies.number();
        };
    }
}
