package io.cairn.simulation;

import io.cairn.base.Errno;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A directory that one client changes, by path: what each operation must answer, and what must be
 * there. When the outcome of an operation is unknown, nobody changes the directory any more and
 * either outcome may be there.
 */
final class TreeModel {
    /** Something with a name; ino 0 when it was never told. */
    record Node(long ino, boolean directory) {}

    /** What can be done. */
    enum Kind {
        CREATE,
        MKDIR,
        UNLINK,
        RMDIR,
        RENAME,
        LINK
    }

    /**
     * One operation.
     *
     * @param target the new path of RENAME and LINK; else empty
     */
    record Operation(Kind kind, String path, String target) {}

    final String name;
    final long ino;
    private Map<String, Node> nodes = new TreeMap<>();
    private @Nullable Map<String, Node> other;
    private @Nullable Operation underWay;
    private long version;

    TreeModel(String name, long ino) {
        this.name = name;
        this.ino = ino;
    }

    /** Paths with what they lead to. */
    Map<String, Node> nodes() {
        return nodes;
    }

    /** Counts operations begun and ended: equal and even means that nothing happened between. */
    long version() {
        return version;
    }

    /** Whether an operation with unknown outcome ended its use. */
    boolean isRetired() {
        return other != null;
    }

    /** The directories into which names can be put: the empty path is the whole. */
    List<String> directories() {
        List<String> paths = new ArrayList<>();
        paths.add("");
        nodes.forEach(
                (path, node) -> {
                    if (node.directory) {
                        paths.add(path);
                    }
                });
        return paths;
    }

    /** Paths of files. */
    List<String> files() {
        return nodes.entrySet().stream()
                .filter(each -> !each.getValue().directory)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The inode of a directory that exists. */
    long inoOf(String path) {
        Node node = path.isEmpty() ? new Node(ino, true) : nodes.get(path);
        if (node == null) {
            throw new IllegalArgumentException("no " + path);
        }
        return node.ino;
    }

    /** An operation is sent. */
    void begin(Operation operation) {
        underWay = operation;
        version++;
    }

    /** What it must answer: null for success. */
    @Nullable Errno expected(Operation operation) {
        Node node = nodes.get(operation.path);
        Node target = nodes.get(operation.target);
        return switch (operation.kind) {
            case CREATE, MKDIR -> node == null ? null : Errno.EEXIST;
            case UNLINK -> node == null ? Errno.ENOENT : node.directory ? Errno.EISDIR : null;
            case RMDIR -> rmdir(operation.path, node);
            case LINK -> target == null ? null : Errno.EEXIST;
            case RENAME -> rename(operation, node, target);
        };
    }

    private @Nullable Errno rmdir(String path, @Nullable Node node) {
        if (node == null) {
            return Errno.ENOENT;
        }
        if (!node.directory) {
            return Errno.ENOTDIR;
        }
        return isEmpty(path) ? null : Errno.ENOTEMPTY;
    }

    private @Nullable Errno rename(
            Operation operation, @Nullable Node node, @Nullable Node target) {
        if (node == null) {
            return Errno.ENOENT;
        }
        if (operation.target.startsWith(operation.path + "/")) {
            return Errno.EINVAL;
        }
        if (target == null || target.equals(node)) {
            return null;
        }
        if (node.directory != target.directory) {
            return node.directory ? Errno.ENOTDIR : Errno.EISDIR;
        }
        return node.directory && !isEmpty(operation.target) ? Errno.ENOTEMPTY : null;
    }

    private boolean isEmpty(String directory) {
        return nodes.keySet().stream().noneMatch(path -> path.startsWith(directory + "/"));
    }

    /** The operation under way was done; {@code made} is the inode of what it made, or 0. */
    void done(long made) {
        Operation operation = underWay;
        if (operation != null && expected(operation) == null) {
            nodes = after(operation, made);
        }
        ended();
    }

    /** The operation under way was refused. */
    void ended() {
        underWay = null;
        version++;
    }

    /** The outcome of the operation under way, if any, will never be known. */
    void unknown() {
        Operation operation = underWay;
        if (operation != null) {
            other = expected(operation) == null ? after(operation, 0) : new TreeMap<>(nodes);
            ended();
        }
    }

    private Map<String, Node> after(Operation operation, long made) {
        Map<String, Node> next = new TreeMap<>(nodes);
        Node node = nodes.get(operation.path);
        switch (operation.kind) {
            case CREATE -> next.put(operation.path, new Node(made, false));
            case MKDIR -> next.put(operation.path, new Node(made, true));
            case UNLINK, RMDIR -> next.remove(operation.path);
            case LINK -> next.put(operation.target, node(operation.path));
            case RENAME -> {
                if (node != null && !node.equals(nodes.get(operation.target))) {
                    next.remove(operation.target);
                    next.remove(operation.path);
                    next.put(operation.target, node);
                    nodes.forEach((path, each) -> move(operation, next, path, each));
                }
            }
        }
        return next;
    }

    private Node node(String path) {
        Node node = nodes.get(path);
        if (node == null) {
            throw new IllegalArgumentException("no " + path);
        }
        return node;
    }

    private static void move(Operation operation, Map<String, Node> next, String path, Node each) {
        String inside = operation.path + "/";
        if (path.startsWith(inside)) {
            next.remove(path);
            next.put(operation.target + "/" + path.substring(inside.length()), each);
        }
    }

    /** Why a listing cannot be that of this directory, or null when it can. */
    @Nullable String mismatch(Map<String, Node> found) {
        String difference = difference(nodes, found);
        if (difference == null || other == null) {
            return difference;
        }
        String second = difference(other, found);
        return second == null ? null : difference + "; with the uncertain operation: " + second;
    }

    /** How what was found differs from what should be there, or null. */
    @Nullable String difference(Map<String, Node> wanted, Map<String, Node> found) {
        for (Map.Entry<String, Node> each : wanted.entrySet()) {
            Node there = found.get(each.getKey());
            Node node = each.getValue();
            if (there == null) {
                return name + "/" + each.getKey() + " is lost";
            }
            boolean same = node.ino == 0 || node.ino == there.ino;
            if (!same || node.directory != there.directory) {
                return name + "/" + each.getKey() + " is " + there + ", not " + node;
            }
        }
        for (String path : found.keySet()) {
            if (!wanted.containsKey(path)) {
                return name + "/" + path + " should not be there";
            }
        }
        return null;
    }
}
