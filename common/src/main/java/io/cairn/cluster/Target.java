package io.cairn.cluster;

/**
 * A storage directory (disk) of a chunk server, as the cluster map knows it.
 *
 * @param id number given by the master, from 1
 * @param identity random number written into the directory when it was formatted; tells it from
 *     others
 * @param serverId the {@link ChunkServer}
 */
public record Target(int id, long identity, int serverId) {}
