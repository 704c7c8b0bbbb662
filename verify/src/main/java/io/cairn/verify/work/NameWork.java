package io.cairn.verify.work;

import io.cairn.verify.history.NameHistory;
import io.cairn.verify.history.NameHistory.Kind;
import io.cairn.verify.history.NameHistory.Operation;
import io.cairn.verify.work.AccessPoint.Ending;
import io.cairn.verify.work.AccessPoint.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rounds in which all accesses make, rename and remove the same few names of a new directory. The
 * answers of each round must fit one order of all operations.
 */
final class NameWork implements Workload.Part {
    private static final List<String> NAMES = List.of("a", "b", "c");

    private static final long BELIEF_NS = Workload.BELIEF_MS * 1_000_000L;

    private final Workload workload;
    private final Random random;

    /**
     * New names of renames. The kernel of a mount may know the old name of a file for one more
     * second. It takes a rename between two names of one file for done, and asks nobody, so a name
     * gets no file that it had before.
     */
    private final AtomicInteger fresh = new AtomicInteger();

    private int rounds;

    NameWork(Workload workload) {
        this.workload = workload;
        random = workload.random("names");
    }

    private static String text(int name) {
        return name < NAMES.size() ? NAMES.get(name) : "n" + name;
    }

    private static int number(String text) {
        int name = NAMES.indexOf(text);
        return name >= 0 ? name : Integer.parseInt(text.substring(1));
    }

    private static String directory(int round) {
        return Workload.ROOT + "/names-" + round;
    }

    @Override
    public void prepare() {}

    /** One round, with a thread for each access. */
    void round() throws InterruptedException {
        String directory = directory(++rounds);
        AccessPoint first = workload.any(random);
        Outcome<Boolean> made =
                workload.whileRunning(
                        () ->
                                first.run(
                                        OperationKind.NAME,
                                        "mkdir " + directory,
                                        f -> f.createDirectory(directory)));
        if (!made.isDone()) {
            Thread.sleep(50);
            return;
        }
        NameHistory history = new NameHistory();
        fresh.set(NAMES.size() - 1);
        int each = (NameHistory.MAX_OPERATIONS - 1 - NAMES.size()) / workload.accesses().size();
        List<Thread> threads = new ArrayList<>();
        for (AccessPoint access : workload.accesses()) {
            Random own = workload.random(directory + access.name());
            threads.add(
                    Thread.ofPlatform()
                            .daemon()
                            .name("names-" + access.name())
                            .start(() -> work(access, directory, history, each, own)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        workload.whileRunning(() -> list(workload.any(random), directory, history));
        String wrong = history.mismatch();
        if (wrong != null) {
            workload.findings().violate(directory + ": " + wrong);
        }
    }

    private void work(
            AccessPoint access, String directory, NameHistory history, int count, Random own) {
        try {
            for (int i = 0; i < Math.min(count, 12); i++) {
                workload.whileRunning(() -> operate(access, directory, history, own));
                Thread.sleep(own.nextInt(20));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean operate(AccessPoint access, String directory, NameHistory history, Random own) {
        int name = own.nextInt(NAMES.size());
        int other = fresh.incrementAndGet();
        Kind kind =
                own.nextInt(5) < 2 ? Kind.CREATE : own.nextInt(3) < 2 ? Kind.REMOVE : Kind.RENAME;
        String path = directory + "/" + NAMES.get(name);
        Operation operation =
                history.begin(kind, name, other, access.name(), workload.clock().nanoTime());
        Outcome<Boolean> outcome =
                access.run(
                        OperationKind.NAME,
                        kind + " " + path,
                        f -> {
                            switch (kind) {
                                case CREATE -> f.createNew(path);
                                case REMOVE -> f.remove(path);
                                default -> f.rename(path, directory + "/" + text(other));
                            }
                        });
        Ending refusal = kind == Kind.CREATE ? Ending.PRESENT : Ending.ABSENT;
        if (outcome.isDone()) {
            history.done(operation, outcome.endNs());
        } else if (outcome.ending() == refusal) {
            boolean believed = refusal == Ending.PRESENT;
            history.refused(operation, outcome.endNs(), believed ? BELIEF_NS : 0);
        } else if (outcome.ending() != Ending.UNKNOWN) {
            workload.findings().violate(outcome.error() + " although " + directory + " was made");
        }
        return true;
    }

    private boolean list(AccessPoint access, String directory, NameHistory history) {
        Operation operation =
                history.begin(Kind.LIST, 0, 0, access.name(), workload.clock().nanoTime());
        Outcome<SortedSet<String>> listed =
                access.call(OperationKind.NAME, "list " + directory, f -> f.list(directory));
        if (listed.isDone()) {
            long names = 0;
            for (String each : listed.get()) {
                names |= 1L << number(each);
            }
            history.listed(operation, names, listed.endNs(), BELIEF_NS);
        }
        return true;
    }

    @Override
    public void check(AccessPoint by) {}
}
