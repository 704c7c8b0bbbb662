package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A directory whose files belong to users and a group of their own, all of them under quotas that
 * come and go. It knows what each account holds at least and at most, and which quotas may hold for
 * it: so what may and what must be refused. An answer is judged when nobody else was at work there.
 */
final class QuotaModel {
    static final int[] USERS = {1001, 1002};
    static final int GROUP = 2001;

    /** So long an entry of the log may be on its way to the clock of the master, at most. */
    private static final long SLACK_MS = 100;

    /** Somebody is above a soft limit since then; never. */
    private static final long NEVER = Long.MAX_VALUE;

    /** A file of the directory. */
    static final class File {
        final String name;
        final long ino;
        final int uid;
        private Sums least;
        private Sums most;
        private boolean hasName = true;
        private boolean isKnown = true;
        private boolean isTaken;

        private File(String name, long ino, int uid, boolean isThere) {
            this.name = name;
            this.ino = ino;
            this.uid = uid;
            least = isThere ? new Sums(1, 0, 0) : Sums.ZERO;
            most = new Sums(1, 0, 0);
        }

        /** The length when all that was taken is committed, in bytes. */
        long length() {
            return most.lengthBytes();
        }
    }

    /** The quotas that may hold for an account, and since when it may be above a soft limit. */
    private static final class Limits {
        final List<Quota> possible = new ArrayList<>(List.of(Quota.NONE));
        long changes;
        long earliestMs = NEVER;
        long latestMs = NEVER;
    }

    /** A call that is under way. */
    final class Attempt {
        private final int uid;
        private final Sums more;
        private final long beganMs = clock.getAsLong();
        private final boolean isAlone = atWork == 1;
        private final long turnsBefore = turns;
        private final Map<Account, List<Quota>> quotas = new LinkedHashMap<>();
        private final Map<Account, Long> changes = new LinkedHashMap<>();

        private Attempt(int uid, Sums more) {
            this.uid = uid;
            this.more = more;
            for (Account account : accounts(uid)) {
                quotas.put(account, List.copyOf(limits(account).possible));
                changes.put(account, limits(account).changes);
            }
        }

        private List<Quota> possible(Account account) {
            List<Quota> all = new ArrayList<>(Objects.requireNonNull(quotas.get(account)));
            all.addAll(limits(account).possible);
            return all;
        }

        /** Whether nobody else was at work, and all quotas of the time are known. */
        private boolean isClear() {
            return isAlone
                    && turnsBefore == turns
                    && changes.entrySet().stream()
                            .allMatch(each -> limits(each.getKey()).changes <= each.getValue() + 1);
        }

        private boolean mayBeRefused() {
            return accounts(uid).stream()
                    .anyMatch(
                            account ->
                                    possible(account).stream()
                                            .anyMatch(quota -> mayRefuse(account, quota)));
        }

        private boolean mayRefuse(Account account, Quota quota) {
            long earliestMs = limits(account).earliestMs;
            boolean isOver =
                    earliestMs != NEVER
                            && clock.getAsLong() - earliestMs >= quota.graceMs() - SLACK_MS;
            boolean isAtOnce = quota.graceMs() <= SLACK_MS;
            return isBeyond(sum(account, true), more, quota.inForce(isOver || isAtOnce));
        }

        private boolean mustBeRefused() {
            return accounts(uid).stream()
                    .anyMatch(
                            account ->
                                    possible(account).stream()
                                            .allMatch(quota -> mustRefuse(account, quota)));
        }

        private boolean mustRefuse(Account account, Quota quota) {
            long latestMs = limits(account).latestMs;
            boolean isOver = latestMs != NEVER && beganMs - latestMs >= quota.graceMs() + SLACK_MS;
            return isBeyond(sum(account, false), more, quota.inForce(isOver));
        }

        /**
         * What is wrong with an answer, or null. To be asked before what was done is noted.
         *
         * @param errno the error; null when it was done
         * @param isLogged whether the masters decide in their log: else a client may use up what it
         *     was allowed before
         */
        private @Nullable String mismatch(@Nullable Errno errno, boolean isLogged) {
            if (!isClear()) {
                return null;
            }
            if (errno == Errno.EDQUOT && !isTainted && !mayBeRefused()) {
                return "is refused below all limits: " + describe(uid);
            }
            if (errno == null && isLogged && mustBeRefused()) {
                return "passes a limit: " + describe(uid);
            }
            return null;
        }
    }

    private final LongSupplier clock;
    private final Map<Account, Limits> limits = new LinkedHashMap<>();
    private final List<File> files = new ArrayList<>();
    private final boolean hasTrash;
    private long directory;
    private int atWork;
    private long busySinceMs;
    private long turns;
    private boolean isTainted;
    private int refusals;

    /**
     * An empty directory that is not there yet.
     *
     * @param clock milliseconds of the simulation
     * @param hasTrash whether what is removed may stay with its owners for a while
     */
    QuotaModel(LongSupplier clock, boolean hasTrash) {
        this.clock = clock;
        this.hasTrash = hasTrash;
    }

    /** Its inode; 0 before it is there. */
    long directory() {
        return directory;
    }

    void made(long ino) {
        directory = ino;
    }

    /** All that may have a quota. */
    List<Account> accounts() {
        return List.of(
                Account.directory(directory),
                Account.user(USERS[0]),
                Account.user(USERS[1]),
                Account.group(GROUP));
    }

    private List<Account> accounts(int uid) {
        return List.of(Account.directory(directory), Account.user(uid), Account.group(GROUP));
    }

    private Limits limits(Account account) {
        return limits.computeIfAbsent(account, _ -> new Limits());
    }

    // ---- sums

    private Sums sum(Account account, boolean isMost) {
        Sums sum = Sums.ZERO;
        for (File file : files) {
            boolean counts =
                    switch (account.kind()) {
                        case DIRECTORY -> file.hasName;
                        case USER -> (file.hasName || hasTrash) && file.uid == account.id();
                        case GROUP -> file.hasName || hasTrash;
                    };
            if (counts) {
                sum = sum.plus(isMost ? file.most : file.least);
            }
        }
        return sum;
    }

    private static boolean isBeyond(Sums used, Sums more, Sums limit) {
        return isBeyond(used.inodes(), more.inodes(), limit.inodes())
                || isBeyond(used.lengthBytes(), more.lengthBytes(), limit.lengthBytes());
    }

    private static boolean isBeyond(long used, long more, long limit) {
        return more > 0 && limit > 0 && used + more > limit;
    }

    /** Notes who may be above a soft limit, and who surely is. */
    private void follow() {
        for (Map.Entry<Account, Limits> each : limits.entrySet()) {
            Limits limit = each.getValue();
            Sums least = sum(each.getKey(), false);
            Sums most = sum(each.getKey(), true);
            boolean mayBe = limit.possible.stream().anyMatch(q -> Quota.isAbove(most, q.soft()));
            boolean isSure = limit.possible.stream().allMatch(q -> Quota.isAbove(least, q.soft()));
            long nowMs = clock.getAsLong();
            // What is noted when a call has ended was done while it was under way.
            long sinceMs = atWork > 0 ? busySinceMs : nowMs;
            limit.earliestMs = mayBe ? Math.min(limit.earliestMs, sinceMs) : NEVER;
            limit.latestMs = isSure ? Math.min(limit.latestMs, nowMs) : NEVER;
        }
    }

    private String describe(int uid) {
        StringBuilder text = new StringBuilder();
        for (Account account : accounts(uid)) {
            Limits limit = limits(account);
            text.append(account).append(" has ").append(sum(account, false));
            text.append(" to ").append(sum(account, true)).append(" of ").append(limit.possible);
            text.append(" since ").append(limit.earliestMs).append("; ");
        }
        return text.toString();
    }

    // ---- quotas

    /** A quota is asked for: it may hold from now on. */
    void asked(Account account, Quota quota) {
        Limits limit = limits(account);
        limit.possible.add(quota);
        limit.changes++;
        follow();
    }

    /** How often a quota was asked for. */
    long changes(Account account) {
        return limits(account).changes;
    }

    /**
     * A quota was set.
     *
     * @param number as {@link #changes} said when it was asked for
     */
    void told(Account account, Quota quota, long number) {
        Limits limit = limits(account);
        if (limit.changes != number) {
            // A later one is under way, and holds or not.
            return;
        }
        limit.possible.clear();
        limit.possible.add(quota);
        limit.latestMs = NEVER;
        follow();
    }

    // ---- files

    /** Somebody begins to work there. */
    void beginTurn() {
        busySinceMs = atWork == 0 ? clock.getAsLong() : busySinceMs;
        atWork++;
        turns++;
    }

    /** He is done, and nothing is allowed any more that he did not write. */
    void endTurn() {
        atWork--;
    }

    /** What became of the work of somebody is unknown, and what was allowed may stay allowed. */
    void taint() {
        isTainted = true;
    }

    /** Files that nobody works on and of which all is known. */
    List<File> idle() {
        return files.stream()
                .filter(file -> file.hasName && file.isKnown && !file.isTaken)
                .toList();
    }

    /** How many there may be. */
    int count() {
        return (int) files.stream().filter(file -> file.hasName).count();
    }

    void take(File file) {
        file.isTaken = true;
    }

    void release(File file) {
        file.isTaken = false;
    }

    /** Nobody knows any more what it holds: nobody works on it. */
    void retire(File file) {
        file.isKnown = false;
        file.least = new Sums(file.least.inodes(), 0, 0);
        isTainted = true;
        follow();
    }

    /**
     * A call begins that adds something for a user.
     *
     * @param more what it adds to sums
     */
    Attempt attempt(int uid, Sums more) {
        return new Attempt(uid, more);
    }

    /** A file may have been made, or surely was; taken by whoever made it. */
    File add(String name, long ino, int uid, boolean isThere) {
        File file = new File(name, ino, uid, isThere);
        file.isTaken = true;
        file.isKnown = isThere;
        files.add(file);
        follow();
        return file;
    }

    /** A file may be as long as that from now on, or is no longer so long as it was. */
    void mayBe(File file, long lengthBytes) {
        file.least = file.least.plus(lengths(Math.min(0, lengthBytes - length(file.least))));
        file.most = file.most.plus(lengths(Math.max(0, lengthBytes - length(file.most))));
        follow();
    }

    /** A file has exactly that length, and the masters know it. */
    void is(File file, long lengthBytes) {
        file.least = new Sums(1, lengthBytes, 0);
        file.most = file.least;
        follow();
    }

    /** All that was taken for a file is committed. */
    void committed(File file) {
        is(file, file.length());
    }

    /** A file is being removed: it may be gone at any time. */
    void leaves(File file) {
        file.least = Sums.ZERO;
        follow();
    }

    /** A file was removed. */
    void gone(File file) {
        file.hasName = false;
        follow();
    }

    private static long length(Sums sums) {
        return sums.lengthBytes();
    }

    private static Sums lengths(long bytes) {
        return new Sums(0, bytes, 0);
    }

    /** An answer came; the violation in it, or null. */
    @Nullable String judge(Attempt attempt, @Nullable Errno errno, boolean isLogged) {
        refusals += errno == Errno.EDQUOT ? 1 : 0;
        return attempt.mismatch(errno, isLogged);
    }

    /** How much was refused. */
    int refusals() {
        return refusals;
    }
}
