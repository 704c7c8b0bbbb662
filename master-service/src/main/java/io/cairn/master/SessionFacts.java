package io.cairn.master;

import io.cairn.cluster.Endpoint;
import io.cairn.master.access.MountClient;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The leader's facts of a session besides its record.
 *
 * @param address where it is connected from; null while it is not
 * @param client whose it is, as mount rules know it; null when none of its requests has come yet
 * @param silentMs since its last request
 * @param open inodes that it holds open, and how often
 */
public record SessionFacts(
        @Nullable Endpoint address,
        @Nullable MountClient client,
        long silentMs,
        Map<Long, Integer> open) {}
