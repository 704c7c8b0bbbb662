package io.cairn.cluster;

/**
 * A storage directory (disk) of a chunk server, as the cluster map knows it.
 *
 * @param id number given by the master, from 1
 * @param identity random number written into the directory when it was formatted; tells it from
 *     others
 * @param serverId the {@link ChunkServer}; 0 when it was replaced, and nobody has it
 * @param start the last start of a process that had it, as the directory knows them; 0 when none is
 *     known
 * @param state what an administrator wants of it
 * @param absentMs for how long at least leaders have seen it gone, in milliseconds; 0 when it is
 *     there. Written now and then, so that a new leader goes on counting
 * @param full whether it is nearly full: what is there goes on being written, and new chunks go to
 *     groups without it, as long as there are any
 */
public record Target(
        int id,
        long identity,
        int serverId,
        long start,
        TargetState state,
        long absentMs,
        boolean full)
        implements Table.Numbered {
    /** One in use of which no start is known. */
    public Target(int id, long identity, int serverId) {
        this(id, identity, serverId, 0, TargetState.IN_USE, 0, false);
    }

    /** The same at a server, or at none (0), after a start. */
    public Target at(int server, long lastStart) {
        return new Target(id, identity, server, lastStart, state, absentMs, full);
    }

    /** The same in another state. */
    public Target in(TargetState wanted) {
        return new Target(id, identity, serverId, start, wanted, absentMs, full);
    }

    /** The same gone for so long. */
    public Target absent(long ms) {
        return new Target(id, identity, serverId, start, state, ms, full);
    }

    /** The same with or without room for new chunks. */
    public Target filled(boolean nearly) {
        return new Target(id, identity, serverId, start, state, absentMs, nearly);
    }

    /** Whether its data moves away. */
    public boolean isDraining() {
        return state == TargetState.DRAINING;
    }
}
