package io.cairn.master.load;

/**
 * A mutation that was slow, in nanoseconds.
 *
 * @param type its type, in lower case
 * @param session of the client that asked; 0 for one of the leader itself
 * @param agoNs when it ended
 * @param totalNs from its arrival to its answer
 * @param queueNs until it was part of an entry of the log
 * @param logNs until a majority of the masters had the entry on stable media
 * @param applyNs until the state had it
 */
public record SlowMutation(
        String type,
        long session,
        long agoNs,
        long totalNs,
        long queueNs,
        long logNs,
        long applyNs) {}
