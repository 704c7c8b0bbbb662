package io.cairn.master.store;

/**
 * A place in the Raft log.
 *
 * @param term term of the entry
 * @param index index of the entry, -1 before the first
 */
public record Position(long term, long index) {}
