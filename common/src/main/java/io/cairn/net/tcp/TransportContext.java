package io.cairn.net.tcp;

import io.cairn.net.EventLoops;
import io.cairn.runtime.Release;
import io.cairn.wire.ProtocolRange;

/**
 * What the connections of one transport share.
 *
 * @param loops threads and timers
 * @param budget memory for requests
 * @param range the versions of the protocol that are understood
 * @param traces whether this process takes part in traces
 * @param beatMs how often a connection looks after itself, in milliseconds; its other periods are
 *     counted in this one
 */
public record TransportContext(
        EventLoops loops, ReceiveBudget budget, ProtocolRange range, boolean traces, long beatMs) {
    /** What a side tells to whoever connects; {@code newest} as its handler says. */
    Greeting greeting(int newest, boolean line) {
        return new Greeting(range.upTo(newest), line, traces, Release.text());
    }
}
