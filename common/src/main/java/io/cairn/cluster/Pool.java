package io.cairn.cluster;

/**
 * A set of placement groups with one redundancy rule. Never changes; when servers join, a younger
 * pool with the same rule takes the new files.
 *
 * @param id number, from 1
 * @param redundancy the rule
 * @param firstGroup number of its first placement group; its groups are numbered consecutively
 * @param groupCount how many groups, from 1
 */
public record Pool(int id, Redundancy redundancy, int firstGroup, int groupCount)
        implements Table.Numbered {
    /** A pool with {@code replicas} copies of every chunk, 1..15. */
    public Pool(int id, int replicas, int firstGroup, int groupCount) {
        this(id, new Redundancy.Copies(replicas), firstGroup, groupCount);
    }

    /** On how many targets there is something of every chunk: members of each group. */
    public int replicas() {
        return switch (redundancy) {
            case Redundancy.Copies copies -> copies.number();
        };
    }
}
