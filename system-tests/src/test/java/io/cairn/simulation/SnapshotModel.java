package io.cairn.simulation;

import io.cairn.cluster.PastInode;
import io.cairn.simulation.TreeModel.Node;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the whole tree: of each file it shows what was acknowledged before it was asked
 * for, and nothing that was begun after it could be read. Of each directory that nobody changed
 * meanwhile it shows exactly what was there, and it shows the same whenever it is read.
 */
final class SnapshotModel {
    private record Tree(long version, Map<String, Node> nodes) {}

    final String name;
    private final Map<FileModel, Integer> since = new LinkedHashMap<>();
    private final Map<FileModel, Integer> until = new LinkedHashMap<>();
    private final Map<TreeModel, Tree> trees = new LinkedHashMap<>();
    private final Map<FileModel, ByteBuffer> seen = new HashMap<>();
    private int number;
    private boolean dropped;

    /** It is asked for now. */
    SnapshotModel(String name, Oracle oracle) {
        this.name = name;
        oracle.files.forEach(file -> since.put(file, file.acknowledged()));
        for (TreeModel tree : oracle.trees) {
            if (isStill(tree)) {
                trees.put(tree, new Tree(tree.version(), new TreeMap<>(tree.nodes())));
            }
        }
    }

    private static boolean isStill(TreeModel tree) {
        return !tree.isRetired() && tree.version() % 2 == 0;
    }

    /** It can be read from now on. */
    void live(int newNumber, Oracle oracle) {
        number = newNumber;
        for (FileModel file : since.keySet()) {
            if (oracle.files.contains(file)) {
                until.put(file, file.all());
            }
        }
        trees.entrySet()
                .removeIf(
                        each ->
                                !isStill(each.getKey())
                                        || each.getKey().version() != each.getValue().version());
    }

    /** Whether it can be read; nobody knows it as long as no number was seen. */
    boolean isLive() {
        return number != 0 && !dropped;
    }

    /** It is going to be dropped. */
    void drop() {
        dropped = true;
    }

    /** The files that it surely has. */
    List<FileModel> files() {
        return List.copyOf(until.keySet());
    }

    /** The directories of which it is known what it shows. */
    List<TreeModel> trees() {
        return List.copyOf(trees.keySet());
    }

    /** The number of an inode in it. */
    long in(long ino) {
        return PastInode.of(number, ino);
    }

    /**
     * Why contents cannot be those of a file in it, or null when they can.
     *
     * @param mayFade whether power was lost that had written bytes which were never synced
     */
    @Nullable String mismatch(FileModel file, ByteBuffer contents, boolean mayFade) {
        String mismatch = file.mismatch(contents, of(since, file), of(until, file), true);
        if (mismatch != null) {
            return "snapshot " + name + ": " + mismatch;
        }
        ByteBuffer before = seen.putIfAbsent(file, contents);
        boolean isOther = before != null && !before.equals(contents);
        return isOther && !mayFade ? "snapshot " + name + " of " + file.name + " changed" : null;
    }

    /** What a clone of a file in it has. */
    CloneModel clone(String cloneName, FileModel file) {
        return new CloneModel(cloneName, file, of(since, file), of(until, file));
    }

    /** What it shows of a directory, with the numbers of the living inodes. */
    Map<String, Node> nodes(TreeModel tree) {
        return Objects.requireNonNull(trees.get(tree)).nodes();
    }

    private static int of(Map<FileModel, Integer> counts, FileModel file) {
        return Objects.requireNonNull(counts.get(file));
    }

    /** Why a listing cannot be that of a directory in it, or null when it can. */
    @Nullable String mismatch(TreeModel tree, Map<String, Node> found) {
        Map<String, Node> wanted = new TreeMap<>();
        Objects.requireNonNull(trees.get(tree))
                .nodes()
                .forEach(
                        (path, node) -> {
                            long ino = node.ino() == 0 ? 0 : in(node.ino());
                            wanted.put(path, new Node(ino, node.directory()));
                        });
        String mismatch = tree.difference(wanted, found);
        return mismatch == null ? null : "snapshot " + name + ": " + mismatch;
    }
}
