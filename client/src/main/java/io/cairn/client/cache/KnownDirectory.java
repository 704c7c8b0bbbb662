package io.cairn.client.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.Name;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.Reply.DirectoryReply;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The known names of one directory, and whether they are all of them. Its own monitor guards
 * everything; it is never held while waiting.
 *
 * <p>The master counts the changes of a directory's names, and every reply that concerns the
 * directory tells the count: at equal counts the names are equal. So a name known as of a count is
 * replaced only by what is known as of the same or a later one.
 *
 * <p>A directory is <em>complete at count N</em> when its names at N are exactly the ones known
 * here. It becomes so when this client makes it, or reads it from the beginning to the end at one
 * count. While nobody has told a count beyond N, and N was told within the time for which a name is
 * believed to be absent, a name that is not known does not exist.
 *
 * <pre>
 *   own change N+1          : complete at N+1, and at N+2 ... if those were seen before
 *   own change beyond N+1   : kept until the changes in between are seen
 *   N told                  : still complete at N
 *   a count beyond N told   : not sure until own changes under way have closed the gap;
 *                             over when none is under way
 * </pre>
 *
 * A name that an own change under way is about is never answered from here.
 */
public final class KnownDirectory {
    static final long UNKNOWN = -1;
    static final long ABSENT = 0;
    static final int MAX_NAMES = 20_000;

    /** Own changes seen beyond a gap. */
    static final int MAX_AHEAD = 64;

    private static final long NEVER = -1;

    /** Shared by all directories of a cache. */
    public record Shared(
            Clock clock, long ttlMs, long absentTtlMs, AtomicLong stamps, AtomicInteger names) {}

    /** The inode that a name stands for; {@code ino} 0: nothing. */
    private static final class Child {
        final long ino;
        final long untilMs;
        final long changes;
        boolean fetchedAhead;

        Child(long ino, long untilMs, long changes, boolean fetchedAhead) {
            this.ino = ino;
            this.untilMs = untilMs;
            this.changes = changes;
            this.fetchedAhead = fetchedAhead;
        }
    }

    private final Shared shared;
    private final Map<Name, Child> children = new HashMap<>();

    /** Names of own changes under way, with how many. */
    private final Map<Name, Integer> flights = new HashMap<>();

    /** Counts of own changes beyond {@link #count}, while complete. */
    private final Set<Long> ahead = new HashSet<>();

    @GuardedBy("this")
    private long stamp;

    @GuardedBy("this")
    private long doubts;

    @GuardedBy("this")
    private boolean dropped;

    /** The highest count that anybody told. */
    @GuardedBy("this")
    private long told;

    private boolean complete;

    /** The count at which it is complete. */
    private long count;

    /** When a request was sent whose reply told that count. */
    private long confirmedMs;

    private boolean gap;
    private long gapSinceMs;

    /** The count of the listing under way. */
    @GuardedBy("this")
    private long listedAt = NEVER;

    /** All names up to this cookie are known as of that count. */
    @GuardedBy("this")
    private long listedTo;

    @GuardedBy("this")
    private int usedAhead;

    KnownDirectory(Shared shared) {
        this.shared = shared;
        this.stamp = shared.stamps.incrementAndGet();
    }

    private long nowMs() {
        return shared.clock.millis();
    }

    /** Taken before a question is asked; its answer counts only if it is still the same. */
    synchronized long stamp() {
        return stamp;
    }

    /** The inode of a name, {@link #ABSENT}, or {@link #UNKNOWN}. */
    synchronized long child(Name name) {
        if (!flights.isEmpty() && flights.containsKey(name)) {
            return UNKNOWN;
        }
        Child child = children.get(name);
        if (child == null) {
            return isSure() ? ABSENT : UNKNOWN;
        }
        if (nowMs() - child.untilMs >= 0) {
            return child.ino == ABSENT && isSure() ? ABSENT : UNKNOWN;
        }
        if (child.fetchedAhead) {
            child.fetchedAhead = false;
            usedAhead++;
        }
        return child.ino;
    }

    /**
     * As {@link #child}, while nobody else changes the names: then what is known stays true. It is
     * {@link #UNKNOWN} unless all names are known.
     */
    synchronized long ownChild(Name name) {
        if (!complete || count != told || flights.containsKey(name)) {
            return UNKNOWN;
        }
        Child child = children.get(name);
        return child == null ? ABSENT : child.ino;
    }

    /**
     * Whether it has no names but some that are being taken away, while nobody else changes them.
     */
    synchronized boolean hasOnly(Set<Name> leaving) {
        return complete
                && count == told
                && leaving.containsAll(flights.keySet())
                && flights.values().stream().allMatch(changes -> changes == 1)
                && children.entrySet().stream()
                        .allMatch(e -> e.getValue().ino == ABSENT || leaving.contains(e.getKey()));
    }

    /** Whether names that are not known do not exist. */
    synchronized boolean isSure() {
        return complete && count == told && nowMs() - confirmedMs < shared.absentTtlMs;
    }

    /** Whether it is complete, even if the master should be asked whether it still is. */
    synchronized boolean isComplete() {
        return complete;
    }

    /** How many names fetched ahead were used since this was asked last. */
    synchronized int takeUsedAhead() {
        int used = usedAhead;
        usedAhead = 0;
        return used;
    }

    // ---- what the master tells

    /**
     * A reply tells the count.
     *
     * @param sentMs when the request was sent: the count is at least as young
     */
    synchronized void told(long changes, long sentMs) {
        told = Math.max(told, changes);
        if (!complete) {
            return;
        }
        if (changes == count) {
            confirm(sentMs);
        } else if (changes > count) {
            noteGap();
        }
    }

    private void confirm(long sentMs) {
        if (sentMs - confirmedMs > 0) {
            confirmedMs = sentMs;
        }
    }

    /** Counts between the one known and the one told may be own changes under way. */
    private void noteGap() {
        if (!gap) {
            gap = true;
            gapSinceMs = nowMs();
        }
        if (flights.isEmpty() || nowMs() - gapSinceMs > shared.absentTtlMs) {
            endCompleteness();
        }
    }

    private void endCompleteness() {
        complete = false;
        gap = false;
        ahead.clear();
    }

    /**
     * A name was looked up; the count was told already.
     *
     * @param asked how the master was asked
     */
    synchronized void putChild(Name name, long ino, Asked asked, long changes) {
        if (!dropped && stamp == asked.stamp && changes == told) {
            put(name, ino, changes, asked.sentMs, false);
        }
    }

    /**
     * A name stands for something, or nothing.
     *
     * @param sentMs when the master was asked: from then on it tells when an absent name is made
     */
    private void put(Name name, long ino, long changes, long sentMs, boolean fetchedAhead) {
        Child old = children.get(name);
        if (old != null && old.changes > changes) {
            return;
        }
        if (old == null) {
            if (children.size() >= MAX_NAMES) {
                forgetNames();
            }
            shared.names.incrementAndGet();
        }
        long untilMs = ino == ABSENT ? sentMs + shared.absentTtlMs : nowMs() + shared.ttlMs;
        // What was known and unused before would not have been asked for either.
        boolean unused = fetchedAhead && (old == null || old.fetchedAhead || isOld(old));
        children.put(name, new Child(ino, untilMs, changes, unused));
    }

    private boolean isOld(Child child) {
        return nowMs() - child.untilMs >= 0;
    }

    private void remove(Name name) {
        if (children.remove(name) != null) {
            shared.names.decrementAndGet();
        }
    }

    /**
     * A question about a name.
     *
     * @param stamp the {@link #stamp} from before
     * @param sentMs when it was sent
     */
    public record Asked(long stamp, long sentMs) {}

    /** A page of a listing, as it was asked for. */
    public record PageRequest(long cookie, long stamp, long sentMs, boolean isAhead) {}

    /** A page was read. */
    synchronized void putPage(PageRequest request, DirectoryReply page) {
        long changes = page.directory().nameChanges();
        told(changes, request.sentMs);
        if (dropped || stamp != request.stamp || changes != told) {
            return;
        }
        // Names without attributes serve to know them all; of too many they are in the way.
        boolean isHuge = page.directory().entryCount() > MAX_NAMES;
        for (DirectoryEntry entry : page.entries()) {
            if (isHuge && entry.attributes() == null && !children.containsKey(entry.name())) {
                continue;
            }
            put(entry.name(), entry.ino(), changes, request.sentMs, request.isAhead);
        }
        if (isHuge || stamp != request.stamp) {
            return;
        }
        if (request.cookie == 0 && listedAt != changes) {
            listedAt = changes;
            listedTo = 0;
        }
        if (listedAt != changes || request.cookie > listedTo) {
            return;
        }
        if (page.end()) {
            listedAt = NEVER;
            becomeComplete(changes, request.sentMs);
        } else if (!page.entries().isEmpty()) {
            listedTo = Math.max(listedTo, page.entries().getLast().cookie());
        }
    }

    /** Every name of this count has been put. */
    private void becomeComplete(long changes, long sentMs) {
        int before = children.size();
        children.values().removeIf(child -> child.changes != changes);
        shared.names.addAndGet(children.size() - before);
        if (complete && count == changes) {
            confirm(sentMs);
        } else {
            confirmedMs = sentMs;
        }
        ahead.clear();
        gap = false;
        complete = true;
        count = changes;
    }

    /**
     * This client has made the directory: it was empty then.
     *
     * @param asked the {@link #stamp} from before it was made sure that nothing has intervened
     */
    synchronized void madeEmpty(long asked, long sentMs) {
        if (!dropped && stamp == asked && told == 0 && children.isEmpty()) {
            complete = true;
            count = 0;
            confirmedMs = sentMs;
        }
    }

    // ---- own changes

    /**
     * Taken before an own change is sent: how often {@link #doubt} was called. The reply of a
     * change may be overtaken by what another client did to the same name after it. The master has
     * told that, and tells it once.
     */
    synchronized long doubts() {
        return doubts;
    }

    /** An own change of a name is about to be sent; false when this was dropped. */
    synchronized boolean begin(Name name) {
        if (!dropped) {
            flights.merge(name, 1, Integer::sum);
        }
        return !dropped;
    }

    /** An own change of a name is over, whatever became of it. */
    synchronized void end(Name name) {
        flights.computeIfPresent(name, (_, n) -> n == 1 ? null : n - 1);
        if (complete && count != told && flights.isEmpty()) {
            endCompleteness();
        }
    }

    /**
     * An own change was done.
     *
     * @param doubtsBefore the {@link #doubts} from before
     * @return false when nobody tells any more who makes the names: the master that answered may
     *     lead no more, or it has told already
     */
    synchronized boolean changed(
            long doubtsBefore, long changes, long sentMs, Map<Name, Long> names) {
        if (doubts != doubtsBefore) {
            told(changes, sentMs);
            return false;
        }
        changed(changes, sentMs, names);
        return true;
    }

    /**
     * An own change was done: the one that made the count {@code changes}.
     *
     * @param names what they stand for since then, 0 for nothing
     */
    synchronized void changed(long changes, long sentMs, Map<Name, Long> names) {
        boolean late = changes < told;
        told = Math.max(told, changes);
        if (complete && changes <= count) {
            // A listing has shown it already, and perhaps what came after it.
            return;
        }
        if (late && !complete) {
            // What came after it may have been about the same names, and be forgotten.
            names.keySet().forEach(name -> removeOlder(name, changes));
            return;
        }
        names.forEach((name, ino) -> put(name, ino, changes, sentMs, false));
        if (!complete) {
            return;
        }
        confirm(sentMs);
        if (changes != count + 1) {
            ahead.add(changes);
            noteGap();
            if (ahead.size() > MAX_AHEAD) {
                endCompleteness();
            }
            return;
        }
        count++;
        while (ahead.remove(count + 1)) {
            count++;
        }
        gapSinceMs = nowMs();
        gap = count != told;
        if (!gap) {
            names.forEach(this::removeIfAbsent);
        }
    }

    private void removeOlder(Name name, long changes) {
        Child child = children.get(name);
        if (child != null && child.changes <= changes) {
            remove(name);
        }
    }

    /** All names being known, absent ones need no room. */
    private void removeIfAbsent(Name name, long ino) {
        Child child = children.get(name);
        if (ino == ABSENT && child != null && child.ino == ABSENT) {
            remove(name);
        }
    }

    // ---- forgetting

    /** Nothing is known of a name any more, nor what other answers on their way say of it. */
    synchronized void forgetChild(Name name) {
        remove(name);
        forgetAnswers();
    }

    /** The directory may have changed: names that are known stay for their time, but no others. */
    synchronized void forgetAnswers() {
        stamp = shared.stamps.incrementAndGet();
        listedAt = NEVER;
        endCompleteness();
    }

    /**
     * Another master may answer, which does not know what this client believes; or the master has
     * told of changes, also of those after own ones under way.
     */
    synchronized void doubt() {
        doubts++;
        int before = children.size();
        children.values().removeIf(child -> child.ino == ABSENT);
        shared.names.addAndGet(children.size() - before);
        forgetAnswers();
    }

    private void forgetNames() {
        shared.names.addAndGet(-children.size());
        children.clear();
        forgetAnswers();
    }

    /**
     * Forgets everything.
     *
     * @return whether nobody needs this object any more; then it remains empty
     */
    synchronized boolean drop() {
        forgetNames();
        dropped = flights.isEmpty();
        return dropped;
    }
}
