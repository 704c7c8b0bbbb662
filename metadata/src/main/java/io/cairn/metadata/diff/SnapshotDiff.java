package io.cairn.metadata.diff;

import io.cairn.cluster.Inode;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.metadata.diff.PathChange.Kind;
import io.cairn.metadata.diff.TreeSide.Entry;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.state.HistoryKeys;
import io.cairn.metadata.state.InodeCache;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Moment;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
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
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What has changed below the root of a snapshot until a later moment.
 *
 * <p>An inode that has changed since the snapshot has a record in the history that the snapshot
 * shows. A directory in which names have changed is such an inode: only these are looked into, for
 * records of names that are gone, and for names that are younger than the snapshot. What is below a
 * directory that was added, removed, or moved in or out is listed. What only moved with a directory
 * is not.
 *
 * <p>A file with several names is told as changed under its home. For one thread, and one use.
 */
public final class SnapshotDiff {
    private final View view;
    private final long fromVersion;
    private final long toVersion;
    private final TreeSide from;
    private final TreeSide to;
    private final int max;
    private final List<Entry> added = new ArrayList<>();
    private final List<Entry> removed = new ArrayList<>();
    private final List<PathChange> changes = new ArrayList<>();

    /**
     * The differences.
     *
     * @param changes in the order of their paths
     * @param isComplete false when there are more than were asked for: then some are missing, and
     *     something that was moved may be told as added or removed
     */
    public record Outcome(List<PathChange> changes, boolean isComplete) {}

    /**
     * Prepares a comparison.
     *
     * @param state stays the caller's to close
     * @param to a later moment
     * @param max about so many changes at most
     */
    public SnapshotDiff(StoredState state, SnapshotRecord snapshot, Moment to, int max) {
        this.view = new View(state, new InodeCache());
        this.fromVersion = snapshot.version();
        this.toVersion = to.version();
        this.from = new TreeSide(view.at(snapshot.moment()), snapshot.root());
        this.to = new TreeSide(view.at(to), snapshot.root());
        this.max = max;
    }

    /** Compares. Takes time in proportion to what has changed in the whole cluster. */
    public Outcome compare() {
        boolean isComplete = eachReplaced(Family.INODE, new byte[0], this::inode);
        isComplete &= descend(added, from, to);
        isComplete &= descend(removed, to, from);
        pair();
        Comparator<PathChange> order =
                Comparator.comparing(PathChange::path, Arrays::compareUnsigned);
        changes.sort(order.thenComparing(PathChange::kind));
        return new Outcome(List.copyOf(changes), isComplete);
    }

    private boolean isRoom() {
        return added.size() + removed.size() + changes.size() < max;
    }

    /** Records that the snapshot shows and that were replaced or removed until then. */
    private boolean eachReplaced(
            Family family, byte[] keyPrefix, Predicate<Transaction.Entry> visitor) {
        byte[] prefix = HistoryKeys.prefix(family, keyPrefix);
        boolean[] isComplete = {true};
        view.scan(
                Family.HISTORY,
                prefix,
                prefix,
                (key, value) -> {
                    long end = HistoryKeys.end(key);
                    boolean isShown =
                            Keys.versionOf(value) <= fromVersion
                                    && fromVersion < end
                                    && end <= toVersion;
                    isComplete[0] = !isShown || visitor.test(new Transaction.Entry(key, value));
                    return isComplete[0];
                });
        return isComplete[0];
    }

    private boolean inode(Transaction.Entry entry) {
        Inode before = Transaction.decodeInode(entry.value());
        long ino = before.ino();
        Inode after = to.inode(ino);
        if (after == null || !from.contains(ino) || !to.contains(ino)) {
            return true;
        }
        boolean isDirectory = before.attributes().isDirectory();
        if (differ(before, after)) {
            byte[] path = to.pathOf(ino);
            if (path != null) {
                changes.add(new PathChange(Kind.CHANGED, before.attributes().type(), path, null));
            }
        }
        return isRoom() && (!isDirectory || names(ino));
    }

    private boolean differ(Inode before, Inode after) {
        Attributes a = before.attributes();
        Attributes b = after.attributes();
        byte[] xattrs = Keys.xattr(before.ino(), new byte[0]);
        if (a.mode() != b.mode()
                || a.uid() != b.uid()
                || a.gid() != b.gid()
                || !a.acls().equals(b.acls())
                || !Arrays.equals(from.get(Family.XATTR, xattrs), to.get(Family.XATTR, xattrs))) {
            return true;
        }
        return !a.isDirectory()
                && (a.size() != b.size()
                        || a.mtimeNs() != b.mtimeNs()
                        || !Objects.equals(before.layout(), after.layout())
                        || !Arrays.equals(before.inline(), after.inline()));
    }

    /** Names in a directory that is in the tree before and after. */
    private boolean names(long directory) {
        boolean isComplete =
                eachReplaced(
                        Family.DENTRY,
                        Keys.of(directory),
                        old -> {
                            byte[] key = HistoryKeys.record(old.key());
                            Entry name = new Entry(key, Dentry.decode(old.value()));
                            if (!to.has(name)) {
                                removed.add(name);
                            }
                            return isRoom();
                        });
        to.each(
                directory,
                value -> Keys.versionOf(value) > fromVersion,
                name -> {
                    if (!from.has(name)) {
                        added.add(name);
                    }
                    return isRoom();
                });
        return isComplete && isRoom();
    }

    /** Adds what is below directories that the other state has not. */
    private boolean descend(List<Entry> names, TreeSide other, TreeSide side) {
        Deque<Entry> left = new ArrayDeque<>(names);
        Set<Long> seen = new HashSet<>();
        while (!left.isEmpty()) {
            Dentry each = left.remove().dentry();
            boolean isWhole =
                    each.type() == FileType.DIRECTORY
                            && !other.contains(each.ino())
                            && seen.add(each.ino());
            if (isWhole) {
                side.each(
                        each.ino(),
                        _ -> true,
                        name -> {
                            names.add(name);
                            return left.add(name) && isRoom();
                        });
            }
            if (!isRoom()) {
                return false;
            }
        }
        return true;
    }

    /** Names of one inode that came and went are moves. */
    private void pair() {
        Map<Long, Deque<Told>> gone = new HashMap<>();
        for (Told each : told(removed, from)) {
            gone.computeIfAbsent(each.entry.dentry().ino(), _ -> new ArrayDeque<>()).add(each);
        }
        for (Told each : told(added, to)) {
            Deque<Told> before = gone.get(each.entry.dentry().ino());
            Told was = before == null ? null : before.poll();
            changes.add(was == null ? each.as(Kind.ADDED, null) : each.as(Kind.MOVED, was.path));
        }
        gone.values().forEach(left -> left.forEach(e -> changes.add(e.as(Kind.REMOVED, null))));
    }

    /** A name with its path. */
    private record Told(Entry entry, byte[] path) {
        PathChange as(Kind kind, byte @Nullable [] before) {
            return new PathChange(kind, entry.dentry().type(), path, before);
        }
    }

    private static List<Told> told(List<Entry> names, TreeSide side) {
        List<Told> told = new ArrayList<>();
        for (Entry name : names) {
            byte[] path = side.path(name);
            if (path != null) {
                told.add(new Told(name, path));
            }
        }
        told.sort(Comparator.comparing(Told::path, Arrays::compareUnsigned));
        return told;
    }
}
