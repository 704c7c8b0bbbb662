package io.cairn.cluster;

/**
 * A chunk server of the cluster map.
 *
 * @param id number given by the master, from 1
 * @param name the operator's name ({@code --id}), unique
 * @param endpoint where it listens
 */
public record ChunkServer(int id, String name, Endpoint endpoint) {}
