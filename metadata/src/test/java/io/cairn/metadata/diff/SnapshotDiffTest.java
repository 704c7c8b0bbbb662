package io.cairn.metadata.diff;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.state.Moment;
import io.cairn.metadata.state.StoredState;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class SnapshotDiffTest {
    private static final int MANY = 100_000;
    private static final int RUNS = 150;

    private Bench bench = Bench.withPools(1);

    private SnapshotRecord take(long root, String name) {
        bench.leader(new SnapshotMutation.BeginSnapshot(root, Name.of(name)));
        int number = Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
        bench.leader(new SnapshotMutation.FinishSnapshot(number));
        return bench.namespace.snapshots().stream()
                .filter(each -> each.number() == number)
                .findFirst()
                .orElseThrow();
    }

    private SnapshotDiff.Outcome changes(SnapshotRecord since, Moment until, int max) {
        try (StoredState state = bench.namespace.snapshot()) {
            return new SnapshotDiff(state, since, until, max).compare();
        }
    }

    private List<String> told(SnapshotRecord since, Moment until) {
        SnapshotDiff.Outcome outcome = changes(since, until, MANY);
        assertTrue(outcome.isComplete());
        return outcome.changes().stream().map(SnapshotDiffTest::text).toList();
    }

    private static String text(PathChange change) {
        byte[] before = change.before();
        return change.kind()
                + " "
                + new String(change.path(), StandardCharsets.UTF_8)
                + (before == null ? "" : " from " + new String(before, StandardCharsets.UTF_8));
    }

    @Test
    void tellsOfEachKind() {
        long dir = bench.mkdir(Bench.ROOT, "d").ino();
        long sub = bench.mkdir(dir, "sub").ino();
        bench.create(sub, "inside");
        long edited = bench.create(dir, "edited", "old").ino();
        bench.create(dir, "goes");
        bench.create(dir, "moves");
        bench.create(dir, "stays");
        long doomed = bench.mkdir(dir, "doomed").ino();
        bench.create(doomed, "x");
        SnapshotRecord first = take(dir, "first");
        assertEquals(List.of(), told(first, Moment.NOW));
        bench.unlink(dir, "goes");
        bench.rename(dir, "moves", sub, "moved");
        bench.rename(dir, "sub", dir, "other");
        bench.change(edited, AttributeChange.NONE.withMode(0600));
        bench.unlink(doomed, "x");
        bench.as(1, new TreeMutation.Rmdir(dir, Name.of("doomed")));
        SnapshotRecord second = take(dir, "second");
        List<String> changes =
                List.of(
                        "REMOVED doomed",
                        "REMOVED doomed/x",
                        "CHANGED edited",
                        "REMOVED goes",
                        "MOVED other from sub",
                        "MOVED other/moved from moves");
        assertEquals(changes, told(first, Moment.NOW));
        long fresh = bench.mkdir(dir, "fresh").ino();
        bench.create(fresh, "a");
        bench.unlink(dir, "stays");
        bench.create(dir, "stays");
        assertEquals(changes, told(first, second.moment()));
        assertEquals(
                List.of("ADDED fresh", "ADDED fresh/a", "ADDED stays", "REMOVED stays"),
                told(second, Moment.NOW));
    }

    @Test
    void whatIsInTheTrashIsRemoved() {
        bench.leader(new TrashMutation.SetRetention(Bench.ROOT, 3600));
        bench.create(Bench.ROOT, "early");
        bench.unlink(Bench.ROOT, "early");
        bench.create(Bench.ROOT, "f");
        SnapshotRecord since = take(Bench.ROOT, "s");
        bench.unlink(Bench.ROOT, "f");
        assertEquals(List.of("REMOVED f"), told(since, Moment.NOW));
    }

    @Test
    void whatIsMovedAcrossTheRootIsListed() {
        long in = bench.mkdir(Bench.ROOT, "in").ino();
        long leaves = bench.mkdir(in, "leaves").ino();
        bench.create(leaves, "f");
        long comes = bench.mkdir(Bench.ROOT, "comes").ino();
        bench.create(comes, "g");
        SnapshotRecord taken = take(in, "s");
        bench.rename(in, "leaves", Bench.ROOT, "left");
        bench.rename(Bench.ROOT, "comes", in, "came");
        assertEquals(
                List.of("ADDED came", "ADDED came/g", "REMOVED leaves", "REMOVED leaves/f"),
                told(taken, Moment.NOW));
    }

    @Test
    void aLimitIsTold() {
        SnapshotRecord taken = take(Bench.ROOT, "s");
        for (int i = 0; i < 50; i++) {
            bench.create(Bench.ROOT, "f" + i);
        }
        SnapshotDiff.Outcome some = changes(taken, Moment.NOW, 10);
        assertFalse(some.isComplete());
        assertTrue(some.changes().size() <= 11);
        assertEquals(50, told(taken, Moment.NOW).size());
    }

    /** A name as a listing finds it. */
    private record Listed(long parent, Name name, long ino, String path) {
        List<Object> key() {
            return List.of(parent, name, ino);
        }
    }

    /** All below a directory in a state; 0 is that of now. */
    private List<Listed> list(int snapshot, long root) {
        List<Listed> found = new ArrayList<>();
        Deque<Listed> left = new ArrayDeque<>();
        left.add(new Listed(0, Name.of("root"), root, ""));
        while (!left.isEmpty()) {
            Listed at = left.remove();
            long ino = snapshot == 0 ? at.ino : PastInode.of(snapshot, at.ino);
            Reply reply = bench.read(new Query.ReadDirectory(ino, 0, 4096, false));
            for (DirectoryEntry entry :
                    assertInstanceOf(Reply.DirectoryReply.class, reply).entries()) {
                long child = PastInode.isPast(ino) ? PastInode.livingOf(entry.ino()) : entry.ino();
                String path = (at.path.isEmpty() ? "" : at.path + "/") + entry.name();
                Listed listed = new Listed(at.ino, entry.name(), child, path);
                found.add(listed);
                if (entry.type() == FileType.DIRECTORY) {
                    left.add(listed);
                }
            }
        }
        return found;
    }

    private Inode inode(int snapshot, long ino) {
        return snapshot == 0
                ? bench.inode(ino)
                : bench.inodeOf(new Query.GetInode(PastInode.of(snapshot, ino)));
    }

    private String contentsOf(int snapshot, long ino) {
        Inode inode = inode(snapshot, ino);
        Attributes a = inode.attributes();
        long shown = snapshot == 0 ? ino : PastInode.of(snapshot, ino);
        StringBuilder all = new StringBuilder();
        all.append(a.mode()).append(' ').append(a.uid()).append(' ');
        if (!a.isDirectory()) {
            all.append(a.size()).append(' ').append(a.mtimeNs());
            all.append(Arrays.toString(inode.inline()));
        }
        Reply names = bench.read(new Query.ListXattr(shown));
        Map<String, String> xattrs = new TreeMap<>();
        for (byte[] name : assertInstanceOf(Reply.NamesReply.class, names).names()) {
            Reply value = bench.read(new Query.GetXattr(shown, name));
            xattrs.put(Arrays.toString(name), Arrays.toString(((Reply.BytesReply) value).bytes()));
        }
        return all.append(xattrs).toString();
    }

    /** The path of its home; empty when that is not in the listing. */
    private String home(int snapshot, long ino, List<Listed> all) {
        Inode inode = inode(snapshot, ino);
        long parent = inode.parentIno();
        long living = PastInode.isPast(parent) ? PastInode.livingOf(parent) : parent;
        return all.stream()
                .filter(e -> e.ino == ino && e.parent == living)
                .filter(e -> e.name.cookie() == inode.nameCookie())
                .map(Listed::path)
                .findFirst()
                .orElse("");
    }

    private List<String> compared(int since, int until, long root) {
        List<Listed> before = list(since, root);
        List<Listed> after = list(until, root);
        Comparator<Listed> order = Comparator.comparing(Listed::path);
        before.sort(order);
        after.sort(order);
        Set<List<Object>> keysBefore = new HashSet<>();
        before.forEach(each -> keysBefore.add(each.key()));
        Set<List<Object>> keysAfter = new HashSet<>();
        after.forEach(each -> keysAfter.add(each.key()));
        Map<Long, Deque<Listed>> gone = new HashMap<>();
        List<String> changes = new ArrayList<>();
        for (Listed each : before) {
            if (!keysAfter.contains(each.key())) {
                gone.computeIfAbsent(each.ino, _ -> new ArrayDeque<>()).add(each);
            }
        }
        for (Listed each : after) {
            if (!keysBefore.contains(each.key())) {
                Deque<Listed> was = gone.get(each.ino);
                Listed old = was == null ? null : was.poll();
                changes.add(
                        old == null
                                ? "ADDED " + each.path
                                : "MOVED " + each.path + " from " + old.path);
            }
        }
        gone.values().forEach(left -> left.forEach(each -> changes.add("REMOVED " + each.path)));
        Set<Long> inos = new HashSet<>();
        before.forEach(each -> inos.add(each.ino));
        Set<Long> left = new HashSet<>();
        after.forEach(each -> left.add(each.ino));
        inos.retainAll(left);
        for (long ino : inos) {
            String homeBefore = home(since, ino, before);
            String homeAfter = home(until, ino, after);
            if (!homeBefore.isEmpty()
                    && !homeAfter.isEmpty()
                    && !contentsOf(since, ino).equals(contentsOf(until, ino))) {
                changes.add("CHANGED " + homeAfter);
            }
        }
        if (!contentsOf(since, root).equals(contentsOf(until, root))) {
            changes.add("CHANGED ");
        }
        changes.sort(null);
        return changes;
    }

    private void requireSame(SnapshotRecord since, @Nullable SnapshotRecord until, String hint) {
        int to = until == null ? 0 : until.number();
        List<String> told =
                new ArrayList<>(told(since, until == null ? Moment.NOW : until.moment()));
        told.sort(null);
        assertEquals(compared(since.number(), to, since.root()), told, hint);
    }

    /** Any operations: the records of the history tell what a comparison of two listings finds. */
    @Test
    void tellsWhatTwoListingsTell() {
        for (int seed = 0; seed < RUNS; seed++) {
            bench = Bench.withPools(1);
            Random random = new Random(seed);
            long in = bench.mkdir(Bench.ROOT, "in").ino();
            List<Long> directories = new ArrayList<>(List.of(Bench.ROOT, in));
            List<Long> files = new ArrayList<>();
            work(random, directories, files);
            SnapshotRecord first = take(in, "first");
            work(random, directories, files);
            requireSame(first, null, "seed " + seed);
            SnapshotRecord second = take(in, "second");
            work(random, directories, files);
            requireSame(first, second, "seed " + seed);
            requireSame(first, null, "seed " + seed);
            requireSame(second, null, "seed " + seed);
            bench.leader(new SnapshotMutation.DropSnapshot(second.number()));
            while (bench.namespace.snapshotStatus().isSweeping()) {
                bench.leader(new SnapshotMutation.SweepHistory(100));
            }
            requireSame(first, null, "seed " + seed);
        }
    }

    private void work(Random random, List<Long> directories, List<Long> files) {
        for (int i = 0; i < 25; i++) {
            bench.nowNs += 1000;
            long dir = directories.get(random.nextInt(directories.size()));
            long other = directories.get(random.nextInt(directories.size()));
            Name name = Name.of("n" + random.nextInt(4));
            Name otherName = Name.of("n" + random.nextInt(4));
            long file = files.isEmpty() ? 0 : files.get(random.nextInt(files.size()));
            Mutation mutation =
                    switch (random.nextInt(10)) {
                        case 0, 1 -> Bench.creation(dir, name.toString(), "x");
                        case 2 -> new TreeMutation.Mkdir(dir, name, 0755, 1, 2);
                        case 3 -> new TreeMutation.Unlink(dir, name);
                        case 4 -> new TreeMutation.Rmdir(dir, name);
                        case 5, 6 -> new TreeMutation.Rename(dir, name, other, otherName, 0, 0, 0);
                        case 7 -> new TreeMutation.Link(file, dir, name);
                        case 8 ->
                                new TreeMutation.SetXattr(
                                        random.nextBoolean() ? file : dir,
                                        "user.a".getBytes(StandardCharsets.UTF_8),
                                        Long.toString(bench.nowNs).getBytes(StandardCharsets.UTF_8),
                                        0);
                        default ->
                                new TreeMutation.SetAttributes(
                                        random.nextBoolean() ? file : dir,
                                        AttributeChange.NONE.withMode(random.nextInt(8) * 64));
                    };
            if (bench.as(1, mutation) instanceof Reply.EntryReply entry) {
                if (mutation instanceof TreeMutation.Mkdir) {
                    directories.add(entry.inode().ino());
                } else if (mutation instanceof TreeMutation.Create) {
                    files.add(entry.inode().ino());
                }
            }
            if (file != 0 && random.nextInt(3) == 0 && bench.namespace.inode(file) != null) {
                bench.as(
                        1,
                        new ContentMutation.WriteInline(
                                file,
                                bench.inode(file).cuts(),
                                List.of(new ContentMutation.Patch(0, new byte[] {(byte) i})),
                                1,
                                bench.nowNs));
            }
            if (file != 0 && random.nextInt(9) == 0) {
                bench.leader(new LeaderMutation.Purge(new long[] {file}));
            }
        }
    }
}
