package io.cairn.bench;

import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * What one operation of a master costs with few files and with many, as a table.
 *
 * <pre>
 *   io.cairn.bench.ScaleTable flat|tree|deep FILES...
 * </pre>
 *
 * {@code flat}: all files in one directory; {@code tree}: 1,000 in each directory; {@code deep}:
 * the same eight directories down. Only the state and its store are measured: no log, no network.
 * Data in {@code /dev/shm}. <i>Cold</i> is right after the store was opened, <i>warm</i> the same
 * again. Microseconds of the processor for each operation, in the thread that does it; milliseconds
 * of the clock where it says so. The compiler is warmed up first.
 */
public final class ScaleTable {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int GOES = 10_000;
    private static final int WARM_FILES = 100_000;
    private static final int PAGE = 512;
    private static final int SLICE = 512;
    private static final int QUOTAS = 100;
    private static final int PER_DIRECTORY = 1_000;
    private static final int DEPTH = 8;
    private static final long MEMORY_BYTES = 8L << 30;

    private final ScaleTree tree;
    private final SplittableRandom random = new SplittableRandom(1);
    private final Map<String, Double> found = new LinkedHashMap<>();
    private final int files;

    private record Found(long parent, DirectoryEntry entry) {}

    private ScaleTable(ScaleTree tree, int files) {
        this.tree = tree;
        this.files = files;
    }

    /** Measures what the arguments say. */
    public static void main(String[] arguments) throws IOException {
        measure(arguments[0], WARM_FILES);
        measure(arguments[0], WARM_FILES);
        List<Map<String, Double>> all = new ArrayList<>();
        for (int i = 1; i < arguments.length; i++) {
            all.add(measure(arguments[0], Integer.parseInt(arguments[i])));
        }
        StringBuilder head = new StringBuilder(pad(arguments[0]));
        for (int i = 1; i < arguments.length; i++) {
            head.append(String.format(Locale.ROOT, "%12s", arguments[i]));
        }
        System.out.println(head.append("       ratio"));
        for (String name : all.getFirst().keySet()) {
            StringBuilder line = new StringBuilder(pad(name));
            for (Map<String, Double> one : all) {
                line.append(String.format(Locale.ROOT, "%12.1f", one.getOrDefault(name, 0.0)));
            }
            double first = all.getFirst().getOrDefault(name, 0.0);
            double last = all.getLast().getOrDefault(name, 0.0);
            System.out.println(
                    line.append(String.format(Locale.ROOT, "%12.2f", last / Math.max(0.1, first))));
        }
    }

    private static String pad(String name) {
        return String.format(Locale.ROOT, "%-26s", name);
    }

    private static Map<String, Double> measure(String shape, int files) throws IOException {
        Path directory = Scratch.create();
        try (ScaleTree tree = new ScaleTree(directory, MEMORY_BYTES)) {
            ScaleTable table = new ScaleTable(tree, files);
            boolean isFlat = shape.equals("flat");
            int each = isFlat ? files : Math.min(files, PER_DIRECTORY);
            table.each(
                    "fill", files, () -> tree.fill(files, each, shape.equals("deep") ? DEPTH : 1));
            table.found.put("open, ms", tree.reopen() / 1e6);
            table.reads(" cold");
            table.reads(" warm");
            table.changes();
            table.sums();
            table.snapshots();
            table.found.put("checkpoint, ms", tree.checkpoint(directory.resolve("copy")) / 1e6);
            table.memory();
            return table.found;
        } finally {
            Scratch.delete(directory);
        }
    }

    private void each(String name, int count, Runnable work) {
        long beganNs = THREADS.getCurrentThreadCpuTime();
        work.run();
        double micros =
                (double) (THREADS.getCurrentThreadCpuTime() - beganNs) / 1e3 / Math.max(1, count);
        found.put(name, micros);
        System.err.println(String.format(Locale.ROOT, "%d %s %.1f", files, name, micros));
    }

    private void once(String name, Runnable work) {
        long beganNs = System.nanoTime();
        work.run();
        found.put(name + ", ms", (double) (System.nanoTime() - beganNs) / 1e6);
    }

    private int goes() {
        return Math.min(GOES, files);
    }

    /** Names of the tree in the order of listings, beginning somewhere. */
    private List<Found> names(int count, boolean withAttributes, int from) {
        List<Found> names = new ArrayList<>();
        List<Long> parents = tree.directories();
        for (int d = 0; d < parents.size() && names.size() < count; d++) {
            long parent = parents.get((from + d) % parents.size());
            long cookie = parents.size() == 1 ? (long) from << 32 : 0;
            boolean end = false;
            while (!end && names.size() < count) {
                Query query =
                        new Query.ReadDirectory(
                                parent,
                                cookie,
                                Math.min(PAGE, count - names.size()),
                                withAttributes);
                Reply.DirectoryReply page =
                        (Reply.DirectoryReply)
                                tree.namespace().read(tree.session(), (Query.OfState) query);
                page.entries().forEach(entry -> names.add(new Found(parent, entry)));
                end = page.end();
                cookie = end ? 0 : page.entries().getLast().cookie();
            }
        }
        return names;
    }

    private Reply lookup(long parent, Name name) {
        return tree.namespace().read(tree.session(), new Query.Lookup(parent, name));
    }

    private long parentOf(Name name) {
        int number = Integer.parseInt(name.toString().substring("file-".length()));
        List<Long> parents = tree.directories();
        return parents.size() == 1 ? parents.getFirst() : parents.get(number / PER_DIRECTORY);
    }

    private void reads(String state) {
        int goes = goes();
        List<Name> some = new ArrayList<>();
        SplittableRandom again = new SplittableRandom(7);
        for (int i = 0; i < goes; i++) {
            some.add(Name.of("file-" + again.nextInt(files)));
        }
        each(
                "look up any" + state,
                goes,
                () -> {
                    for (Name name : some) {
                        if (!(lookup(parentOf(name), name) instanceof Reply.EntryReply)) {
                            throw new IllegalStateException("lost: " + name);
                        }
                    }
                });
        List<Found> listed = new ArrayList<>();
        each("list" + state, goes, () -> listed.addAll(names(goes, false, 0)));
        each("list, attributes" + state, goes, () -> names(goes, true, 0));
        each("look up listed" + state, goes, () -> listed.forEach(this::look));
    }

    private void look(Found name) {
        lookup(name.parent, name.entry.name());
    }

    private void changes() {
        int goes = goes();
        List<Long> parents = tree.directories();
        each(
                "create",
                goes,
                () -> {
                    for (int i = 0; i < goes; i++) {
                        long parent = parents.get(random.nextInt(parents.size()));
                        tree.send(ScaleTree.create(parent, "new-" + i));
                    }
                    tree.send();
                });
        rename();
        List<Found> listed = names(goes, false, 0);
        each(
                "look up, unlink, purge",
                goes,
                () -> {
                    List<Long> inos = new ArrayList<>();
                    for (Found name : listed) {
                        look(name);
                        tree.send(new TreeMutation.Unlink(name.parent, name.entry.name()));
                        inos.add(name.entry.ino());
                    }
                    tree.send();
                    purge(inos);
                });
        each("list behind removed", PAGE, () -> names(PAGE, false, 0));
    }

    private void rename() {
        // A tenth: names that were listed are removed afterwards.
        List<Found> listed = names(goes() / 10, false, tree.directories().size() / 2);
        each(
                "rename",
                listed.size(),
                () -> {
                    for (int i = 0; i < listed.size(); i++) {
                        Found from = listed.get(i);
                        tree.send(
                                new TreeMutation.Rename(
                                        from.parent,
                                        from.entry.name(),
                                        from.parent,
                                        Name.of("moved-" + i),
                                        0,
                                        0,
                                        0));
                    }
                    tree.send();
                });
    }

    private void purge(List<Long> inos) {
        for (int at = 0; at < inos.size(); at += SLICE) {
            List<Long> some = inos.subList(at, Math.min(inos.size(), at + SLICE));
            tree.leader(
                    new LeaderMutation.Purge(some.stream().mapToLong(Long::longValue).toArray()));
        }
    }

    private void sums() {
        once(
                "quota set",
                () ->
                        tree.leader(
                                new LeaderMutation.SetQuota(
                                        Account.directory(FileSystem.ROOT_INO),
                                        new Quota(Sums.ZERO, new Sums(1 << 30, 0, 0), 0),
                                        false)));
        for (int i = 0; i < QUOTAS; i++) {
            tree.leader(
                    new LeaderMutation.SetQuota(
                            Account.user(1000 + i),
                            new Quota(Sums.ZERO, new Sums(1 << 30, 0, 0), 0),
                            false));
        }
        each(
                "usage of a directory",
                goes(),
                () -> {
                    for (int i = 0; i < goes(); i++) {
                        tree.namespace().accounts().total(FileSystem.ROOT_INO);
                    }
                });
        once("quota report", () -> tree.namespace().accounts().limited());
    }

    private void snapshots() {
        Name name = Name.of("s");
        once("snapshot taken", () -> take(name));
        int goes = goes();
        List<Found> listed = names(goes, false, 0);
        each(
                "unlink under snapshot",
                listed.size(),
                () -> {
                    List<Long> inos = new ArrayList<>();
                    for (Found one : listed) {
                        tree.send(new TreeMutation.Unlink(one.parent, one.entry.name()));
                        inos.add(one.entry.ino());
                    }
                    tree.send();
                    purge(inos);
                });
        int number = tree.namespace().snapshots().getLast().number();
        once("snapshot dropped", () -> tree.leader(new SnapshotMutation.DropSnapshot(number)));
        each("sweep, each removed", listed.size(), this::sweep);
    }

    private void take(Name name) {
        tree.leader(new SnapshotMutation.BeginSnapshot(FileSystem.ROOT_INO, name));
        int number = tree.namespace().snapshots().getLast().number();
        tree.leader(new SnapshotMutation.FinishSnapshot(number));
    }

    private void sweep() {
        while (tree.namespace().snapshotStatus().isSweeping()) {
            tree.leader(new SnapshotMutation.SweepHistory(SLICE));
        }
    }

    private void memory() throws IOException {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        found.put("heap, MB", (runtime.totalMemory() - runtime.freeMemory()) / 1e6);
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                found.put("process, MB", Long.parseLong(line.replaceAll("\\D", "")) / 1e3);
            }
        }
    }
}
