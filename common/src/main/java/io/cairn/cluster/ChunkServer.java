package io.cairn.cluster;

/**
 * A chunk server of the cluster map.
 *
 * @param id number given by the master, from 1
 * @param name the operator's name ({@code --id}), unique
 * @param endpoint where it listens
 * @param incarnation random number of the process start that the map knows: another one means that
 *     the process was restarted and may have lost what it had not flushed
 */
public record ChunkServer(int id, String name, Endpoint endpoint, long incarnation) {}
