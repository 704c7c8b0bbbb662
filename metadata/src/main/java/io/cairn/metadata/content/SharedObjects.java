package io.cairn.metadata.content;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.metadata.state.InodeWatch;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Decoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which files have objects in common, because one is a clone of the other. An object that was ever
 * shared has one record for each file whose layout names it; an object without records has one file
 * at most. A file that releases a part of such an object gives up only what no other file needs.
 *
 * <p>Shared objects are never changed in place: chunk servers refuse changes of all objects below
 * {@link #firstOid} as long as there are records. That holds for the last user of an object, too:
 * its chunks may have been sealed when another user cloned them. Belongs to the apply thread.
 */
public final class SharedObjects implements InodeWatch {
    /** Files with one object in common: releasing a part of it looks at all of them. */
    static final int MAX_USERS = 256;

    /** Runs of layouts that are remembered for a mutation: some 30 MB. */
    private static final int MAX_KNOWN_RUNS = 1 << 19;

    private static final byte[] USER = {Keys.FORMAT};

    private final Transaction transaction;
    private final InodeWatch next;
    private final Map<Long, List<Long>> known = new HashMap<>();
    private final Map<Long, Layout> layouts = new HashMap<>();
    private long knownVersion = -1;
    private int knownRuns;
    private long records;
    private long firstOid;

    /**
     * Reads them from the store.
     *
     * @param next sees all changes of inodes, too
     */
    public SharedObjects(Store store, Transaction transaction, InodeWatch next) {
        this.transaction = transaction;
        this.next = next;
        byte[] value = store.get(Family.META, Keys.shared());
        if (value != null) {
            Decoder in = Keys.open(Family.META, value);
            records = in.i64();
            firstOid = in.i64();
        }
    }

    /** Objects with smaller numbers must not be changed; 0 when all may be. */
    public long firstOid() {
        return firstOid;
    }

    /** Chunk servers refuse changes of all objects below one, because some are shared now. */
    public void fence(long oid) {
        if (oid > firstOid) {
            firstOid = oid;
            putNumbers();
        }
    }

    /** Whether there is a fence, and no file has what was shared. */
    public boolean isIdle() {
        return records == 0 && firstOid != 0;
    }

    /** Takes the fence away if nothing is shared any more. */
    public void lower() {
        if (isIdle()) {
            firstOid = 0;
            putNumbers();
        }
    }

    /** EMLINK when an object of a layout has no room for one more user, which a file would be. */
    void requireRoom(Layout layout, long ino) {
        for (long oid : named(layout)) {
            if (users(oid).size() >= MAX_USERS && !isUser(oid, ino)) {
                throw new FsException(
                        Errno.EMLINK,
                        "%d files share contents with it: copy it, and clone the copy"
                                .formatted(MAX_USERS));
            }
        }
    }

    /**
     * The objects that a clone names are those of both files, but for its own new one.
     *
     * @param source as it is now; null when the clone is of a file that is in a snapshot only
     */
    void share(@Nullable Inode source, long cloneIno, Layout clone, long freshOid) {
        Set<Long> ofSource = named(source == null ? null : source.layout());
        for (long oid : named(clone)) {
            if (oid != freshOid) {
                put(oid, cloneIno);
                if (source != null && ofSource.contains(oid)) {
                    put(oid, source.ino());
                }
            }
        }
        putNumbers();
    }

    /**
     * Two files are about to exchange their contents. What a snapshot shows of one of them counts
     * as shared from then on: a clone of the snapshot has to find the other file.
     */
    void swap(Inode one, Inode other) {
        if (records == 0 && transaction.history().isEmpty()) {
            return;
        }
        Set<Long> ofOne = named(one.layout());
        Set<Long> oids = new HashSet<>(ofOne);
        oids.addAll(named(other.layout()));
        for (long oid : oids) {
            boolean has = isUser(oid, one.ino());
            if (has != isUser(oid, other.ino())) {
                delete(oid, has ? one.ino() : other.ino());
                put(oid, has ? other.ino() : one.ino());
            } else if (!has && transaction.history().mayShow(oid)) {
                put(oid, ofOne.contains(oid) ? other.ino() : one.ino());
            }
        }
        putNumbers();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // most changes leave the layout as it is
    public void changing(@Nullable Inode before, @Nullable Inode after) {
        next.changing(before, after);
        if (before != null) {
            forgetLayout(before.ino());
        }
        Layout now = after == null ? null : after.layout();
        if (records == 0 || before == null || before.layout() == now) {
            return;
        }
        Set<Long> left = new HashSet<>(named(before.layout()));
        left.removeAll(named(now));
        boolean isChanged = false;
        for (long oid : left) {
            if (isUser(oid, before.ino())) {
                delete(oid, before.ino());
                isChanged = true;
            }
        }
        if (isChanged) {
            putNumbers();
        }
    }

    @Override
    public void finish(List<Change> changes) {
        forgetKnown();
        next.finish(changes);
    }

    /** Chunks from the first number to before the second one. */
    record Part(long fromChunk, long endChunk) {}

    /** The parts of [fromChunk, endChunk) of an object that no file but one needs. */
    List<Part> unused(long oid, long ino, long fromChunk, long endChunk) {
        List<Part> left = List.of(new Part(fromChunk, endChunk));
        if (records > 0) {
            for (long user : usersOnce(oid)) {
                Layout layout = user == ino ? null : layoutOnce(user);
                if (layout != null) {
                    left = without(left, uses(layout, oid, fromChunk, endChunk));
                }
                if (left.isEmpty()) {
                    return left;
                }
            }
        }
        return left;
    }

    /** What a layout needs of [fromChunk, endChunk) of an object, in order; perhaps more around. */
    static List<Part> uses(Layout layout, long oid, long fromChunk, long endChunk) {
        List<Part> uses = new ArrayList<>();
        List<Layout.Run> runs = layout.runs();
        for (int i = Layout.placeOf(runs, fromChunk); i < runs.size(); i++) {
            Layout.Run run = runs.get(i);
            long first = run.firstChunk();
            if (first >= endChunk) {
                break;
            }
            if (run.oid() == oid) {
                boolean isLast = i == runs.size() - 1;
                long end = isLast ? ObjectLedger.TO_END : runs.get(i + 1).firstChunk();
                uses.add(new Part(first, end));
            } else if (run.sourceOid() == oid) {
                uses.add(new Part(first, first + 1));
            }
        }
        return uses;
    }

    /** What is left of parts when others are needed; both in order, and each without overlaps. */
    static List<Part> without(List<Part> parts, List<Part> needed) {
        if (needed.isEmpty()) {
            return parts;
        }
        List<Part> left = new ArrayList<>();
        int passed = 0;
        for (Part part : parts) {
            long at = part.fromChunk;
            while (passed < needed.size() && needed.get(passed).endChunk <= at) {
                passed++;
            }
            for (int i = passed; i < needed.size(); i++) {
                Part need = needed.get(i);
                if (need.fromChunk >= part.endChunk) {
                    break;
                }
                if (need.fromChunk > at) {
                    left.add(new Part(at, need.fromChunk));
                }
                at = Math.max(at, need.endChunk);
            }
            if (at < part.endChunk) {
                left.add(new Part(at, part.endChunk));
            }
        }
        return left;
    }

    /** Of each object they are read once for a mutation, which may release thousands of chunks. */
    private List<Long> usersOnce(long oid) {
        if (knownVersion != transaction.version()) {
            forgetKnown();
            knownVersion = transaction.version();
        }
        return known.computeIfAbsent(oid, this::users);
    }

    /** The same holds for layouts: to read one means to decode all of its runs. */
    private @Nullable Layout layoutOnce(long ino) {
        Layout layout = layouts.get(ino);
        if (layout == null) {
            Inode inode = transaction.peek(ino);
            layout = inode == null ? null : inode.layout();
            if (layout != null) {
                knownRuns += layout.runs().size();
                if (knownRuns > MAX_KNOWN_RUNS) {
                    layouts.clear();
                    knownRuns = layout.runs().size();
                }
                layouts.put(ino, layout);
            }
        }
        return layout;
    }

    private void forgetLayout(long ino) {
        Layout layout = layouts.remove(ino);
        knownRuns -= layout == null ? 0 : layout.runs().size();
    }

    private void forgetKnown() {
        known.clear();
        layouts.clear();
        knownRuns = 0;
    }

    /** Whether a file names an object that was ever shared. */
    boolean hasUsers(long oid) {
        byte[] prefix = Keys.of(oid);
        return !transaction.page(Family.SHARED, prefix, prefix, 1).isEmpty();
    }

    private List<Long> users(long oid) {
        byte[] prefix = Keys.of(oid);
        return transaction.page(Family.SHARED, prefix, prefix, MAX_USERS + 1).stream()
                .map(entry -> Keys.numberAt(entry.key(), Long.BYTES))
                .toList();
    }

    /** The objects that a layout names, as places of chunks or as sources of clones. */
    static Set<Long> named(@Nullable Layout layout) {
        if (layout == null) {
            return Set.of();
        }
        Set<Long> oids = new HashSet<>();
        for (Layout.Run run : layout.runs()) {
            oids.add(run.oid());
            if (run.sourceOid() != 0) {
                oids.add(run.sourceOid());
            }
        }
        return oids;
    }

    private boolean isUser(long oid, long ino) {
        return transaction.get(Family.SHARED, Keys.of(oid, ino)) != null;
    }

    private void put(long oid, long ino) {
        if (!isUser(oid, ino)) {
            transaction.records().put(Family.SHARED, Keys.of(oid, ino), USER);
            known.remove(oid);
            records++;
        }
    }

    private void delete(long oid, long ino) {
        transaction.records().delete(Family.SHARED, Keys.of(oid, ino));
        known.remove(oid);
        records--;
    }

    private void putNumbers() {
        byte[] value = Keys.value(17).i64(records).i64(firstOid).toBytes();
        transaction.records().put(Family.META, Keys.shared(), value);
    }
}
