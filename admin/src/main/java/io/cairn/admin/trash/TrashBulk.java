package io.cairn.admin.trash;

import io.cairn.admin.api.Json;
import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Problem;
import io.cairn.base.Wording;
import io.cairn.master.MasterService;
import io.cairn.master.TrashKeeper;
import io.cairn.metadata.trash.TrashQueries.Page;
import io.cairn.metadata.trash.TrashQueries.Position;
import io.cairn.metadata.trash.TrashRecord;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Restores and purges much at once. A purge goes piece by piece, one for each request, and takes
 * only what was in the trash when its first piece began. So neither memory nor a request grows with
 * the trash. For one request; blocks.
 */
final class TrashBulk {
    /** Files of one entry of the log. */
    private static final int SLICE = 512;

    /** Entries of the log under way: the next piece is looked for while one is written. */
    private static final int UNDER_WAY = 2;

    /** Entries that one request purges. */
    private static final int MAX_PURGED = 16_384;

    /** Records that one request looks at to purge them. */
    private static final int MAX_LOOKED = 200_000;

    /** So long one request purges: who asks through another master waits for 20 seconds. */
    private static final long MAX_PURGING_MS = 5_000;

    /** Paths that one restore may have: which version is the last one is decided in memory. */
    private static final int MAX_RESTORED = 250_000;

    /** Records that a plan looks at to count them. */
    private static final int MAX_COUNTED = 100_000;

    private static final int PAGE = 4096;

    private final MasterService master;
    private final TrashSearch search;

    TrashBulk(MasterService master, TrashSearch search) {
        this.master = master;
        this.search = search;
    }

    /** One version of a path. */
    record Version(long ino, long deletedNs, boolean isDirectory, long sizeBytes) {
        static Version of(TrashRecord record) {
            return new Version(
                    record.ino(), record.deletedNs(), record.isDirectory(), record.before().size());
        }
    }

    /** How much there is. */
    record Count(long files, long directories, long bytes, long heldBytes, boolean isAll) {
        private static final Count NONE = new Count(0, 0, 0, 0, true);

        private boolean isNone() {
            return files + directories == 0;
        }

        String told() {
            return (isAll ? "" : "at least ")
                    + Wording.count(files, "file")
                    + " and "
                    + Wording.count(directories, "directory")
                    + " with "
                    + bytes
                    + " bytes";
        }
    }

    /**
     * How far a purge has come.
     *
     * @param beganNs nothing that was removed later is purged
     * @param at where it goes on; null at the end
     */
    record Progress(long beganNs, @Nullable Position at, long entries, long heldBytes) {
        private static Progress parse(String text) {
            String[] parts = text.split(" ", -1);
            try {
                if (parts.length == 5) {
                    Position at = new Position(Long.parseLong(parts[1]), Long.parseLong(parts[2]));
                    return new Progress(
                            Long.parseLong(parts[0]),
                            at,
                            Long.parseLong(parts[3]),
                            Long.parseLong(parts[4]));
                }
            } catch (NumberFormatException e) {
                // Told below.
            }
            throw Problem.invalid("after", "'after' must be the 'next' of an earlier answer.");
        }

        private @Nullable String told() {
            return at == null
                    ? null
                    : "%d %d %d %d %d"
                            .formatted(beganNs, at.expiresNs(), at.ino(), entries, heldBytes);
        }
    }

    /** Where a purge begins or goes on; {@code after} is null or of an earlier answer. */
    Progress progress(@Nullable String after) {
        return after == null
                ? new Progress(master.wallMs() * 1_000_000 + 999_999, Position.BEGIN, 0, 0)
                : Progress.parse(after);
    }

    private Problem nothing() {
        return Problem.notFound(
                "Nothing in the trash was at '"
                        + search.text()
                        + "': see what is there with 'cairn trash list'.");
    }

    /** How much there is; a {@link Problem} when there is nothing. */
    Count count() {
        Count count = Count.NONE;
        Position at = Position.BEGIN;
        for (int looked = 0; at != null && (looked < MAX_COUNTED || count.isNone()); ) {
            Page page = master.namespace().trash(at, PAGE);
            for (TrashRecord record : page.records()) {
                count = search.finds(record) ? with(count, record) : count;
            }
            looked += page.records().size();
            at = page.next();
        }
        if (count.isNone()) {
            throw nothing();
        }
        return new Count(count.files, count.directories, count.bytes, count.heldBytes, at == null);
    }

    private Count with(Count count, TrashRecord record) {
        boolean isDirectory = record.isDirectory();
        return new Count(
                count.files + (isDirectory ? 0 : 1),
                count.directories + (isDirectory ? 1 : 0),
                count.bytes + record.before().size(),
                count.heldBytes + master.trash().space(record).heldBytes(),
                true);
    }

    /** What was submitted and is not known to be done. For one thread. */
    private static final class Purges {
        private final Deque<Purge> underWay = new ArrayDeque<>();
        private long entries;

        private record Purge(CompletableFuture<Reply> reply, int entries) {}

        Purges(long entries) {
            this.entries = entries;
        }

        void add(CompletableFuture<Reply> reply, int count) {
            underWay.add(new Purge(reply, count));
            await(UNDER_WAY - 1);
        }

        /** Until no more than so many are under way; a {@link Problem} when one has failed. */
        void await(int most) {
            while (underWay.size() > most) {
                Purge first = underWay.remove();
                requireDone(Log.await(first.reply), entries, "purged");
                entries += first.entries;
            }
        }
    }

    /** Purges the next piece. */
    Outcome purge(Progress progress) {
        Purges purges = new Purges(progress.entries);
        long heldBytes = progress.heldBytes;
        Position at = progress.at;
        long enough = progress.entries + MAX_PURGED;
        long endMs = master.wallMs() + MAX_PURGING_MS;
        boolean isLate = false;
        for (int looked = 0; at != null && looked < MAX_LOOKED && !isLate; ) {
            Page page = master.namespace().trash(at, SLICE);
            List<TrashRecord> found =
                    page.records().stream()
                            .filter(search::finds)
                            .filter(each -> each.deletedNs() <= progress.beganNs)
                            .toList();
            for (TrashRecord record : found) {
                TrashKeeper.Space space = master.trash().space(record);
                heldBytes += space.heldBytes();
            }
            if (!found.isEmpty()) {
                long[] inos = found.stream().mapToLong(TrashRecord::ino).toArray();
                purges.add(master.trash().purge(inos), found.size());
            }
            looked += page.records().size();
            at = page.next();
            isLate = master.wallMs() >= endMs || purges.entries >= enough;
        }
        purges.await(0);
        Map<String, Object> document = Json.map();
        document.put("entries", purges.entries);
        document.put("heldBytes", heldBytes);
        document.put("next", new Progress(progress.beganNs, at, purges.entries, heldBytes).told());
        return Outcome.of(document);
    }

    /** Of each path the version that was removed last; a {@link Problem} when there is none. */
    List<Version> latest() {
        Map<String, Version> latest = new HashMap<>();
        Position at = Position.BEGIN;
        while (at != null) {
            Page page = master.namespace().trash(at, PAGE);
            for (TrashRecord record : page.records()) {
                if (search.finds(record)) {
                    latest.merge(
                            new String(record.path(), StandardCharsets.ISO_8859_1),
                            Version.of(record),
                            (one, other) -> one.deletedNs > other.deletedNs ? one : other);
                }
            }
            if (latest.size() > MAX_RESTORED) {
                throw Problem.conflict(
                        "More than %d files were at '%s': restore the directories in it one by one."
                                .formatted(MAX_RESTORED, search.text()));
            }
            at = page.next();
        }
        if (latest.isEmpty()) {
            throw nothing();
        }
        return List.copyOf(latest.values());
    }

    /** How much these are, for people. */
    static String told(Collection<Version> versions) {
        long directories = versions.stream().filter(Version::isDirectory).count();
        long bytes = versions.stream().mapToLong(Version::sizeBytes).sum();
        return new Count(versions.size() - directories, directories, bytes, 0, true).told();
    }

    /** Part by part: what is not done when the masters fail is still in the trash. */
    Outcome restore(List<Version> versions) {
        for (int from = 0; from < versions.size(); from += SLICE) {
            int end = Math.min(from + SLICE, versions.size());
            long[] inos = versions.subList(from, end).stream().mapToLong(Version::ino).toArray();
            requireDone(
                    Log.await(master.trash().restore(inos)),
                    from,
                    "restored (asked again, older versions of these come, too)");
        }
        Map<String, Object> document = Json.map();
        document.put("entries", versions.size());
        return Outcome.of(document);
    }

    private static void requireDone(Reply reply, long before, String done) {
        if (reply instanceof Reply.Failure failure) {
            String so =
                    before == 0
                            ? "It was not done: "
                            : "It stopped after %d were %s: ".formatted(before, done);
            throw Problem.conflict(so + failure.message() + ".");
        }
    }
}
