package io.cairn.verify.work;

import io.cairn.verify.history.StampedBlocks;
import io.cairn.verify.work.AccessPoint.Ending;
import io.cairn.verify.work.AccessPoint.Outcome;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Whole files in a directory of its own: written beside and renamed, as careful programs do, moved
 * and removed. What was acknowledged must be there, for every access. A name whose change got no
 * answer is not used again, and may hold either outcome.
 */
final class FileWork implements Workload.Part {
    private static final int MAX_FILES = 40;
    private static final int MAX_BYTES = 120_000;
    private static final int MAX_OPEN = 3;

    private static final long BELIEF_NS = Workload.BELIEF_MS * 1_000_000L;

    private final Workload workload;
    private final AccessPoint access;
    private final String directory;
    private final Random random;
    private final Map<String, Version> files = new LinkedHashMap<>();
    private final Map<String, List<Version>> uncertain = new LinkedHashMap<>();

    /** Names that are there or not: files on their way, that nobody waits for. */
    private final Set<String> abandoned = new HashSet<>();

    /** Files that were synced and are not closed yet, the oldest first. */
    private final Deque<Closeable> open = new ArrayDeque<>();

    private long lastName;

    /**
     * What a name holds.
     *
     * @param write the number of the write, 0 for no file
     * @param power when its contents were written, among the cuts of the power
     */
    private record Version(long write, int lengthBytes, boolean sync, int power, long sinceNs) {
        static final Version ABSENT = new Version(0, 0, true, 0, 0);

        byte[] contents() {
            return StampedBlocks.contents(write, lengthBytes);
        }

        @Override
        public String toString() {
            return write == 0
                    ? "no file"
                    : lengthBytes
                            + " bytes of write "
                            + write
                            + " acknowledged at %.3f s".formatted(sinceNs / 1e9)
                            + (sync ? ", synced" : ", closed");
        }
    }

    FileWork(Workload workload, AccessPoint access) {
        this.workload = workload;
        this.access = access;
        directory = Workload.ROOT + "/files-" + access.name();
        random = workload.random(directory);
    }

    @Override
    public void prepare() {
        Workload.require(
                access.run(OperationKind.NAME, "mkdir", f -> f.createDirectory(directory)));
    }

    void step() throws InterruptedException {
        boolean known =
                workload.whileRunning(
                        () -> {
                            int choice = random.nextInt(10);
                            if (files.size() > MAX_FILES) {
                                return remove();
                            }
                            if (files.isEmpty() || choice < 4) {
                                return store();
                            }
                            return choice < 8 ? look() : choice == 8 ? remove() : rename();
                        });
        if (!known) {
            Thread.sleep(50);
        }
    }

    private String fresh(String prefix) {
        return directory + "/" + prefix + ++lastName;
    }

    private String anyFile() {
        List<String> names = new ArrayList<>(files.keySet());
        return names.get(random.nextInt(names.size()));
    }

    private boolean store() {
        String beside = fresh("new-");
        String name = random.nextInt(3) == 0 && !files.isEmpty() ? anyFile() : fresh("file-");
        int length = random.nextInt(4) == 0 ? random.nextInt(4096) : random.nextInt(MAX_BYTES);
        // Contents of 4 KiB and less are part of the metadata, which is always synced.
        boolean leftOpen = random.nextInt(4) == 0;
        boolean sync = leftOpen || random.nextBoolean();
        int power = workload.cuts().stamp();
        long write = workload.nextNumber();
        byte[] contents = StampedBlocks.contents(write, length);
        Outcome<Boolean> stored =
                access.run(
                        OperationKind.WRITE,
                        "write " + beside,
                        f -> {
                            if (leftOpen) {
                                open.addLast(f.storeOpen(beside, contents));
                            } else {
                                f.store(beside, contents, sync);
                            }
                        });
        closeOldest();
        if (!stored.isDone()) {
            abandoned.add(beside);
            refused(stored, "a new file in " + directory);
            return stored.ending() != Ending.UNKNOWN;
        }
        Version next = new Version(write, length, sync, power, stored.endNs());
        return move(beside, name, next);
    }

    /** An error says nothing: the mount may have been killed since. The sync has promised all. */
    private void closeOldest() {
        while (open.size() > MAX_OPEN) {
            try {
                open.removeFirst().close();
            } catch (IOException e) {
                // As above.
            }
        }
    }

    private boolean rename() {
        String from = anyFile();
        String to = random.nextBoolean() ? anyFile() : fresh("file-");
        Version version = files.get(from);
        return version == null || from.equals(to) || move(from, to, version);
    }

    private boolean move(String from, String to, Version version) {
        Version before = files.getOrDefault(to, Version.ABSENT);
        Outcome<Boolean> moved =
                access.run(
                        OperationKind.NAME,
                        "rename " + from + " to " + to,
                        f -> f.rename(from, to));
        files.remove(from);
        files.remove(to);
        if (moved.isDone()) {
            files.put(
                    to,
                    new Version(
                            version.write,
                            version.lengthBytes,
                            version.sync,
                            version.power,
                            moved.endNs()));
        } else {
            refused(moved, from + ", which held " + version + ",");
            uncertain.put(from, List.of(version, Version.ABSENT));
            uncertain.put(to, List.of(before, version));
        }
        return moved.isDone();
    }

    private boolean remove() {
        String name = anyFile();
        Version version = files.remove(name);
        Outcome<Boolean> removed =
                access.run(OperationKind.NAME, "remove " + name, f -> f.remove(name));
        if (!removed.isDone() && version != null) {
            refused(removed, name + ", which held " + version + ",");
            uncertain.put(name, List.of(version, Version.ABSENT));
        }
        return removed.isDone();
    }

    /** Nobody else works here: a change of names has no reason to be refused. */
    private void refused(Outcome<Boolean> outcome, String what) {
        if (outcome.ending() == Ending.ABSENT) {
            workload.findings().violate(what + " is not there: " + outcome.error());
        } else if (outcome.ending() == Ending.PRESENT) {
            workload.findings().violate("a new name is there already: " + outcome.error());
        }
    }

    private boolean look() {
        String name = anyFile();
        Version version = files.getOrDefault(name, Version.ABSENT);
        boolean settled = workload.clock().nanoTime() - version.sinceNs > BELIEF_NS;
        AccessPoint by = settled ? workload.any(random) : access;
        return look(by, name, List.of(version), false);
    }

    /**
     * Reads a file and compares.
     *
     * @param calm whether all is well, so that it has to be readable
     * @return false when there was no answer
     */
    private boolean look(AccessPoint by, String name, List<Version> allowed, boolean calm) {
        Outcome<byte[]> found = by.call(OperationKind.READ, "read " + name, f -> f.load(name));
        boolean unsure = allowed.stream().anyMatch(each -> !isSure(each));
        if (found.ending() == Ending.UNKNOWN) {
            if (calm && !unsure) {
                workload.findings().violate(allowed + " cannot be read: " + found.error());
            }
            return false;
        }
        for (Version each : allowed) {
            if (matches(found, each)) {
                return true;
            }
        }
        workload.findings()
                .violate(
                        "%s: acknowledged by %s was %s; %s saw at %.3f s %s"
                                .formatted(
                                        name,
                                        access.name(),
                                        allowed,
                                        by.name(),
                                        found.endNs() / 1e9,
                                        found.isDone()
                                                ? StampedBlocks.describe(found.get())
                                                : "no file"));
        return true;
    }

    /** Whether its contents are promised. */
    private boolean isSure(Version version) {
        return version.sync || workload.cuts().isUnbrokenSince(version.power);
    }

    private boolean matches(Outcome<byte[]> found, Version version) {
        if (!found.isDone()) {
            return version.write == 0;
        }
        byte[] bytes = found.get();
        byte[] wanted = version.contents();
        boolean sure = isSure(version);
        if (version.write == 0 || bytes.length != wanted.length) {
            return false;
        }
        for (int at = 0; at < bytes.length; at++) {
            // Unsynced blocks may be zeros after a cut of the power.
            if (bytes[at] != wanted[at] && (sure || bytes[at] != 0)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void check(AccessPoint by) {
        for (Map.Entry<String, Version> each : files.entrySet()) {
            look(by, each.getKey(), List.of(each.getValue()), true);
        }
        for (Map.Entry<String, List<Version>> each : uncertain.entrySet()) {
            look(by, each.getKey(), each.getValue(), true);
        }
        Outcome<SortedSet<String>> listed =
                by.call(OperationKind.READ, "list " + directory, f -> f.list(directory));
        if (!listed.isDone()) {
            workload.findings().violate(directory + " cannot be listed: " + listed.error());
            return;
        }
        SortedSet<String> strange = new TreeSet<>();
        listed.get().forEach(name -> strange.add(directory + "/" + name));
        SortedSet<String> missing = new TreeSet<>(files.keySet());
        missing.removeAll(strange);
        strange.removeAll(files.keySet());
        strange.removeAll(uncertain.keySet());
        strange.removeAll(abandoned);
        if (!missing.isEmpty() || !strange.isEmpty()) {
            workload.findings()
                    .violate(
                            by.name()
                                    + " lists "
                                    + directory
                                    + " without "
                                    + missing
                                    + " and with "
                                    + strange);
        }
    }
}
