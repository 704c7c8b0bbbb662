package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.session.Await;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileSystem.Created;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.simulation.Call.Outcome;
import io.cairn.simulation.TreeModel.Kind;
import io.cairn.simulation.TreeModel.Node;
import io.cairn.simulation.TreeModel.Operation;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Names: each client changes directories of its own and looks at those of the other. */
final class TreeWork {
    private static final int NAMES = 7;
    private static final int MAX_DEPTH = 3;
    private static final int PAGE = 5;
    private static final Caller BY_KERNEL = Caller.checkedByKernel(0, 0);

    private final Oracle oracle;
    private final Random random;
    private final Call call;
    private final String node;
    private final boolean isEarly;
    private @Nullable TreeModel own;

    TreeWork(Oracle oracle, Random random, Call call, String node, boolean isEarly) {
        this.oracle = oracle;
        this.random = random;
        this.call = call;
        this.node = node;
        this.isEarly = isEarly;
    }

    /** The process has its mount. */
    void begin(CairnFileSystem fs) {
        if (isEarly) {
            fs.mount().master().young().turnOn();
            fs.answerEarly();
        }
    }

    /** The process died. */
    void crashed() {
        if (own != null) {
            own.unknown();
        }
    }

    /** Does one operation, or makes the directory for them. */
    void change(CairnFileSystem fs) {
        if (own == null || own.isRetired()) {
            own = make(fs);
            return;
        }
        TreeModel tree = own;
        Operation operation = draw(tree);
        if (operation == null) {
            return;
        }
        Errno expected = tree.expected(operation);
        String title = tree.name + ": " + operation;
        tree.begin(operation);
        Outcome<Long> outcome = call.ask(title, () -> perform(fs, tree, operation));
        if (outcome.isUncertain()) {
            tree.unknown();
        } else if (outcome.errno() != expected) {
            oracle.history.violate(
                    "I3 " + title + " answers " + outcome.errno() + ", not " + expected);
            tree.unknown();
        } else if (outcome.isDone()) {
            tree.done(outcome.get());
        } else {
            tree.ended();
        }
    }

    private @Nullable TreeModel make(FileSystem fs) {
        String name = oracle.newName(node + "-");
        Outcome<Attributes> made =
                call.ask(
                        "mkdir " + name,
                        () -> fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of(name), 0755));
        if (!made.isDone()) {
            if (!made.isUncertain()) {
                oracle.history.violate("I3 mkdir " + name + " answers " + made.errno());
            }
            return null;
        }
        TreeModel tree = new TreeModel(name, made.get().ino());
        oracle.trees.add(tree);
        return tree;
    }

    private String path(TreeModel tree) {
        String directory = Oracle.pick(random, tree.directories());
        String name = "abcdefghij".substring(0, NAMES).charAt(random.nextInt(NAMES)) + "";
        return directory.isEmpty() ? name : directory + "/" + name;
    }

    private @Nullable Operation draw(TreeModel tree) {
        String path = path(tree);
        Kind[] kinds = Kind.values();
        Kind kind = kinds[random.nextInt(kinds.length)];
        boolean deep = path.chars().filter(c -> c == '/').count() >= MAX_DEPTH;
        return switch (kind) {
            case RENAME -> {
                String target = path(tree);
                boolean upwards = path.startsWith(target + "/");
                yield upwards || deep ? null : new Operation(kind, path, target);
            }
            case LINK -> {
                List<String> files = tree.files();
                yield files.isEmpty()
                        ? null
                        : new Operation(kind, Oracle.pick(random, files), path);
            }
            case MKDIR -> deep ? null : new Operation(kind, path, "");
            default -> new Operation(kind, path, "");
        };
    }

    private static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }

    private static Name last(String path) {
        return Name.of(path.substring(path.lastIndexOf('/') + 1));
    }

    /** The inode of what was made; 0 when nothing is made. */
    private long perform(CairnFileSystem fs, TreeModel tree, Operation operation) {
        Caller root = isEarly ? BY_KERNEL : Caller.ROOT;
        long parent = tree.inoOf(parent(operation.path()));
        Name name = last(operation.path());
        switch (operation.kind()) {
            case CREATE -> {
                return isEarly
                        ? create(fs, parent, name)
                        : fs.mknod(root, parent, name, FileType.FILE, 0644, 0).ino();
            }
            case MKDIR -> {
                return fs.mkdir(root, parent, name, 0755).ino();
            }
            case UNLINK -> {
                fs.unlink(root, parent, name);
                sync(fs, parent);
            }
            case RMDIR -> {
                fs.rmdir(root, parent, name);
                sync(fs, parent);
            }
            case LINK ->
                    fs.link(
                            root,
                            tree.inoOf(operation.path()),
                            tree.inoOf(parent(operation.target())),
                            last(operation.target()));
            case RENAME ->
                    fs.rename(
                            root,
                            parent,
                            name,
                            tree.inoOf(parent(operation.target())),
                            last(operation.target()),
                            0);
        }
        return 0;
    }

    /** Makes a file of which the masters may hear when it is closed. */
    private long create(CairnFileSystem fs, long parent, Name name) {
        int flags = FileSystem.O_RDWR | FileSystem.O_EXCL;
        AsyncChanges changes = Objects.requireNonNull(fs.async(BY_KERNEL));
        Created made =
                Await.get(
                        Objects.requireNonNull(
                                changes.create(BY_KERNEL, parent, name, 0644, flags)),
                        fs.mount().timeoutMs());
        count(fs);
        made.file().close();
        return made.attributes().ino();
    }

    /** What was taken away here is told: a process that is killed may bring it back before. */
    private void sync(CairnFileSystem fs, long parent) {
        count(fs);
        fs.syncDirectory(parent);
    }

    private void count(CairnFileSystem fs) {
        if (!fs.mount().master().young().isAllTold()) {
            oracle.changedEarly();
        }
    }

    /** Lists a directory of anybody and compares, if nothing changed meanwhile. */
    void look(FileSystem fs) {
        if (oracle.trees.isEmpty()) {
            return;
        }
        TreeModel tree = Oracle.pick(random, oracle.trees);
        find(fs, tree);
        long version = tree.version();
        Outcome<Map<String, Node>> listed = call.ask("list " + tree.name, () -> list(fs, tree));
        if (version % 2 == 0 && version == tree.version()) {
            if (listed.isDone()) {
                String mismatch = tree.mismatch(listed.get());
                if (mismatch != null) {
                    oracle.history.violate("I3 " + mismatch);
                }
            } else if (!listed.isUncertain()) {
                oracle.history.violate("list " + tree.name + " fails with " + listed.errno());
            }
        }
    }

    /**
     * Looks a name up: one that is there is found, whoever made it, also when it was missed before.
     */
    private void find(FileSystem fs, TreeModel tree) {
        String path = path(tree);
        long version = tree.version();
        boolean exists = tree.nodes().containsKey(path);
        long parent = tree.inoOf(parent(path));
        String title = "look up " + tree.name + "/" + path;
        Outcome<Attributes> found =
                call.ask(title, () -> fs.lookup(Caller.ROOT, parent, last(path)));
        boolean still = version % 2 == 0 && version == tree.version() && !tree.isRetired();
        if (still && exists && found.errno() == Errno.ENOENT) {
            oracle.history.violate("I3 " + title + " finds nothing");
        }
    }

    /** Everything below a directory, by path. */
    static Map<String, Node> list(FileSystem fs, TreeModel tree) {
        return list(fs, tree.ino);
    }

    /** The same for any directory. */
    static Map<String, Node> list(FileSystem fs, long ino) {
        Map<String, Node> found = new TreeMap<>();
        list(fs, ino, "", found);
        return found;
    }

    private static void list(FileSystem fs, long ino, String prefix, Map<String, Node> found) {
        long cookie = 0;
        while (true) {
            DirectoryPage page = fs.readDirectory(Caller.ROOT, ino, cookie, PAGE, false);
            for (DirectoryEntry entry : page.entries()) {
                String path = prefix + entry.name();
                boolean directory = entry.type() == FileType.DIRECTORY;
                found.put(path, new Node(entry.ino(), directory));
                if (directory) {
                    list(fs, entry.ino(), path + "/", found);
                }
                cookie = entry.cookie();
            }
            if (page.end()) {
                return;
            }
        }
    }
}
