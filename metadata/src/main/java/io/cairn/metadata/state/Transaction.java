package io.cairn.metadata.state;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Codecs;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.Push;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a log entry so far, over the store: reads see them, and all of them become one
 * batch. Changes of one key coalesce: 64 creates in one directory write the directory once. One
 * object serves all entries, one after the other; it belongs to the apply thread.
 *
 * <p>Mutations check everything first and change only then, so nothing has to be taken back; {@link
 * #writes} lets the caller verify that.
 */
public final class Transaction {
    /** Stands for a deleted key. */
    private static final byte[] DELETED = new byte[0];

    /** An inode as this entry leaves it, written with a version; null = deleted. */
    private record Slot(@Nullable Inode inode, long version) {}

    private final Store store;
    private final InodeCache cache;
    private final View committed;
    private final Counters counters;
    private final History history = new History();
    private final RecordWriter records = new RecordWriter(this);
    private final Map<Long, Slot> inodes = new HashMap<>();
    private final Map<Family, NavigableMap<byte[], byte[]>> overlays = new EnumMap<>(Family.class);
    private final Encoder scratch = new Encoder();
    private InodeWatch watch = InodeWatch.NONE;
    private List<Notice> notices = new ArrayList<>();
    private long index;
    private long version;
    private long nowNs;
    private long writes;

    public Transaction(Store store, InodeCache cache, Counters counters) {
        this.store = store;
        this.cache = cache;
        committed = new View(store, cache);
        this.counters = counters;
        for (Family family : Family.values()) {
            overlays.put(family, new TreeMap<>(Arrays::compareUnsigned));
        }
    }

    /** From now on changes of inodes are told. */
    public void watch(InodeWatch newWatch) {
        watch = newWatch;
    }

    InodeWatch watch() {
        return watch;
    }

    /** Begins a log entry. */
    public void begin(long entryIndex) {
        index = entryIndex;
        inodes.clear();
        overlays.values().forEach(Map::clear);
        notices = new ArrayList<>();
    }

    /** Begins the next mutation of the entry. */
    public void beginMutation(int ordinal, long timeNs) {
        version = (index << Keys.ORDINAL_BITS) | ordinal;
        nowNs = timeNs;
    }

    /** The time of the current mutation: the only clock there is. */
    public long nowNs() {
        return nowNs;
    }

    /** The version that the current mutation gives to what it changes. */
    public long version() {
        return version;
    }

    /** Counts changes. */
    public long writes() {
        return writes;
    }

    public Counters counters() {
        return counters;
    }

    /** What snapshots there are: what is replaced has to be kept for them. */
    public History history() {
        return history;
    }

    /** The record of an inode as it is now, or null. */
    byte @Nullable [] storedInode(long ino) {
        Slot slot = inodes.get(ino);
        return slot != null ? encodeInode(slot) : store.get(Family.INODE, Keys.of(ino));
    }

    /** An inode as it is now, or null. */
    public @Nullable Inode inode(long ino) {
        Slot slot = inodes.get(ino);
        return slot != null ? slot.inode : committed.inode(ino);
    }

    /**
     * The state at a moment in the past, of which everything is kept. EAGAIN when that is in this
     * entry, which is not stored yet.
     */
    public View at(Moment moment) {
        if (moment.version() >>> Keys.ORDINAL_BITS >= index) {
            throw new FsException(Errno.EAGAIN, "the snapshot was taken just now: try again");
        }
        return committed.at(moment);
    }

    public static Inode decodeInode(byte[] value) {
        return Codecs.inode(Keys.openOfTree(Family.INODE, value));
    }

    /** Changes the state. */
    public RecordWriter records() {
        return records;
    }

    /** Null deletes it. */
    void putInode(long ino, @Nullable Inode inode) {
        writes++;
        inodes.put(ino, new Slot(inode, version));
    }

    /** A value as it is now, or null. Not for inodes. */
    public byte @Nullable [] get(Family family, byte[] key) {
        byte[] value = overlay(family).get(key);
        if (value == null) {
            return store.get(family, key);
        }
        return isDeleted(value) ? null : value;
    }

    /** Null deletes it. */
    void put(Family family, byte[] key, byte @Nullable [] value) {
        writes++;
        overlay(family).put(key, value == null ? DELETED : value);
    }

    /** All keys with a prefix, as they are now, in order. Not for inodes. */
    public List<byte[]> keys(Family family, byte[] prefix) {
        NavigableMap<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
        store.scan(family, prefix, prefix, (key, value) -> found.put(key, value) == null);
        for (Map.Entry<byte[], byte[]> entry : overlay(family).tailMap(prefix, true).entrySet()) {
            byte[] key = entry.getKey();
            if (key.length < prefix.length
                    || !Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)) {
                break;
            }
            if (isDeleted(entry.getValue())) {
                found.remove(key);
            } else {
                found.put(key, entry.getValue());
            }
        }
        return List.copyOf(found.keySet());
    }

    /** A key and its value. */
    public record Entry(byte[] key, byte[] value) {}

    /**
     * The first entries with a prefix at or after {@code from}, as they are now, in order. Not for
     * inodes. Fewer than {@code max}: there are no more.
     */
    public List<Entry> page(Family family, byte[] prefix, byte[] from, int max) {
        NavigableMap<byte[], byte[]> changed = new TreeMap<>(Arrays::compareUnsigned);
        for (Map.Entry<byte[], byte[]> entry : overlay(family).tailMap(from, true).entrySet()) {
            byte[] key = entry.getKey();
            if (key.length < prefix.length
                    || !Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)) {
                break;
            }
            changed.put(key, entry.getValue());
        }
        int enough = max + changed.size();
        NavigableMap<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
        store.scan(
                family,
                prefix,
                from,
                (key, value) -> {
                    found.put(key, value);
                    return found.size() < enough;
                });
        byte[] horizon = found.size() < enough ? null : found.lastKey();
        (horizon == null ? changed : changed.headMap(horizon, true)).forEach(found::put);
        return found.entrySet().stream()
                .filter(entry -> !isDeleted(entry.getValue()))
                .limit(max)
                .map(entry -> new Entry(entry.getKey(), entry.getValue()))
                .toList();
    }

    /** An inode as it is now, without taking the place of others in the cache; or null. */
    public @Nullable Inode peek(long ino) {
        Slot slot = inodes.get(ino);
        return slot != null ? slot.inode : committed.peek(ino);
    }

    /** Tells a session something, once the entry is applied. */
    public void notify(long session, Push push) {
        notices.add(new Notice(session, push));
    }

    /** Tells those that write to an inode or below it something, once the entry is applied. */
    public void notifyWriters(long ino, Push push) {
        notices.add(new Notice(Notice.WRITERS, push, ino));
    }

    public List<Notice> notices() {
        return notices;
    }

    /** Everything this entry has changed, ready to commit; once, at its end. */
    public List<Change> changes() {
        List<Change> changes = new ArrayList<>();
        watch.finish(changes);
        inodes.forEach(
                (ino, slot) ->
                        changes.add(new Change(Family.INODE, Keys.of(ino), encodeInode(slot))));
        overlays.forEach(
                (family, overlay) ->
                        overlay.forEach(
                                (key, value) ->
                                        changes.add(
                                                new Change(
                                                        family,
                                                        key,
                                                        isDeleted(value) ? null : value))));
        if (counters.takeChanged()) {
            changes.add(new Change(Family.META, Keys.counters(), counters.encode()));
        }
        return changes;
    }

    private byte @Nullable [] encodeInode(Slot slot) {
        if (slot.inode == null) {
            return null;
        }
        Codecs.inode(Keys.value(scratch).i64(slot.version), slot.inode);
        return scratch.copy();
    }

    /** Brings the cache up to date; within the commit. */
    public void publish() {
        inodes.forEach(
                (ino, slot) -> {
                    if (slot.inode == null) {
                        cache.remove(ino);
                    } else {
                        cache.put(slot.inode);
                    }
                });
    }

    private NavigableMap<byte[], byte[]> overlay(Family family) {
        NavigableMap<byte[], byte[]> overlay = overlays.get(family);
        if (overlay == null) {
            throw new IllegalStateException("no family " + family);
        }
        return overlay;
    }

    @SuppressWarnings("ReferenceEquality") // the marker is known by identity
    private static boolean isDeleted(byte[] value) {
        return value == DELETED;
    }
}
