package io.cairn.metadata.content;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.snapshot.SnapshotStatus;
import io.cairn.metadata.state.InodeCache;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SharingMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A random history of files, clones and snapshots with disks that hold the bytes: a chunk is four
 * units of 1 MiB. It does what clients, chunk servers and the leader do one after the other, and
 * knows what every file and every snapshot has to show.
 */
final class CloneHistory {
    private static final int UNIT_LOG2 = 20;
    private static final int UNITS = 4;
    private static final int MAX_UNITS = 24;
    private static final int MAX_FILES = 8;

    /** A chunk of an object on the disks. */
    private record Place(long oid, long chunk) {}

    /** What a file has to show, and whether its object may hold more than that. */
    private static final class Content {
        int[] units = {};
        boolean hasMore;

        /** What its client has stored in chunks whose clones the master has not heard of. */
        final Map<Place, int[]> untold = new HashMap<>();

        /** The same for another file or a snapshot, which show what the master knows. */
        Content copy() {
            Content copy = new Content();
            copy.units = units.clone();
            return copy;
        }
    }

    final Bench bench = Bench.withPools(1);
    private final Random random;
    private final Map<Place, int[]> disk = new HashMap<>();
    private final Set<Place> sealed = new HashSet<>();
    private final Map<Long, Content> files = new TreeMap<>();
    private final Map<Integer, Map<Long, Content>> snapshots = new TreeMap<>();
    private int names;
    private int values;
    int clones;
    int revivals;
    int copies;

    CloneHistory(long seed) {
        random = new Random(seed);
    }

    /** Does so many things and compares everything now and then. */
    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            step(random.nextInt(28));
            compare();
            if (i % 16 == 0) {
                check();
            }
        }
        check();
    }

    private void step(int kind) {
        if (files.isEmpty() || (kind == 0 && files.size() < MAX_FILES)) {
            create();
            return;
        }
        long ino = any();
        switch (kind) {
            case 1, 2, 3, 4, 5 -> write(ino, random.nextInt(size(ino) + 1));
            case 6 -> fill(ino);
            case 7 -> writeWithoutCommit(ino);
            case 8 -> truncate(ino, random.nextInt(size(ino) + 1));
            case 9 -> lengthen(ino);
            case 10, 11, 12 -> cloneFile(ino);
            case 13 -> remove(ino);
            case 14 -> take();
            case 15 -> drop();
            case 16 -> bench.leader(new SnapshotMutation.SweepHistory(2 + random.nextInt(20)));
            case 17 -> collect();
            case 18 -> swap(ino, any());
            case 19, 20 -> storeWithoutTelling(ino);
            case 21, 22, 23 -> clonePast();
            case 25, 26, 27 -> copyRange(ino, any());
            default -> bench.reopen();
        }
    }

    private long any() {
        List<Long> all = List.copyOf(files.keySet());
        return all.get(random.nextInt(all.size()));
    }

    private Content content(long ino) {
        return Objects.requireNonNull(files.get(ino));
    }

    private int size(long ino) {
        return content(ino).units.length;
    }

    private static Layout layout(Inode inode) {
        return Objects.requireNonNull(inode.layout());
    }

    private long fence() {
        return bench.namespace.snapshotStatus().fence().firstOid();
    }

    private void create() {
        files.put(bench.create(Bench.ROOT, "f" + names++).ino(), new Content());
    }

    private void fill(long ino) {
        int end = random.nextInt(MAX_UNITS);
        for (int i = size(ino); i < end; i++) {
            write(ino, i);
        }
    }

    /** Stores a unit in a chunk as a client does, whatever stands in its way. */
    private void store(long ino, int unit, int value) {
        long chunk = unit / UNITS;
        for (int tries = 0; tries < 5; tries++) {
            Layout layout = layout(bench.inode(ino));
            Layout.Run run = layout.runOf(chunk);
            Place place = new Place(run.oid(), chunk);
            if (layout.isPending(chunk, run.oid())) {
                Place source = new Place(run.sourceOid(), chunk);
                sealed.add(source);
                disk.computeIfAbsent(place, _ -> cut(source, run.sourceLengthBytes()));
                long[] indices = {chunk};
                bench.as(1, new ContentMutation.CloneDone(ino, indices, new long[] {run.oid()}));
                told(content(ino), place);
            } else if (run.oid() < fence()) {
                long[] indices = {chunk};
                bench.ok(new ContentMutation.RenewChunks(ino, indices, new long[] {run.oid()}));
            } else {
                assertFalse(sealed.contains(place), "a chunk that was cloned is written to");
                disk.computeIfAbsent(place, _ -> new int[UNITS])[unit % UNITS] = value;
                return;
            }
        }
        throw new AssertionError("no chunk for inode " + ino);
    }

    /** The master knows that a chunk is cloned: what was stored in it before shows, too. */
    private static void told(Content content, Place place) {
        int[] stored = content.untold.remove(place);
        for (int i = 0; stored != null && i < UNITS; i++) {
            if (stored[i] != 0) {
                content.units[(int) place.chunk * UNITS + i] = stored[i];
            }
        }
    }

    /**
     * As a client that has a chunk cloned on the chunk servers, stores something in it, and tells
     * the master of both with its next commit. Often somebody clones the file before.
     */
    private void storeWithoutTelling(long ino) {
        if (size(ino) == 0 || bench.inode(ino).inline() != null) {
            return;
        }
        int unit = random.nextInt(size(ino));
        long chunk = unit / UNITS;
        Layout.Run run = layout(bench.inode(ino)).runOf(chunk);
        if (run.oid() < fence() && !layout(bench.inode(ino)).isPending(chunk, run.oid())) {
            long[] indices = {chunk};
            bench.ok(new ContentMutation.RenewChunks(ino, indices, new long[] {run.oid()}));
            run = layout(bench.inode(ino)).runOf(chunk);
        }
        if (run.sourceOid() == 0 || run.firstChunk() != chunk || run.oid() < fence()) {
            return;
        }
        Place place = new Place(run.oid(), chunk);
        Place source = new Place(run.sourceOid(), chunk);
        long lengthBytes = run.sourceLengthBytes();
        sealed.add(source);
        int value = ++values;
        disk.computeIfAbsent(place, _ -> cut(source, lengthBytes))[unit % UNITS] = value;
        content(ino).untold.computeIfAbsent(place, _ -> new int[UNITS])[unit % UNITS] = value;
        if (random.nextBoolean()) {
            cloneFile(ino);
        }
    }

    private int[] cut(Place source, long lengthBytes) {
        int[] units = disk.getOrDefault(source, new int[UNITS]);
        return Arrays.copyOf(Arrays.copyOf(units, (int) (lengthBytes >> UNIT_LOG2)), UNITS);
    }

    private void write(long ino, int unit) {
        if (unit >= MAX_UNITS) {
            return;
        }
        int value = ++values;
        store(ino, unit, value);
        Inode inode = bench.inode(ino);
        Content content = content(ino);
        long sizeBytes = (long) Math.max(content.units.length, unit + 1) << UNIT_LOG2;
        if (inode.inline() != null) {
            long version = inode.attributes().version();
            bench.ok(new ContentMutation.Spill(ino, version, sizeBytes, sizeBytes, 5));
        } else {
            long oid = layout(inode).lastOid();
            bench.ok(new ContentMutation.CommitSize(ino, oid, sizeBytes, 0, 5));
        }
        content.units = Arrays.copyOf(content.units, (int) (sizeBytes >> UNIT_LOG2));
        content.units[unit] = value;
    }

    /** As a client that stores bytes beyond the end and goes on later. */
    private void writeWithoutCommit(long ino) {
        int unit = size(ino);
        if (unit < MAX_UNITS && bench.inode(ino).inline() == null) {
            store(ino, unit, -(++values));
            content(ino).hasMore = true;
        }
    }

    private void truncate(long ino, int units) {
        bench.truncate(ino, (long) units << UNIT_LOG2);
        Content content = content(ino);
        content.hasMore &= units == content.units.length && units > 0;
        content.units = Arrays.copyOf(content.units, units);
    }

    private void lengthen(long ino) {
        Content content = content(ino);
        int units = Math.min(MAX_UNITS, content.units.length + random.nextInt(6));
        if (content.hasMore) {
            bench.leader(new LeaderMutation.DoubtObjects());
        }
        if (units > content.units.length) {
            bench.truncate(ino, (long) units << UNIT_LOG2);
            content.units = Arrays.copyOf(content.units, units);
            content.hasMore = false;
        }
    }

    private void cloneFile(long ino) {
        if (files.size() >= MAX_FILES) {
            return;
        }
        Name name = Name.of("c" + names++);
        done(bench.leader(new SnapshotMutation.BeginClone(ino, Bench.ROOT, name)));
        SnapshotRecord begun = bench.namespace.snapshotStatus().begun();
        if (begun != null) {
            assertTrue(begun.isClone());
            if (random.nextBoolean()) {
                long other = any();
                truncate(other, random.nextInt(size(other) + 1));
            }
            if (random.nextInt(4) == 0) {
                bench.reopen();
            }
            done(bench.leader(new SnapshotMutation.FinishSnapshot(begun.number())));
            clones++;
        }
        Reply reply = bench.read(new Query.Lookup(Bench.ROOT, name));
        Inode clone = assertInstanceOf(Reply.EntryReply.class, reply).inode();
        files.put(clone.ino(), content(ino).copy());
    }

    /** Brings a file back from a snapshot, whatever has become of it. */
    private void clonePast() {
        if (files.size() >= MAX_FILES || snapshots.isEmpty()) {
            return;
        }
        List<Integer> all = List.copyOf(snapshots.keySet());
        int number = all.get(random.nextInt(all.size()));
        Map<Long, Content> then = Objects.requireNonNull(snapshots.get(number));
        if (then.isEmpty()) {
            return;
        }
        List<Long> inos = List.copyOf(then.keySet());
        long ino = inos.get(random.nextInt(inos.size()));
        Name name = Name.of("p" + names++);
        long past = PastInode.of(number, ino);
        done(bench.leader(new SnapshotMutation.BeginClone(past, Bench.ROOT, name)));
        Reply reply = bench.read(new Query.Lookup(Bench.ROOT, name));
        Inode clone = assertInstanceOf(Reply.EntryReply.class, reply).inode();
        files.put(clone.ino(), Objects.requireNonNull(then.get(ino)).copy());
        revivals += clone.inline() == null ? 1 : 0;
    }

    /** Copies from the end of a file on, as far as the files can share chunks. */
    private void copyRange(long ino, long from) {
        int first = size(ino);
        if (random.nextInt(3) == 0) {
            truncate(ino, first - first % UNITS);
            first = size(ino);
        }
        int fence = random.nextInt(3) > 0 ? taken() : 0;
        Reply reply =
                bench.as(
                        1,
                        new SharingMutation.ShareChunks(
                                ino,
                                bench.inode(ino).attributes().version(),
                                from,
                                (long) first << UNIT_LOG2,
                                1L + random.nextInt(MAX_UNITS << UNIT_LOG2)));
        if (reply instanceof Reply.EntryReply entry) {
            int end = (int) (entry.inode().attributes().size() >> UNIT_LOG2);
            Content content = content(ino);
            int[] units = Arrays.copyOf(content.units, end);
            System.arraycopy(content(from).units, first, units, first, end - first);
            content.units = units;
            content.hasMore = false;
            copies++;
        }
        if (fence != 0) {
            done(bench.leader(new SnapshotMutation.DropSnapshot(fence)));
        }
    }

    private static void done(Reply reply) {
        assertEquals(new Reply.Done(), reply);
    }

    private void remove(long ino) {
        Reply path = bench.read(new Query.GetPath(ino));
        byte[] name = assertInstanceOf(Reply.BytesReply.class, path).bytes();
        bench.unlink(
                Bench.ROOT,
                new String(name, 1, name.length - 1, java.nio.charset.StandardCharsets.UTF_8));
        bench.leader(new LeaderMutation.Purge(new long[] {ino}));
        files.remove(ino);
    }

    private void take() {
        if (snapshots.size() >= 3) {
            return;
        }
        Map<Long, Content> then = new TreeMap<>();
        files.forEach((ino, content) -> then.put(ino, content.copy()));
        snapshots.put(taken(), then);
    }

    private int taken() {
        Name name = Name.of("s" + names++);
        done(bench.leader(new SnapshotMutation.BeginSnapshot(Bench.ROOT, name)));
        SnapshotRecord begun = Objects.requireNonNull(bench.namespace.snapshotStatus().begun());
        done(bench.leader(new SnapshotMutation.FinishSnapshot(begun.number())));
        return begun.number();
    }

    private void drop() {
        if (!snapshots.isEmpty()) {
            List<Integer> all = List.copyOf(snapshots.keySet());
            int number = all.get(random.nextInt(all.size()));
            snapshots.remove(number);
            done(bench.leader(new SnapshotMutation.DropSnapshot(number)));
        }
    }

    /** Chunk servers delete what is released. */
    private void collect() {
        List<GarbageTask> tasks = bench.namespace.garbage(0, 10_000);
        for (GarbageTask task : tasks) {
            disk.keySet().removeIf(place -> isIn(task, place));
            sealed.removeIf(place -> isIn(task, place));
        }
        long[] ids = tasks.stream().mapToLong(GarbageTask::entryId).toArray();
        bench.leader(new LeaderMutation.Collected(ids));
    }

    private static boolean isIn(GarbageTask task, Place place) {
        return task.oid() == place.oid
                && task.fromChunk() <= place.chunk
                && place.chunk < task.endChunk();
    }

    private void swap(long one, long other) {
        if (one == other) {
            return;
        }
        bench.ok(
                new ContentMutation.SwapContents(
                        one,
                        bench.inode(one).attributes().version(),
                        other,
                        bench.inode(other).attributes().version()));
        Content content = content(one);
        files.put(one, content(other));
        files.put(other, content);
    }

    private void compare() {
        files.forEach((ino, content) -> compare(bench.inode(ino), content));
        snapshots.forEach(
                (number, then) ->
                        then.forEach(
                                (ino, content) ->
                                        compare(
                                                bench.inodeOf(
                                                        new Query.GetInode(
                                                                PastInode.of(number, ino))),
                                                content)));
    }

    private void compare(Inode inode, Content content) {
        int units = (int) (inode.attributes().size() >> UNIT_LOG2);
        int[] found = new int[units];
        if (inode.inline() == null) {
            Layout layout = layout(inode);
            for (int i = 0; i < units; i++) {
                Layout.Run run = layout.runOf(i / UNITS);
                Place place = new Place(run.oid(), i / UNITS);
                int[] chunk =
                        layout.isPending(place.chunk, run.oid())
                                ? cut(
                                        new Place(run.sourceOid(), place.chunk),
                                        run.sourceLengthBytes())
                                : disk.getOrDefault(place, new int[UNITS]);
                found[i] = chunk[i % UNITS];
            }
        }
        assertArrayEquals(content.units, found, () -> inode + " shows something else");
    }

    /** All invariants hold, and no chunk on the disks is forgotten. */
    private void check() {
        bench.verify();
        View view = new View(bench.store, new InodeCache());
        ObjectUses uses = new ObjectUseScan(view).after(Long.MIN_VALUE, 1 << 20);
        List<GarbageTask> garbage = bench.namespace.garbage(0, 10_000);
        for (Place place : disk.keySet()) {
            boolean isUsed =
                    uses.of(place.oid).stream().anyMatch(use -> use.covers(1, place.chunk));
            boolean isGarbage = garbage.stream().anyMatch(task -> isIn(task, place));
            assertTrue(isUsed || isGarbage, () -> place + " is neither used nor garbage");
        }
    }

    private boolean isSweepDue() {
        SnapshotStatus status = bench.namespace.snapshotStatus();
        return status.isSweeping() || status.isFenceIdle();
    }

    /** Removes everything: nothing is left anywhere. */
    void finish() {
        while (!snapshots.isEmpty()) {
            drop();
        }
        for (long ino : new ArrayList<>(files.keySet())) {
            remove(ino);
        }
        for (int i = 0; i < 10_000 && isSweepDue(); i++) {
            bench.leader(new SnapshotMutation.SweepHistory(1000));
        }
        assertEquals(0, fence());
        collect();
        bench.verify();
        assertEquals(Map.of(), disk);
        assertEquals(0, bench.store.size(Family.SHARED));
        assertEquals(0, bench.store.size(Family.HELD));
        assertEquals(0, bench.store.size(Family.GC));
        take();
        drop();
        assertEquals(0, fence());
    }
}
