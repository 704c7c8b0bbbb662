package io.cairn.master;

import io.cairn.fs.Name;
import io.cairn.runtime.Clock;
import io.cairn.wire.Limits;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which sessions have just heard that a directory does not have a name, and may believe it still:
 * {@link Limits#MAX_ABSENCE_MS} from their question on. Remembered by a hash of directory and name,
 * so that at worst somebody is told for nothing. Two maps take turns; what the older one holds is
 * over when they change, or is displaced when the younger one is full. Thread-safe; never blocks.
 */
final class MissedNames {
    /** Names in each of both maps. */
    static final int MAX_NAMES = 1 << 16;

    /** The sessions that believe; a chain, nearly always of one. */
    private record Believer(long session, long sinceMs, @Nullable Believer next) {}

    /** The believers of one name. */
    private record Missed(long directory, Believer first) {}

    /** Who was told last that a directory lacks a name, when, and when the last other one was. */
    private record Asker(long session, long sinceMs, long othersMs) {
        boolean isAlone(long wanted, long nowMs) {
            boolean isOwn = wanted == session || nowMs - sinceMs > Limits.MAX_ABSENCE_MS;
            return isOwn && nowMs - othersMs > Limits.MAX_ABSENCE_MS;
        }
    }

    private final Map<Long, Asker> askers = new HashMap<>();

    /** When there was no room for the askers of all directories. */
    private long crowdedMs;

    private final Clock clock;
    private Map<Long, Missed> young = new HashMap<>();
    private Map<Long, Missed> old = new HashMap<>();
    private long youngSinceMs;

    MissedNames(Clock clock) {
        this.clock = clock;
        this.youngSinceMs = clock.millis();
        this.crowdedMs = youngSinceMs - 2 * Limits.MAX_ABSENCE_MS;
    }

    private static long key(long directory, Name name) {
        long h = (name.cookie() ^ directory * 0x9e3779b97f4a7c15L) * 0xd6e8feb86659fd93L;
        return h ^ h >>> 32;
    }

    /**
     * A session is told that there is no such name.
     *
     * @return who has to forget what directory because there is no room to remember it here
     */
    synchronized Set<DirectoryWatch.Forgetting> missed(long session, long directory, Name name) {
        long nowMs = clock.millis();
        asked(session, directory, nowMs);
        Set<DirectoryWatch.Forgetting> displaced = Set.of();
        if (nowMs - youngSinceMs >= Limits.MAX_ABSENCE_MS) {
            turn(nowMs);
        } else if (young.size() >= MAX_NAMES) {
            displaced = new LinkedHashSet<>();
            for (Missed each : old.values()) {
                collect(each, 0, nowMs, displaced);
            }
            turn(nowMs);
        }
        young.compute(
                key(directory, name),
                (_, known) ->
                        new Missed(
                                directory,
                                add(session, nowMs, known == null ? null : known.first)));
        return displaced;
    }

    private void turn(long nowMs) {
        old = young;
        young = new HashMap<>();
        youngSinceMs = nowMs;
    }

    /** In front of the others, without those who believe no longer. */
    private static Believer add(long session, long nowMs, @Nullable Believer others) {
        Believer kept = null;
        for (Believer each = others; each != null; each = each.next) {
            if (each.session != session && believes(each, nowMs)) {
                kept = new Believer(each.session, each.sinceMs, kept);
            }
        }
        return new Believer(session, nowMs, kept);
    }

    private static boolean believes(Believer believer, long nowMs) {
        return nowMs - believer.sinceMs <= Limits.MAX_ABSENCE_MS;
    }

    private static void collect(
            Missed missed, long maker, long nowMs, Set<DirectoryWatch.Forgetting> others) {
        for (Believer each = missed.first; each != null; each = each.next) {
            if (each.session != maker && believes(each, nowMs)) {
                others.add(new DirectoryWatch.Forgetting(each.session, missed.directory));
            }
        }
    }

    /** Whether no other session may believe that any name of a directory is absent. */
    synchronized boolean isAlone(long session, long directory) {
        long nowMs = clock.millis();
        Asker last = askers.get(directory);
        return nowMs - crowdedMs > Limits.MAX_ABSENCE_MS
                && (last == null || last.isAlone(session, nowMs));
    }

    private void asked(long session, long directory, long nowMs) {
        Asker last = askers.get(directory);
        long othersMs = nowMs - 2 * Limits.MAX_ABSENCE_MS;
        if (last != null) {
            othersMs =
                    last.session == session ? last.othersMs : Math.max(last.sinceMs, last.othersMs);
        }
        askers.put(directory, new Asker(session, nowMs, othersMs));
        if (askers.size() > MAX_NAMES) {
            askers.clear();
            crowdedMs = nowMs;
        }
    }

    /** A session has made the name: adds who else has to forget the directory. */
    synchronized void made(
            long maker, long directory, Name name, Set<DirectoryWatch.Forgetting> others) {
        long key = key(directory, name);
        long nowMs = clock.millis();
        Missed recent = young.remove(key);
        Missed earlier = old.remove(key);
        if (recent != null) {
            collect(recent, maker, nowMs, others);
        }
        if (earlier != null) {
            collect(earlier, maker, nowMs, others);
        }
    }

    /** Forgets all; who has to forget what. */
    synchronized Set<DirectoryWatch.Forgetting> clear() {
        Set<DirectoryWatch.Forgetting> all = new LinkedHashSet<>();
        long nowMs = clock.millis();
        young.values().forEach(each -> collect(each, 0, nowMs, all));
        old.values().forEach(each -> collect(each, 0, nowMs, all));
        young.clear();
        old.clear();
        return all;
    }
}
