package io.cairn.metadata.state;

import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Store.Visitor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Records as they were at a moment: those that are older than it, and those that were kept when a
 * later mutation replaced or removed them. Any thread may read while no commit runs.
 */
final class Past {
    /** Records that are merged at once. */
    private static final int PAGE = 512;

    private final StoredState store;
    private final long version;
    private final Runnable pause;

    /** Something of a scan: a key and its value. */
    private record Found(byte[] key, byte[] value) {}

    Past(StoredState store, Moment moment, Runnable pause) {
        this.store = store;
        this.version = moment.version();
        this.pause = pause;
    }

    /** The value of a record, or null. */
    byte @Nullable [] get(Family family, byte[] key) {
        requireHistory(family);
        byte[] head = store.get(family, key);
        if (head != null && Keys.versionOf(head) <= version) {
            return head;
        }
        Kept kept = new Kept();
        store.scan(
                Family.HISTORY,
                HistoryKeys.of(family, key),
                HistoryKeys.of(family, key, version + 1),
                (_, value) -> {
                    kept.value = Keys.versionOf(value) <= version ? value : null;
                    return false;
                });
        return kept.value;
    }

    /** What a scan has found. */
    private static final class Kept {
        private byte @Nullable [] value;
    }

    private static void requireHistory(Family family) {
        if (!family.hasHistory()) {
            throw new IllegalArgumentException("nothing is kept of " + family);
        }
    }

    /** As {@link View#scan}. */
    void scan(Family family, byte[] prefix, byte[] from, Visitor visitor) {
        requireHistory(family);
        byte[] headFrom = from;
        byte[] keptFrom = HistoryKeys.prefix(family, from);
        while (true) {
            List<Found> heads = read(family, prefix, headFrom, PAGE);
            byte[] keptPrefix = HistoryKeys.prefix(family, prefix);
            List<Found> kept = read(Family.HISTORY, keptPrefix, keptFrom, PAGE);
            byte[] end = end(heads, kept, PAGE);
            NavigableMap<byte[], byte[]> shown = shown(heads, kept);
            if (!visit(end == null ? shown : shown.headMap(end, false), visitor) || end == null) {
                return;
            }
            byte[] last = get(family, end);
            if (last != null && !visitor.visit(end, last)) {
                return;
            }
            pause.run();
            headFrom = followed(end, 0);
            keptFrom = followed(HistoryKeys.prefix(family, end), 1); // behind all its versions
        }
    }

    /**
     * The first records of a scan, in bounded time: at most {@code max} of now and as many of those
     * that were kept are read. To go on, begin behind the last key with a byte of 1: no key goes on
     * with a byte of zeros.
     */
    PastPage page(Family family, byte[] prefix, byte[] from, int max) {
        requireHistory(family);
        List<Found> heads = read(family, prefix, from, max);
        byte[] keptPrefix = HistoryKeys.prefix(family, prefix);
        List<Found> kept = read(Family.HISTORY, keptPrefix, HistoryKeys.prefix(family, from), max);
        byte[] end = end(heads, kept, max);
        NavigableMap<byte[], byte[]> shown = shown(heads, kept);
        List<Transaction.Entry> entries = new ArrayList<>();
        (end == null ? shown : shown.headMap(end, false))
                .forEach((key, value) -> entries.add(new Transaction.Entry(key, value)));
        byte[] last = end == null ? null : get(family, end);
        if (end != null && last != null) {
            entries.add(new Transaction.Entry(end, last));
        }
        return new PastPage(List.copyOf(entries), end, heads.size() + kept.size());
    }

    /** The last key that two pages know everything of; null when that is all. */
    private static byte @Nullable [] end(List<Found> heads, List<Found> kept, int max) {
        byte[] headEnd = heads.size() < max ? null : heads.getLast().key;
        byte[] keptEnd = kept.size() < max ? null : HistoryKeys.record(kept.getLast().key);
        return least(headEnd, keptEnd);
    }

    private static byte[] followed(byte[] key, int by) {
        byte[] next = Arrays.copyOf(key, key.length + 1);
        next[key.length] = (byte) by;
        return next;
    }

    private NavigableMap<byte[], byte[]> shown(List<Found> heads, List<Found> kept) {
        NavigableMap<byte[], byte[]> shown = new TreeMap<>(Arrays::compareUnsigned);
        for (Found found : kept) {
            if (Keys.versionOf(found.value) <= version && version < HistoryKeys.end(found.key)) {
                shown.put(HistoryKeys.record(found.key), found.value);
            }
        }
        for (Found found : heads) {
            if (Keys.versionOf(found.value) <= version) {
                shown.put(found.key, found.value);
            }
        }
        return shown;
    }

    private static boolean visit(Map<byte[], byte[]> found, Visitor visitor) {
        for (Map.Entry<byte[], byte[]> entry : found.entrySet()) {
            if (!visitor.visit(entry.getKey(), entry.getValue())) {
                return false;
            }
        }
        return true;
    }

    private List<Found> read(Family family, byte[] prefix, byte[] from, int max) {
        List<Found> found = new ArrayList<>();
        store.scan(
                family,
                prefix,
                from,
                (key, value) -> {
                    found.add(new Found(key, value));
                    return found.size() < max;
                });
        return found;
    }

    private static byte @Nullable [] least(byte @Nullable [] one, byte @Nullable [] other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return Arrays.compareUnsigned(one, other) < 0 ? one : other;
    }
}
