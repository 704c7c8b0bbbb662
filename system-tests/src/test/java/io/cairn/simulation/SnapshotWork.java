package io.cairn.simulation;

import io.cairn.base.Errno;
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

/** Reading snapshots, now and then while they are there, and all of them in the end. */
final class SnapshotWork {
    private final Oracle oracle;
    private final Call call;

    SnapshotWork(Oracle oracle, Call call) {
        this.oracle = oracle;
        this.call = call;
    }

    /** Reads a file or a directory of a snapshot, if there is one. */
    void read(FileSystem fs, Random random) {
        List<SnapshotModel> live = oracle.snapshots.stream().filter(SnapshotModel::isLive).toList();
        if (live.isEmpty()) {
            return;
        }
        SnapshotModel snapshot = Oracle.pick(random, live);
        if (random.nextBoolean() && !snapshot.trees().isEmpty()) {
            look(fs, snapshot, Oracle.pick(random, snapshot.trees()));
        } else if (!snapshot.files().isEmpty()) {
            look(fs, snapshot, Oracle.pick(random, snapshot.files()));
        }
    }

    /** Reads all that is there. */
    void readAll(FileSystem fs) {
        for (SnapshotModel snapshot : oracle.snapshots) {
            if (snapshot.isLive()) {
                snapshot.files().forEach(file -> look(fs, snapshot, file));
                snapshot.trees().forEach(tree -> look(fs, snapshot, tree));
            }
        }
    }

    /** Reads what was brought back from snapshots, these may be dropped by now. */
    void readBacks(FileSystem fs) {
        for (SnapshotPlan.Back back : oracle.backs) {
            Outcome<ByteBuffer> seen =
                    call.ask(
                            "read " + back.name(),
                            () -> {
                                Name name = Name.of(back.name());
                                long root = FileSystem.ROOT_INO;
                                return contents(fs, fs.lookup(Caller.ROOT, root, name).ino());
                            });
            if (seen.isDone()) {
                String mismatch =
                        back.snapshot().mismatch(back.file(), seen.get(), oracle.isExposed());
                judge(mismatch == null ? null : back.name() + " of " + mismatch);
            } else if (seen.errno() != Errno.ENOENT
                    && !(seen.errno() == Errno.EIO && oracle.isExposed())) {
                oracle.history.violate(back.name() + " cannot be read: " + seen.errno());
            }
        }
    }

    private void look(FileSystem fs, SnapshotModel snapshot, FileModel file) {
        String title = "read " + file.name + " in snapshot " + snapshot.name;
        Outcome<ByteBuffer> seen = call.ask(title, () -> contents(fs, snapshot.in(file.ino)));
        if (seen.isDone()) {
            judge(snapshot.mismatch(file, seen.get(), oracle.isExposed()));
        } else {
            failed(snapshot, title, seen);
        }
    }

    private void look(FileSystem fs, SnapshotModel snapshot, TreeModel tree) {
        String title = "list " + tree.name + " in snapshot " + snapshot.name;
        Outcome<Map<String, Node>> found =
                call.ask(title, () -> TreeWork.list(fs, snapshot.in(tree.ino)));
        if (found.isDone()) {
            judge(snapshot.mismatch(tree, found.get()));
        } else {
            failed(snapshot, title, found);
        }
    }

    private static ByteBuffer contents(FileSystem fs, long ino) {
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
            return FileWork.contents(file);
        }
    }

    /** Faults explain it, or the snapshot was dropped meanwhile. */
    private void failed(SnapshotModel snapshot, String title, Outcome<?> outcome) {
        boolean isGone = outcome.errno() == Errno.ESTALE || outcome.errno() == Errno.ENOENT;
        boolean isExplained = isGone ? !snapshot.isLive() : outcome.isUncertain();
        if (!isExplained) {
            oracle.history.violate(title + " failed with " + outcome.errno());
        }
    }

    private void judge(@Nullable String mismatch) {
        if (mismatch != null) {
            oracle.history.violate(mismatch);
        }
    }
}
