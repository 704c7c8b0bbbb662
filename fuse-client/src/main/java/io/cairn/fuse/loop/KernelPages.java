package io.cairn.fuse.loop;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * How old the pages may be that the kernel has of each file: which version of the file was the
 * present one when it last dropped them all. An open that finds the same version may keep them.
 *
 * <p>The kernel drops pages for an open after it got the answer, and another open may come in
 * between. So a drop counts from the first request on that is made with the opened handle, which
 * the application gets after it. A drop waits for the reads that are under way and throws away what
 * they bring; reads that are sent later find what this mount knew when it answered the open.
 *
 * <p>A table of fixed size, one slot per node number modulo it; a later node displaces an earlier
 * one, which costs a drop and never leaves a stale page. Thread-safe.
 */
public final class KernelPages {
    private static final int SLOTS = 1 << 16;

    /** All pages of a node are at least as young as a version. */
    public record Freshness(long node, long version) {}

    private final AtomicReferenceArray<@Nullable Freshness> slots =
            new AtomicReferenceArray<>(SLOTS);

    private static int slot(long node) {
        long h = node * 0x9e3779b97f4a7c15L;
        return (int) (h >>> 48) & (SLOTS - 1);
    }

    /** Whether no page is older than a version. */
    public boolean areFresh(long node, long version) {
        Freshness known = slots.get(slot(node));
        return known != null && known.node == node && known.version >= version;
    }

    /** The kernel has dropped all pages since this version was known. */
    public void dropped(Freshness since) {
        slots.updateAndGet(
                slot(since.node),
                known ->
                        known != null && known.node == since.node && known.version > since.version
                                ? known
                                : since);
    }
}
