package io.cairn.net.frame;

import io.cairn.net.ReceiveBudget;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Release;
import io.cairn.wire.ProtocolRange;

/**
 * Shared by the channels of one transport.
 *
 * @param budget memory for requests
 * @param range the versions of the protocol that are understood
 * @param traces whether this process takes part in traces
 * @param beatMs how often a channel looks after itself, in milliseconds; its other periods are
 *     counted in this one
 */
public record ChannelSettings(
        Clock clock, ReceiveBudget budget, ProtocolRange range, boolean traces, long beatMs) {
    private static final long MIN_BUDGET_BYTES = 64L << 20;
    private static final long BEAT_MS = 1000;

    /** Those of this release: a quarter of the heap for requests, a look a second. */
    public static ChannelSettings standard(Clock clock, boolean traces) {
        long budgetBytes = Math.max(MIN_BUDGET_BYTES, Runtime.getRuntime().maxMemory() / 4);
        return new ChannelSettings(
                clock, new ReceiveBudget(budgetBytes), ProtocolRange.OURS, traces, BEAT_MS);
    }

    /** The greeting of a side to its peers; {@code newest} as its handler says. */
    Greeting greeting(int newest) {
        return new Greeting(range.upTo(newest), traces, Release.text());
    }
}
