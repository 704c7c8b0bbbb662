package io.cairn.cluster;

/**
 * A chunk server of the cluster map.
 *
 * @param id number given by the master, from 1
 * @param name the operator's name ({@code --id}), unique
 * @param endpoint where it listens
 * @param incarnation random number of the process start that the map knows: another one means that
 *     the process was restarted and has forgotten what it knew
 * @param bootId which start of its machine the map knows: another one beside another incarnation
 *     means that what was not flushed may be lost; 0 when it is not known
 * @param labels where it stands: as it was started with, else as an administrator says
 * @param maintenanceUntilMs until when an administrator works on it, in milliseconds since 1970 by
 *     the clock of the masters; 0 when nobody does. Nothing of it is repaired elsewhere before
 */
public record ChunkServer(
        int id,
        String name,
        Endpoint endpoint,
        long incarnation,
        long bootId,
        Labels labels,
        long maintenanceUntilMs)
        implements Table.Numbered {
    /** A server without labels of which the start of its machine is not known. */
    public ChunkServer(int id, String name, Endpoint endpoint, long incarnation) {
        this(id, name, endpoint, incarnation, 0);
    }

    /** A server without labels. */
    public ChunkServer(int id, String name, Endpoint endpoint, long incarnation, long bootId) {
        this(id, name, endpoint, incarnation, bootId, Labels.NONE, 0);
    }

    /** The same as a process that forgot what it knew. */
    public ChunkServer forgetful() {
        return new ChunkServer(id, name, endpoint, 0, bootId, labels, maintenanceUntilMs);
    }

    /** The same in maintenance until then; 0 ends it. */
    public ChunkServer maintainedUntil(long untilMs) {
        return new ChunkServer(id, name, endpoint, incarnation, bootId, labels, untilMs);
    }

    /** The same with other labels. */
    public ChunkServer labelled(Labels others) {
        return new ChunkServer(id, name, endpoint, incarnation, bootId, others, maintenanceUntilMs);
    }

    /**
     * Whether an administrator works on it.
     *
     * @param nowMs by the clock of the masters
     */
    public boolean isMaintained(long nowMs) {
        return nowMs < maintenanceUntilMs;
    }
}
