package io.cairn.metadata.snapshot;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.snapshot.SnapshotRecord.State;
import io.cairn.metadata.state.HistoryKeys;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Moment;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Decoder;
import io.cairn.wire.chunk.ObjectFence;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The snapshots, the clone that is being made, and the sweep. Belongs to the apply thread. */
public final class SnapshotTable {
    /** How many there may be, dropped ones that are not swept yet included. */
    static final int MAX_SNAPSHOTS = 4096;

    /** Numbers for objects that are made while one is taken. */
    static final long SPARE_OIDS = 1 << 24;

    private static final int MAX_SWEPT = 1 << 16;
    private static final int FENCE_SHIFT = 13;
    private static final byte[] ALL = {};

    /** Where the sweep is. */
    private enum Phase implements Coded {
        NONE(0),
        HISTORY(1),
        HELD(2),
        REVIVED(3);

        static final CodeTable<Phase> CODES = new CodeTable<>(values());

        private final int code;

        Phase(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    private final Transaction transaction;
    private final InodeTable inodes;
    private final Consumer<List<Transaction.Entry>> letGo;
    private final Consumer<List<Transaction.Entry>> forgetRevived;
    private final Cloning cloning;
    private final TreeMap<Integer, SnapshotRecord> records = new TreeMap<>();
    private int lastNumber;
    private long fenceVersion;
    private Phase phase = Phase.NONE;
    private byte[] cursor = ALL;

    /**
     * Reads them from the store.
     *
     * @param letGo releases those of these objects that no snapshot needs any more
     * @param forgetRevived forgets those of these objects that are like any others by now
     * @param cloning makes clones
     */
    public SnapshotTable(
            Store store,
            Transaction transaction,
            InodeTable inodes,
            Consumer<List<Transaction.Entry>> letGo,
            Consumer<List<Transaction.Entry>> forgetRevived,
            Cloning cloning) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.letGo = letGo;
        this.forgetRevived = forgetRevived;
        this.cloning = cloning;
        store.scan(
                Family.SNAPSHOT,
                ALL,
                ALL,
                (key, value) -> {
                    SnapshotRecord record = SnapshotRecord.decode(key, value);
                    return records.put(record.number(), record) == null;
                });
        byte[] value = store.get(Family.META, Keys.snapshots());
        if (value != null) {
            Decoder in = Keys.open(Family.META, value);
            lastNumber = in.i32();
            fenceVersion = in.i64();
            phase = in.coded(Phase.CODES);
            cursor = in.bytes();
        }
        showPoints();
    }

    /** Performs a mutation. */
    public void apply(SnapshotMutation mutation) {
        switch (mutation) {
            case SnapshotMutation.BeginSnapshot m -> begin(m.root(), m.name());
            case SnapshotMutation.BeginClone m -> beginClone(m);
            case SnapshotMutation.FinishSnapshot m -> finish(m.number());
            case SnapshotMutation.DropSnapshot m -> drop(m.number());
            case SnapshotMutation.GiveUpSnapshot m -> giveUp(m.number());
            case SnapshotMutation.SweepHistory m -> sweep(m.max());
        }
    }

    /** Begins to take one. */
    void begin(long root, Name name) {
        inodes.directory(root);
        if (TrashPlace.isDirectory(root)) {
            throw new FsException(Errno.EINVAL, "the trash has no snapshots");
        }
        for (SnapshotRecord record : records.values()) {
            if (record.isLive() && record.root() == root && record.name().equals(name)) {
                throw new FsException(
                        Errno.EEXIST, "the directory has a snapshot '" + name + "' already");
            }
        }
        begin(State.BEGUN, root, name, 0);
    }

    /**
     * Begins to clone a file. One whose contents are in the inode is cloned at once; and so is one
     * in a snapshot, because chunk servers refuse changes of its objects already.
     */
    private void beginClone(SnapshotMutation.BeginClone m) {
        if (PastInode.isPast(m.source())) {
            clonePast(m);
            return;
        }
        Cloning.Clone clone = cloning.prepare(m.source(), Moment.NOW, m.parent(), m.name());
        if (clone.sharesObjects()) {
            begin(State.CLONING, m.source(), m.name(), m.parent());
        } else {
            clone.make();
        }
    }

    private void clonePast(SnapshotMutation.BeginClone m) {
        cloneFile(
                requireLive(PastInode.snapshotOf(m.source())),
                PastInode.livingOf(m.source()),
                m.parent(),
                m.name());
    }

    /** A snapshot that can be read; ESTALE when it was dropped. */
    public SnapshotRecord requireLive(int number) {
        SnapshotRecord record = records.get(number);
        if (record == null || !record.isLive()) {
            throw new FsException(Errno.ESTALE, "snapshot " + number + " was dropped");
        }
        return record;
    }

    /**
     * Makes a clone of a file as a snapshot shows it. Fails as {@link Cloning#prepare}, and has
     * changed nothing then.
     */
    public void cloneFile(SnapshotRecord record, long ino, long parent, Name name) {
        Cloning.Clone clone = cloning.prepare(ino, record.moment(), parent, name);
        if (clone.sharesObjects()) {
            cloning.fence(record.firstOid());
        }
        clone.make();
    }

    private void begin(State state, long root, Name name, long parent) {
        if (begun() != null) {
            throw new FsException(
                    Errno.EAGAIN, "another snapshot or clone is being taken just now: try again");
        }
        if (records.size() >= MAX_SNAPSHOTS) {
            throw new FsException(
                    Errno.ENOSPC, "there are " + records.size() + " snapshots: drop old ones");
        }
        transaction.counters().requireRoom();
        do {
            lastNumber =
                    lastNumber < PastInode.MIN_SNAPSHOT || lastNumber == PastInode.MAX_SNAPSHOT
                            ? PastInode.MIN_SNAPSHOT
                            : lastNumber + 1;
        } while (records.containsKey(lastNumber));
        long firstOid = transaction.counters().nextOid() + SPARE_OIDS;
        long now = transaction.nowNs();
        put(new SnapshotRecord(lastNumber, state, root, name, now, 0, firstOid, parent));
        changeFence();
    }

    /** Chunk servers hear of another fence from now on. */
    private void changeFence() {
        cloning.lower();
        fenceVersion = nextFence();
        putNumbers();
        showPoints();
    }

    /**
     * Above all before, also those that were decided after the backup that this state is from:
     * numbers of objects are passed over then.
     */
    private long nextFence() {
        long passed = transaction.counters().nextOid() << FENCE_SHIFT;
        return Math.max(fenceVersion + 1, transaction.version() + passed);
    }

    /**
     * The state is from a backup, and numbers of objects were passed over: chunk servers hear anew
     * what they have to refuse, and what was begun is given up.
     */
    public void recover() {
        if (fenceVersion == 0) {
            return;
        }
        SnapshotRecord begun = begun();
        if (begun != null) {
            remove(begun.number());
        }
        changeFence();
    }

    /** Makes one that was begun. */
    void finish(int number) {
        SnapshotRecord record = require(number);
        if (!record.isBegun()) {
            return;
        }
        // Checked before the numbers are passed over: a clone may have become impossible.
        Cloning.Clone clone =
                record.isClone()
                        ? cloning.prepare(record.root(), Moment.NOW, record.parent(), record.name())
                        : null;
        if (!transaction.counters().skipOids(record.firstOid())) {
            throw new FsException(
                    Errno.EAGAIN, "too many files were made while the snapshot was taken");
        }
        if (clone == null) {
            put(record.with(State.LIVE, transaction.version()));
        } else {
            remove(number);
            cloning.fence(record.firstOid());
            clone.make();
        }
        showPoints();
    }

    /** Drops one, or gives it up. */
    void drop(int number) {
        SnapshotRecord record = require(number);
        if (record.isBegun()) {
            remove(number);
        } else {
            put(record.with(State.DROPPED, record.version()));
            phase = Phase.HISTORY;
            cursor = ALL;
        }
        changeFence();
    }

    /** Gives up one that is not made yet: whoever decided so may not know that it was made. */
    void giveUp(int number) {
        SnapshotRecord record = records.get(number);
        if (record != null && record.isBegun()) {
            drop(number);
        }
    }

    private SnapshotRecord require(int number) {
        SnapshotRecord record = records.get(number);
        if (record == null || record.state() == State.DROPPED) {
            throw new FsException(Errno.ENOENT, "there is no snapshot " + number);
        }
        return record;
    }

    /** Removes the next of what nobody needs any more. */
    void sweep(int max) {
        int count = Math.clamp(max, 2, MAX_SWEPT);
        switch (phase) {
            case NONE -> {
                if (isFenceIdle()) {
                    changeFence();
                }
                return;
            }
            case HISTORY -> {
                List<Transaction.Entry> found =
                        transaction.page(Family.HISTORY, ALL, cursor, count);
                for (Transaction.Entry entry : found) {
                    long from = Keys.versionOf(entry.value());
                    if (!transaction.history().shows(from, HistoryKeys.end(entry.key()))) {
                        transaction.records().delete(Family.HISTORY, entry.key());
                    }
                }
                proceed(found, count, Phase.HELD);
            }
            case HELD -> {
                List<Transaction.Entry> found = transaction.page(Family.HELD, ALL, cursor, count);
                letGo.accept(found);
                proceed(found, count, Phase.REVIVED);
            }
            case REVIVED -> {
                byte[] from = cursor.length == 0 ? Keys.revived() : cursor;
                List<Transaction.Entry> found =
                        transaction.page(Family.META, Keys.revived(), from, count);
                forgetRevived.accept(found);
                proceed(found, count, Phase.NONE);
                if (phase == Phase.NONE) {
                    forgetDropped();
                }
            }
        }
        putNumbers();
    }

    private void proceed(List<Transaction.Entry> found, int count, Phase next) {
        if (found.size() < count) {
            phase = next;
            cursor = ALL;
        } else {
            cursor = found.getLast().key();
        }
    }

    private void forgetDropped() {
        for (SnapshotRecord record : List.copyOf(records.values())) {
            if (record.state() == State.DROPPED) {
                remove(record.number());
            }
        }
    }

    private void put(SnapshotRecord record) {
        records.put(record.number(), record);
        transaction.records().put(Family.SNAPSHOT, Keys.of(record.number()), record.encode());
    }

    private void remove(int number) {
        records.remove(number);
        transaction.records().delete(Family.SNAPSHOT, Keys.of(number));
    }

    private void putNumbers() {
        byte[] value =
                Keys.value(32)
                        .i32(lastNumber)
                        .i64(fenceVersion)
                        .u8(phase.code())
                        .bytes(cursor)
                        .toBytes();
        transaction.records().put(Family.META, Keys.snapshots(), value);
    }

    private void showPoints() {
        transaction
                .history()
                .set(
                        records.values().stream()
                                .filter(SnapshotRecord::isLive)
                                .map(SnapshotRecord::point)
                                .sorted(Comparator.comparingLong(point -> point.version()))
                                .toList());
        transaction
                .history()
                .setRoots(
                        records.values().stream()
                                .filter(record -> record.state() != State.DROPPED)
                                .map(SnapshotRecord::root)
                                .collect(Collectors.toSet()));
        transaction.history().setTaking(begun() != null);
        transaction.history().setFence(fence().firstOid());
    }

    /** What the leader has to do. */
    public SnapshotStatus status() {
        return new SnapshotStatus(fence(), heldOid(), begun(), phase != Phase.NONE, isFenceIdle());
    }

    /** Whether chunk servers could change objects in place again, as no file shares any. */
    private boolean isFenceIdle() {
        return phase == Phase.NONE && begun() == null && cloning.isIdle();
    }

    private @Nullable SnapshotRecord begun() {
        for (SnapshotRecord record : records.values()) {
            if (record.isBegun()) {
                return record;
            }
        }
        return null;
    }

    private ObjectFence fence() {
        return new ObjectFence(fenceVersion, Math.max(heldOid(), cloning.firstOid()));
    }

    private long heldOid() {
        long firstOid = 0;
        for (SnapshotRecord record : records.values()) {
            if (record.state() != State.DROPPED) {
                firstOid = Math.max(firstOid, record.firstOid());
            }
        }
        return firstOid;
    }
}
