package io.cairn.metadata.snapshot;

import io.cairn.wire.chunk.ObjectFence;
import org.jspecify.annotations.Nullable;

/**
 * What the leader has to do for snapshots.
 *
 * @param fence what chunk servers have to refuse
 * @param heldOid snapshots may show objects with smaller numbers; 0 when there are none
 * @param begun the snapshot or clone that is being taken; null when none is
 * @param isSweeping whether something is left to sweep behind dropped ones
 * @param isFenceIdle whether a sweep takes away a fence that no clone needs any more
 */
public record SnapshotStatus(
        ObjectFence fence,
        long heldOid,
        @Nullable SnapshotRecord begun,
        boolean isSweeping,
        boolean isFenceIdle) {}
