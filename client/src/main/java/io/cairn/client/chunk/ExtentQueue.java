package io.cairn.client.chunk;

import io.cairn.wire.Limits;
import io.cairn.wire.chunk.HeadRequest.WritePieces;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The extents of one {@link WriteBack}, and the callers that wait for them. A file that is written
 * in many places has thousands. Every write and every answer asks which ones are at a place, which
 * one is the oldest, which are open and which are to be sent. None of these questions looks at all
 * of them. Guarded by the lock of the inode.
 */
final class ExtentQueue {
    private static final int MAX_BATCH = WritePieces.MAX_PIECES;

    /** Extents that are looked at for one batch, so that it does not take long. */
    private static final int MAX_LOOKS = 8 * MAX_BATCH;

    private record Drain(long upTo, CompletableFuture<Void> promise) {}

    /** In order of arrival, and so of their numbers. */
    private final SequencedSet<WriteExtent> all = new LinkedHashSet<>();

    /** Those that more may be merged into, in order of arrival. */
    private final SequencedSet<WriteExtent> open = new LinkedHashSet<>();

    /** Sealed and not in flight. */
    private final SequencedSet<WriteExtent> waiting = new LinkedHashSet<>();

    /** By window: no extent lies in two of them, so only those of one may overlap. */
    private final Map<Long, List<WriteExtent>> byWindow = new HashMap<>();

    private final List<Drain> drains = new ArrayList<>();

    private static long window(long offset) {
        return offset / WriteBack.WINDOW_BYTES;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    int count() {
        return all.size();
    }

    /** All of them in order of arrival. */
    Collection<WriteExtent> all() {
        return Collections.unmodifiableCollection(all);
    }

    /** The number of the oldest one; {@link Long#MAX_VALUE} when there is none. */
    long oldest() {
        return all.isEmpty() ? Long.MAX_VALUE : all.getFirst().number;
    }

    int openCount() {
        return open.size();
    }

    /** The oldest one that is open; null when there is none. */
    @Nullable WriteExtent oldestOpen() {
        return open.isEmpty() ? null : open.getFirst();
    }

    /** Those that are open, in order of arrival; a copy. */
    List<WriteExtent> open() {
        return List.copyOf(open);
    }

    /** Sealed ones that are not in flight. */
    Collection<WriteExtent> waiting() {
        return Collections.unmodifiableCollection(waiting);
    }

    /** Takes the youngest one, which is open. */
    void add(WriteExtent extent) {
        list(extent);
        open.add(extent);
    }

    /** Some were cut: these are all there are now, in order of arrival. */
    void replace(List<WriteExtent> ordered) {
        all.clear();
        byWindow.clear();
        ordered.forEach(this::list);
    }

    private void list(WriteExtent extent) {
        all.add(extent);
        byWindow.computeIfAbsent(window(extent.offset), _ -> new ArrayList<>(4)).add(extent);
    }

    private List<WriteExtent> at(long offset) {
        return byWindow.getOrDefault(window(offset), List.of());
    }

    /** It is sealed, or back from its way: it waits to be sent. */
    void sealed(WriteExtent extent) {
        open.remove(extent);
        waiting.add(extent);
    }

    /** It is in flight. */
    void sent(WriteExtent extent) {
        waiting.remove(extent);
    }

    void remove(WriteExtent extent) {
        all.remove(extent);
        open.remove(extent);
        waiting.remove(extent);
        byWindow.computeIfPresent(
                window(extent.offset),
                (_, same) -> {
                    same.remove(extent);
                    return same.isEmpty() ? null : same;
                });
    }

    /**
     * The extent that bytes can be merged into without overtaking an overlapping one; null when
     * there is none.
     *
     * @param boundBytes extents do not cross multiples of this
     */
    @Nullable WriteExtent openAt(long offset, int lengthBytes, long boundBytes) {
        List<WriteExtent> same = at(offset);
        for (int i = same.size() - 1; i >= 0; i--) {
            WriteExtent extent = same.get(i);
            if (!extent.sealed
                    && offset >= extent.offset
                    && offset <= extent.end()
                    && offset / boundBytes == extent.offset / boundBytes) {
                return extent;
            }
            if (extent.overlaps(offset, offset + lengthBytes)) {
                return null;
            }
        }
        return null;
    }

    /** The first older one that overlaps an extent; null when there is none. */
    @Nullable WriteExtent olderOverlapping(WriteExtent extent) {
        for (WriteExtent older : at(extent.offset)) {
            if (older.equals(extent)) {
                return null;
            }
            if (older.overlaps(extent.offset, extent.end())) {
                return older;
            }
        }
        return null;
    }

    /**
     * Extents that can be sent now with one request: one that can, and others of its chunk that
     * wait, too, and overlap nothing older.
     *
     * @param chunkBytes size of the chunk
     */
    List<WriteExtent> batch(WriteExtent first, long chunkBytes) {
        List<WriteExtent> batch = new ArrayList<>();
        batch.add(first);
        long begin = first.offset / chunkBytes * chunkBytes;
        long bytes = first.length();
        int looks = 0;
        for (long at = begin; at < begin + chunkBytes; at += WriteBack.WINDOW_BYTES) {
            for (WriteExtent extent : at(at)) {
                if (batch.size() == MAX_BATCH || ++looks > MAX_LOOKS) {
                    return batch;
                }
                if (waiting.contains(extent)
                        && !extent.equals(first)
                        && extent.offset / chunkBytes == first.offset / chunkBytes
                        && bytes + extent.length() <= Limits.MAX_IO_BYTES
                        && olderOverlapping(extent) == null) {
                    batch.add(extent);
                    bytes += extent.length();
                }
            }
        }
        return batch;
    }

    /** Those that hold bytes of a range and count; of two that overlap the older one first. */
    List<WriteExtent> within(long from, long to) {
        if (all.isEmpty()) {
            return List.of();
        }
        long first = window(from);
        long last = window(Math.max(from, to - 1));
        if (first == last) {
            return overlapping(at(from), from, to);
        }
        if (last - first >= byWindow.size()) {
            return overlapping(all, from, to);
        }
        List<WriteExtent> found = new ArrayList<>();
        for (long window = first; window <= last; window++) {
            found.addAll(overlapping(byWindow.getOrDefault(window, List.of()), from, to));
        }
        return found;
    }

    private static List<WriteExtent> overlapping(
            Collection<WriteExtent> extents, long from, long to) {
        List<WriteExtent> found = List.of();
        for (WriteExtent extent : extents) {
            if (extent.overlaps(from, to) && !extent.abandoned) {
                found = found.isEmpty() ? new ArrayList<>(2) : found;
                found.add(extent);
            }
        }
        return found;
    }

    /** A promise that is kept when no extent up to a number is left. */
    CompletableFuture<Void> drain(long upTo) {
        CompletableFuture<Void> promise = new CompletableFuture<>();
        drains.add(new Drain(upTo, promise));
        return promise;
    }

    /** Takes the promises that are to be kept now, without the lock. */
    List<CompletableFuture<Void>> drained() {
        if (drains.isEmpty()) {
            return List.of();
        }
        long oldest = oldest();
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (Iterator<Drain> each = drains.iterator(); each.hasNext(); ) {
            Drain drain = each.next();
            if (drain.upTo < oldest) {
                each.remove();
                done.add(drain.promise);
            }
        }
        return done;
    }
}
