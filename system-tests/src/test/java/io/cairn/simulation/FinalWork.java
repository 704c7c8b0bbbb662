package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.client.CairnFileSystem;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.simulation.Call.Outcome;
import io.cairn.simulation.TreeModel.Node;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks at everything when all faults are over: nothing may fail, nothing may be missing. */
final class FinalWork implements SimulatedClient.Work {
    private final Oracle oracle;
    private final Call call;
    private final QuotaPlan quotas;

    FinalWork(Oracle oracle, Call call, QuotaPlan quotas) {
        this.oracle = oracle;
        this.call = call;
        this.quotas = quotas;
    }

    @Override
    public void crashed() {
        throw new IllegalStateException("nobody kills the reader");
    }

    @Override
    public void run(CairnFileSystem fs, SimulatedClient.Sleeper sleeper) {
        for (FileModel file : oracle.files) {
            look(fs, file.ino, file.name, seen -> file.mismatch(seen, file.acknowledged(), true));
        }
        if (oracle.log.ino() != 0) {
            look(
                    fs,
                    oracle.log.ino(),
                    "log",
                    seen -> oracle.log.mismatch(seen, oracle.log.acknowledged()));
        }
        for (TreeModel tree : oracle.trees) {
            Outcome<Map<String, Node>> listed =
                    call.ask("list " + tree.name, () -> TreeWork.list(fs, tree));
            judge(
                    listed.isDone()
                            ? tree.mismatch(listed.get())
                            : tree.name + " cannot be listed: " + listed.errno());
        }
        JobCheck jobs = new JobCheck(oracle, call);
        oracle.jobs.stream().filter(JobModel::isReady).forEach(model -> jobs.look(fs, model));
        new SnapshotWork(oracle, call).readAll(fs);
        new SnapshotWork(oracle, call).readBacks(fs);
        new CloneWork(oracle, call).readAll(fs);
        for (String name : oracle.removed) {
            gone(fs, name);
        }
        if (oracle.quotas != null && oracle.quotas.directory() != 0) {
            new QuotaCheck(oracle, call, quotas).look(fs, oracle.quotas, sleeper);
        }
    }

    private void gone(FileSystem fs, String name) {
        Outcome<Attributes> found =
                call.ask(
                        "lookup " + name,
                        () -> {
                            long files =
                                    fs.lookup(
                                                    Caller.ROOT,
                                                    FileSystem.ROOT_INO,
                                                    Name.of(ClientWork.FILES))
                                            .ino();
                            return fs.lookup(Caller.ROOT, files, Name.of(name));
                        });
        if (found.errno() != Errno.ENOENT) {
            oracle.history.violate("I3 " + name + " was removed and is there");
        }
    }

    private void look(
            FileSystem fs, long ino, String name, Function<ByteBuffer, @Nullable String> judge) {
        Outcome<ByteBuffer> seen =
                call.ask(
                        "read " + name,
                        () -> {
                            try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
                                return FileWork.contents(file);
                            }
                        });
        if (seen.errno() == Errno.EIO && oracle.isExposed()) {
            // A new file of which power loss left the name alone cannot be told from a damaged one.
            return;
        }
        judge(
                seen.isDone()
                        ? judge.apply(seen.get())
                        : "I1 " + name + " cannot be read: " + seen.errno());
    }

    private void judge(@Nullable String mismatch) {
        if (mismatch != null) {
            oracle.history.violate("at the end: " + mismatch);
        }
    }
}
