package io.cairn.simulation;

import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A tree that a job of the masters removes or gives to somebody, and a directory beside it that
 * shares a file with it, takes in what clients save out of it, and is no business of the job.
 */
final class JobModel {
    /** Who gets the tree. */
    static final int OWNER = 4711;

    final String name;
    final String keepName;
    final JobOrder.Kind kind;
    final long request;
    final int pace;

    /** Everything below the tree as it was built, by path. */
    final Map<String, Long> built = new TreeMap<>();

    /** What is beside it, by name. */
    final Map<String, Long> kept = new TreeMap<>();

    /** Names beside it of which nobody knows whether they came to be there. */
    final Map<String, Long> doubtful = new TreeMap<>();

    private final List<String> movable = new ArrayList<>();
    private final Set<String> saved = new HashSet<>();
    private long ino;
    private long keepIno;
    private boolean ordered;
    private long job;
    private int savedCount;

    JobModel(String name, JobOrder.Kind kind, long request, int pace) {
        this.name = name;
        this.keepName = name + ".keep";
        this.kind = kind;
        this.request = request;
        this.pace = pace;
    }

    /** All of it is there: an order may come, and clients may save files out of it. */
    void ready(long newIno, long newKeepIno, List<String> files) {
        ino = newIno;
        keepIno = newKeepIno;
        if (kind == JobOrder.Kind.REMOVE) {
            movable.addAll(files);
        }
    }

    boolean isReady() {
        return ino != 0;
    }

    long ino() {
        return ino;
    }

    long keepIno() {
        return keepIno;
    }

    JobOrder order() {
        return new JobOrder(
                kind,
                ("/" + name).getBytes(StandardCharsets.UTF_8),
                ino,
                FileSystem.ROOT_INO,
                Name.of(name),
                kind == JobOrder.Kind.CHOWN ? InodeEdit.owner(OWNER, -1) : InodeEdit.NONE,
                "operator",
                pace);
    }

    /** It is on its way to the leader: from now on names may be gone. */
    void ordered() {
        ordered = true;
    }

    boolean isOrdered() {
        return ordered;
    }

    /** The leader has taken the order. */
    void taken(long number) {
        job = number;
    }

    /** Number of the job, 0 before it is known. */
    long job() {
        return job;
    }

    boolean hasMovable() {
        return !movable.isEmpty();
    }

    /** Takes the path of a file that nobody has tried to save. */
    String takeMovable(int index) {
        return movable.remove(index);
    }

    int movableCount() {
        return movable.size();
    }

    /** Where a file is saved to. */
    static String savedName(String path) {
        return path.replace('/', '-');
    }

    /** Somebody begins to move a file out. */
    void saving(String path) {
        doubtful.put(savedName(path), inoOf(path));
    }

    /** The file is out. */
    void saved(String path) {
        doubtful.remove(savedName(path));
        kept.put(savedName(path), inoOf(path));
        saved.add(savedName(path));
    }

    /** The file was not there any more. */
    void lost(String path) {
        doubtful.remove(savedName(path));
    }

    long inoOf(String path) {
        if (path.isEmpty()) {
            return ino;
        }
        Long found = built.get(path);
        if (found == null) {
            throw new IllegalStateException(name + " has no " + path);
        }
        return found;
    }

    /** What stands beside the tree at the end; a sentence when that is not what was promised. */
    String mismatchOfKept(Map<String, Long> found) {
        for (Map.Entry<String, Long> each : kept.entrySet()) {
            if (!each.getValue().equals(found.get(each.getKey()))) {
                return keepName + " lacks " + each + ": " + found;
            }
        }
        savedCount = saved.size();
        for (Map.Entry<String, Long> each : found.entrySet()) {
            if (!kept.containsKey(each.getKey())) {
                if (!each.getValue().equals(doubtful.get(each.getKey()))) {
                    return keepName + " has " + each + " besides " + kept.keySet();
                }
                savedCount++;
            }
        }
        return "";
    }

    /** Names that the job must have removed or changed, as far as the last look knows. */
    int expectedChanges() {
        return built.size() + 1 - savedCount;
    }
}
