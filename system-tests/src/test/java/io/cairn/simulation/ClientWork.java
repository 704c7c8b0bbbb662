package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.client.CairnFileSystem;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.simulation.Call.Outcome;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * What one client process does: now this, now that, until it is told to stop or dies. Each kind of
 * work is a class of its own.
 */
final class ClientWork implements SimulatedClient.Work {
    static final String FILES = "files";
    static final String LOG = "log";

    private static final int MAX_PAUSE_MS = 300;

    private final Oracle oracle;
    private final Random random;
    private final Call call;
    private final String process;
    private final FileWork files;
    private final TreeWork trees;
    private final AppendWork appends;
    private final JobWork jobs;
    private final SnapshotWork snapshots;
    private final CloneWork clones;
    private final QuotaWork quotas;

    /**
     * The work of one process.
     *
     * @param isEarly whether its mount makes names and takes them away before the masters know
     */
    ClientWork(String node, Oracle oracle, Random random, boolean isEarly) {
        this.oracle = oracle;
        this.random = random;
        int number = oracle.newProcess();
        process = node + "/" + number;
        call = new Call(process, oracle);
        files = new FileWork(oracle, random, call, number);
        trees = new TreeWork(oracle, random, call, node, isEarly);
        appends = new AppendWork(oracle, random, call, process);
        jobs = new JobWork(oracle, random, call);
        snapshots = new SnapshotWork(oracle, call);
        clones = new CloneWork(oracle, call);
        quotas = new QuotaWork(oracle, random, call);
    }

    /** The call under way, or an empty text. */
    String current() {
        return call.current();
    }

    @Override
    public void run(CairnFileSystem fs, SimulatedClient.Sleeper sleeper) {
        trees.begin(fs);
        Long directory = directory(fs);
        while (directory == null || oracle.log.ino() == 0) {
            if (oracle.isStopping()) {
                return;
            }
            if (directory == null) {
                directory = directory(fs);
            } else {
                appends.make(fs);
            }
            sleeper.sleep(10);
        }
        while (!oracle.isStopping() && oracle.history.violation() == null) {
            step(fs, directory);
            if (random.nextInt(3) > 0) {
                sleeper.sleep(random.nextInt(MAX_PAUSE_MS));
            }
        }
    }

    /** The directory of all files; made by whoever comes first. */
    private @Nullable Long directory(FileSystem fs) {
        Name name = Name.of(FILES);
        Outcome<Attributes> made =
                call.ask(
                        "mkdir " + name,
                        () -> fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, name, 0755));
        if (made.isDone()) {
            return made.get().ino();
        }
        if (made.errno() != Errno.EEXIST) {
            return null;
        }
        Outcome<Attributes> found =
                call.ask("lookup " + name, () -> fs.lookup(Caller.ROOT, FileSystem.ROOT_INO, name));
        return found.isDone() ? found.get().ino() : null;
    }

    private void step(CairnFileSystem fs, long directory) {
        if (oracle.quotas != null && random.nextInt(6) == 0) {
            quotas.work(fs, oracle.quotas);
            return;
        }
        if (!oracle.snapshots.isEmpty() && random.nextInt(10) == 0) {
            snapshots.read(fs, random);
            return;
        }
        if (clones.isDue() && random.nextInt(6) == 0) {
            clones.read(fs, random);
            return;
        }
        if (random.nextInt(40) == 0) {
            clones.copy(fs, directory, random, process);
            return;
        }
        int dice = random.nextInt(100);
        if (dice < 40) {
            files.write(fs, directory);
        } else if (dice < 50) {
            files.read(fs);
        } else if (dice < 53) {
            files.remove(fs, directory);
        } else if (dice < 78) {
            trees.change(fs);
        } else if (dice < 85) {
            trees.look(fs);
        } else if (dice < 92) {
            appends.append(fs);
        } else if (dice < 97) {
            jobs.work(fs);
        } else {
            appends.read(fs);
        }
    }

    @Override
    public void crashed() {
        files.crashed();
        trees.crashed();
        appends.crashed();
        clones.crashed();
        quotas.crashed();
    }
}
