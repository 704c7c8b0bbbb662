package io.cairn.simulation;

import io.cairn.testkit.simulated.Simulation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** What all clients together have done and been promised. */
final class Oracle {
    private static final int MAX_FILES = 14;

    final Simulation simulation;
    final History history;
    final List<FileModel> files = new ArrayList<>();
    final List<TreeModel> trees = new ArrayList<>();
    final List<JobModel> jobs = new ArrayList<>();
    final List<SnapshotModel> snapshots = new ArrayList<>();
    final List<SnapshotPlan.Back> backs = new ArrayList<>();
    final List<String> removed = new ArrayList<>();
    final List<CloneModel> clones = new ArrayList<>();
    final List<CloneTree> cloneTrees = new ArrayList<>();

    /** Files that were removed and may be brought back, by their inodes. */
    final Map<Long, FileModel> trashed = new HashMap<>();

    final AppendModel log = new AppendModel();

    /** The directory with quotas; null in seeds without any. */
    @Nullable QuotaModel quotas;

    /** All that were ever made: one whose removal is under way may be brought back, too. */
    private final List<FileModel> made = new ArrayList<>();

    private long lastTag;
    private int lastProcess;
    private int lastName;
    private boolean stopping;
    private long calmSinceMs = Long.MAX_VALUE;
    private int successes;
    private int failures;
    private int earlyNames;
    private boolean exposed;

    Oracle(Simulation simulation, History history) {
        this.simulation = simulation;
        this.history = history;
    }

    /** A file was made. */
    void add(FileModel file) {
        files.add(file);
        made.add(file);
    }

    /** A number for contents that nobody else writes; grows. */
    long newTag() {
        return ++lastTag;
    }

    int newProcess() {
        return ++lastProcess;
    }

    String newName(String prefix) {
        return prefix + ++lastName;
    }

    boolean hasRoomForFile() {
        return files.stream().filter(file -> !file.isRetired()).count() < MAX_FILES;
    }

    /** A file that nobody is writing, or one chosen anyhow; null when there is none. */
    List<FileModel> idleFiles() {
        return files.stream().filter(file -> file.owner() == null && !file.isRetired()).toList();
    }

    /**
     * The directory that a file is in.
     *
     * @param most the one of most files
     */
    long directoryOf(FileModel file, long most) {
        if (file.isAmongMost()) {
            return most;
        }
        return cloneTrees.stream()
                .filter(tree -> file.name.startsWith(tree.name + "/"))
                .mapToLong(CloneTree::ino)
                .findFirst()
                .orElseThrow();
    }

    /** One of some. */
    static <T> T pick(Random random, List<T> some) {
        return some.get(random.nextInt(some.size()));
    }

    /** Clients end their work as soon as they can. */
    void stop() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    /** From now on nothing fails any more. */
    void calm() {
        calmSinceMs = simulation.millis();
    }

    /** When the last fault ended, by the clock; a far future while there are any. */
    long calmSinceMs() {
        return calmSinceMs;
    }

    /** What was closed but not synced may be gone: more power was lost than is promised for. */
    void exposed() {
        exposed = true;
        made.forEach(FileModel::exposed);
        clones.forEach(CloneModel::exposed);
        // Those of jobs that have not ended.
        cloneTrees.forEach(tree -> tree.files.forEach(CloneModel::exposed));
        log.exposed();
    }

    /** Whether more power was lost than is promised for. */
    boolean isExposed() {
        return exposed;
    }

    void succeeded() {
        successes++;
    }

    void failed() {
        failures++;
    }

    /** A name was made or taken away, and the masters do not know it yet. */
    void changedEarly() {
        earlyNames++;
    }

    int earlyNames() {
        return earlyNames;
    }

    int successes() {
        return successes;
    }

    int failures() {
        return failures;
    }
}
