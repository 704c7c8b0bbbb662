package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.simulation.Call.Outcome;
import io.cairn.simulation.TreeModel.Node;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Reading clones that others asked for, after which they are written; and copying files. */
final class CloneWork {
    /** Of clones in other directories only some are written later. */
    private static final int WRITTEN_PARTS = 3;

    private static final long WHOLE = 1L << 30;

    private final Oracle oracle;
    private final Call call;
    private @Nullable FileModel copied;
    private boolean isLast;

    CloneWork(Oracle oracle, Call call) {
        this.oracle = oracle;
        this.call = call;
    }

    /** The process died: what it copied from was not changed. */
    void crashed() {
        release();
    }

    private void release() {
        if (copied != null) {
            copied.release();
            copied = null;
        }
    }

    /** Whether a clone is there that nobody has read. */
    boolean isDue() {
        return oracle.clones.stream().anyMatch(CloneWork::isFresh);
    }

    private static boolean isFresh(CloneModel clone) {
        return clone.isLive() && !clone.isRead();
    }

    /** Reads a clone. */
    void read(FileSystem fs, Random random) {
        List<CloneTree> made = oracle.cloneTrees.stream().filter(CloneTree::hasKnownNames).toList();
        if (!made.isEmpty() && random.nextInt(4) == 0) {
            look(fs, Oracle.pick(random, made));
            return;
        }
        List<CloneModel> fresh = oracle.clones.stream().filter(CloneWork::isFresh).toList();
        if (!fresh.isEmpty()) {
            CloneModel clone = Oracle.pick(random, fresh);
            boolean isAmongMost = clone.leaf().equals(clone.name);
            look(fs, clone, isAmongMost || random.nextInt(WRITTEN_PARTS) == 0);
        }
    }

    /** Reads all that nobody has read, when faults are over. */
    void readAll(FileSystem fs) {
        isLast = true;
        for (CloneModel clone : oracle.clones) {
            if (clone.isLive() ? !clone.isRead() : clone.isPromised()) {
                look(fs, clone, false);
            }
        }
        for (CloneTree tree : oracle.cloneTrees) {
            if (tree.hasKnownNames()) {
                look(fs, tree);
            }
        }
    }

    private void look(FileSystem fs, CloneModel clone, boolean isWrittenLater) {
        boolean isPromised = clone.isPromised();
        Name name = Name.of(clone.leaf());
        String title = "read clone " + clone.name;
        Outcome<Attributes> found =
                call.ask(
                        "look up " + clone.name,
                        () -> fs.lookup(Caller.ROOT, clone.directory(), name));
        if (!found.isDone()) {
            boolean isEarly = found.errno() == Errno.ENOENT && !isPromised;
            if (!isEarly) {
                failed(title, found);
            }
            return;
        }
        Outcome<ByteBuffer> seen =
                call.ask(
                        title,
                        () -> {
                            long ino = found.get().ino();
                            try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
                                return FileWork.contents(file);
                            }
                        });
        if (clone.isRead()) {
            // Somebody else was faster, and writes it by now.
            return;
        }
        if (!seen.isDone()) {
            failed(title, seen);
            return;
        }
        if (found.get().ino() != clone.ino()) {
            oracle.history.violate(title + " finds inode " + found.get().ino());
        }
        String mismatch = clone.mismatch(seen.get());
        if (mismatch != null) {
            oracle.history.violate("I1 " + mismatch);
            return;
        }
        FileModel file = clone.read(seen.get(), oracle.isExposed());
        if (isWrittenLater) {
            oracle.add(file);
        }
    }

    private void look(FileSystem fs, CloneTree tree) {
        String title = "list clone " + tree.name;
        Outcome<Map<String, Node>> listed = call.ask(title, () -> TreeWork.list(fs, tree.ino()));
        if (listed.isDone()) {
            String mismatch = tree.mismatch(listed.get());
            if (mismatch != null) {
                oracle.history.violate("I3 " + mismatch);
            }
        } else {
            failed(title, listed);
        }
    }

    /** Faults explain it, as long as there are any. */
    private void failed(String title, Outcome<?> outcome) {
        boolean isLost = outcome.errno() == Errno.EIO && oracle.isExposed();
        if (!isLost && (isLast || !outcome.isUncertain())) {
            oracle.history.violate("I3 " + title + " fails with " + outcome.errno());
        }
    }

    /** Copies a file that nobody writes meanwhile, as cp does. */
    void copy(FileSystem fs, long directory, Random random, String who) {
        List<FileModel> idle = oracle.idleFiles();
        if (idle.isEmpty() || !oracle.hasRoomForFile()) {
            return;
        }
        FileModel source = Oracle.pick(random, idle);
        source.take(who);
        copied = source;
        CloneModel clone = CloneModel.copy(oracle.newName("c"), source);
        oracle.clones.add(clone);
        Outcome<FileSystem.Created> made =
                call.ask(
                        "create " + clone.name,
                        () ->
                                fs.create(
                                        Caller.ROOT,
                                        directory,
                                        Name.of(clone.name),
                                        0644,
                                        FileSystem.O_RDWR
                                                | FileSystem.O_CREAT
                                                | FileSystem.O_EXCL));
        if (made.isDone()) {
            OpenFile target = made.get().file();
            boolean isCopied = fill(fs, clone, target, random.nextBoolean());
            Outcome<Boolean> closed = call.run("close " + clone.name, target::close);
            if (isCopied && closed.isDone()) {
                clone.live(directory, made.get().attributes().ino());
                clone.promise();
            }
        }
        release();
    }

    private boolean fill(FileSystem fs, CloneModel clone, OpenFile target, boolean isSynced) {
        String title = "copy " + clone.source.name + " to " + clone.name;
        Outcome<Long> done =
                call.ask(
                        title,
                        () -> {
                            long ino = clone.source.ino;
                            try (OpenFile from = fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
                                return copy(from, target);
                            }
                        });
        if (!done.isDone() || !isSynced) {
            return done.isDone();
        }
        Outcome<Boolean> synced = call.run("fsync " + clone.name, () -> target.sync(false));
        if (synced.isDone()) {
            clone.synced();
        }
        return synced.isDone();
    }

    private static long copy(OpenFile from, OpenFile target) {
        long at = 0;
        while (true) {
            long count = target.copyFrom(from, at, at, WHOLE);
            if (count == 0) {
                return at;
            }
            at += count;
        }
    }
}
