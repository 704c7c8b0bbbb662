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
 */
public record ChunkServer(int id, String name, Endpoint endpoint, long incarnation, long bootId)
        implements Table.Numbered {
    /** A server of which the start of its machine is not known. */
    public ChunkServer(int id, String name, Endpoint endpoint, long incarnation) {
        this(id, name, endpoint, incarnation, 0);
    }
}
