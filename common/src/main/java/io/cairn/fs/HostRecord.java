package io.cairn.fs;

/**
 * A machine that holds locks or waits for some.
 *
 * @param contact the machine as it was heard last
 * @param sinceNs since when it has had locks without a break, in nanoseconds since the epoch
 * @param held how many owners' locks it holds, counted for each file and kind
 * @param waiting how many of its requests wait
 */
public record HostRecord(HostContact contact, long sinceNs, int held, int waiting) {}
