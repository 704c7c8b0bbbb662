package io.cairn.simulation;

import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.simulation.TreeModel.Node;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A clone of a directory that a job of the masters makes out of a snapshot: of the files that
 * clients write, or of a directory whose names one client changes.
 */
final class CloneTree {
    private static final int PER_SECOND = 200;

    /** In the root directory. */
    final String name;

    final long request;

    /** The snapshot that somebody dropped perhaps; null for one that is taken for it. */
    final @Nullable SnapshotModel snapshot;

    /** The names, of one whose names are known. */
    private final @Nullable TreeModel tree;

    private @Nullable Map<String, Node> wanted;
    private long version;

    /** What it surely has, of files. */
    final List<CloneModel> files = new ArrayList<>();

    private long pastIno;
    private long job;
    private boolean over;
    private long ino;

    /** Of the files, as they are at a moment from now on. */
    CloneTree(String name, long request, Oracle oracle) {
        this.name = name;
        this.request = request;
        this.snapshot = null;
        this.tree = null;
        for (FileModel file : oracle.files) {
            if (file.isAmongMost()) {
                files.add(new CloneModel(name + "/" + file.name, file));
            }
        }
    }

    /** Of a directory of names, as it is at a moment from now on. */
    CloneTree(String name, long request, TreeModel tree) {
        this.name = name;
        this.request = request;
        this.snapshot = null;
        this.tree = tree;
        this.version = tree.version();
        this.wanted = isStill(tree) ? new TreeMap<>(tree.nodes()) : null;
    }

    /**
     * As a snapshot shows it, which can be read.
     *
     * @param directory the inode of the directory with the files, for one without a tree
     */
    CloneTree(
            String name,
            long request,
            SnapshotModel snapshot,
            @Nullable TreeModel tree,
            long directory) {
        this.name = name;
        this.request = request;
        this.snapshot = snapshot;
        this.tree = tree;
        if (tree == null) {
            for (FileModel file : snapshot.files()) {
                if (file.isAmongMost()) {
                    files.add(snapshot.clone(name + "/" + file.name, file));
                }
            }
        } else {
            wanted = snapshot.nodes(tree);
        }
        pastIno = snapshot.in(tree == null ? directory : tree.ino);
    }

    private static boolean isStill(TreeModel tree) {
        return !tree.isRetired() && tree.version() % 2 == 0;
    }

    /** The snapshot is taken from which the job makes it: that of this inode. */
    void taken(long newPastIno, Oracle oracle) {
        pastIno = newPastIno;
        files.removeIf(clone -> !oracle.files.contains(clone.source));
        files.forEach(CloneModel::taken);
        if (tree != null && (!isStill(tree) || tree.version() != version)) {
            wanted = null;
        }
    }

    /** Whether the job can be ordered, or was. */
    boolean isTaken() {
        return pastIno != 0;
    }

    JobOrder order() {
        return new JobOrder(
                JobOrder.Kind.CLONE,
                ("/" + name).getBytes(StandardCharsets.UTF_8),
                pastIno,
                FileSystem.ROOT_INO,
                Name.of(name),
                InodeEdit.NONE,
                "operator",
                PER_SECOND);
    }

    /** The leader has taken the order. */
    void ordered(long number) {
        job = number;
    }

    /** Number of the job, 0 before it is known. */
    long job() {
        return job;
    }

    /** Nothing comes of it any more, or it is made. */
    void end() {
        over = true;
    }

    boolean isOver() {
        return over;
    }

    /** It is made, and is this inode. */
    void made(long newIno) {
        ino = newIno;
        end();
    }

    /** Its inode; 0 before it is made. */
    long ino() {
        return ino;
    }

    /** Whether it is known which names it has. */
    boolean hasKnownNames() {
        return ino != 0 && wanted != null;
    }

    /** Why a listing cannot be that of it, or null when it can. */
    @Nullable String mismatch(Map<String, Node> found) {
        Map<String, Node> nodes = wanted;
        if (tree == null || nodes == null) {
            return null;
        }
        Map<String, Node> names = new TreeMap<>();
        nodes.forEach((path, node) -> names.put(path, new Node(0, node.directory())));
        String difference = tree.difference(names, found);
        if (difference == null) {
            difference = mismatchOfLinks(nodes, found);
        }
        return difference == null ? null : "clone " + name + ": " + difference;
    }

    /** Names of one file are names of one file in the clone, which is another one. */
    private static @Nullable String mismatchOfLinks(
            Map<String, Node> wanted, Map<String, Node> found) {
        Map<Long, Long> clones = new HashMap<>();
        Map<Long, Long> sources = new HashMap<>();
        for (Map.Entry<String, Node> each : wanted.entrySet()) {
            long source = each.getValue().ino();
            Node there = found.get(each.getKey());
            if (source == 0 || there == null) {
                continue;
            }
            Long clone = clones.putIfAbsent(source, there.ino());
            Long known = sources.putIfAbsent(there.ino(), source);
            boolean isOther = clone != null && clone != there.ino();
            if (isOther || (known != null && known != source) || there.ino() == source) {
                return each + " is " + there + ", another name of its file is " + clone;
            }
        }
        return null;
    }
}
