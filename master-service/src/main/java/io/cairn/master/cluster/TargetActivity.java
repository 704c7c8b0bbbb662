package io.cairn.master.cluster;

import io.cairn.wire.master.TargetLoad;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The work of a target and its failures, as far as the leader knows.
 *
 * @param rates over the last seconds; null while less than two heartbeats of the present process
 *     are known, or none came lately
 * @param total since {@code since}
 * @param since when the present process of its server began to count
 * @param lastErrorAt null without any error
 */
public record TargetActivity(
        @Nullable LoadRates rates,
        TargetLoad total,
        Instant since,
        @Nullable Instant lastErrorAt) {}
