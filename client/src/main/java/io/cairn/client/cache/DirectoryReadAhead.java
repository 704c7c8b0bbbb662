package io.cairn.client.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.client.session.Promises;
import io.cairn.cluster.DirectoryState;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.Name;
import io.cairn.runtime.Clock;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads directories ahead in which names are looked up one after the other: names and attributes go
 * to the {@link MetadataCache} as those of a listing do. Thread-safe; never blocks the caller.
 *
 * <p>It begins after {@value #FIRST_MISSES} lookups within a second that missed the cache and
 * succeeded at the master. In a large directory it takes more of them, so that the fetched entries
 * are never out of proportion to the lookups. A directory of more than {@value #MAX_ENTRIES}
 * entries is not read ahead as a whole: the replies tell how many it has, and {@link
 * ListingReadAhead} sees to it. When too few of the fetched entries were used before they became
 * too old, the next attempt in that directory waits four times as long as the one before, from
 * {@value #FIRST_WAIT_MS} to {@value #MAX_WAIT_MS} ms.
 */
public final class DirectoryReadAhead {
    static final int FIRST_MISSES = 3;
    static final int MAX_ENTRIES = 8192;
    static final long FIRST_WAIT_MS = 2000;
    static final long MAX_WAIT_MS = 128_000;

    /** Entries fetched for each lookup that missed. */
    private static final int ENTRIES_PER_MISS = 128;

    /** An entry of a page costs less than this part of a lookup. */
    private static final int ENTRIES_PER_USE = 16;

    private static final int MAX_FETCHES = 4;
    private static final int MAX_TRACKS = 4096;
    private static final long WINDOW_MS = 1000;

    /** Misses of look-ups that are remembered of a directory. */
    private static final class Track {
        long windowMs;
        int misses;
        boolean fetching;
        int fetched;
        long waitMs;
        long waitsUntilMs;
    }

    /** Asks the master without waiting. */
    public interface Questions {
        CompletableFuture<Reply> ask(Query query);
    }

    private final Questions master;
    private final Clock clock;
    private final MetadataCache cache;
    private final Cache<Long, Track> tracks =
            Caffeine.newBuilder().maximumSize(MAX_TRACKS).executor(Runnable::run).build();
    private final ListingReadAhead listings;

    @GuardedBy("this")
    private int fetches;

    public DirectoryReadAhead(Questions master, Clock clock, MetadataCache cache) {
        this.master = master;
        this.clock = clock;
        this.cache = cache;
        listings = new ListingReadAhead(master, clock, cache, MAX_ENTRIES);
    }

    /**
     * A page of a directory was read.
     *
     * @param cookie after which it was to begin
     */
    public void listed(long cookie, Reply.DirectoryReply page) {
        if (cache.isOn()) {
            listings.listed(cookie, page);
        }
    }

    /** The cache did not know a name, and the master found it in this directory. */
    public void missed(DirectoryState directory, Name name, long found) {
        long entries = directory.entryCount();
        if (!cache.isOn() || entries <= FIRST_MISSES) {
            return;
        }
        if (entries > MAX_ENTRIES) {
            listings.missed(directory.ino(), name, found);
            return;
        }
        long ino = directory.ino();
        Track track = begin(ino, entries);
        if (track != null) {
            fetch(new Fetch(track, ino, cache.stamp(ino)), 0, 0);
        }
    }

    /** The track of a directory to be fetched now, else null. */
    private synchronized @Nullable Track begin(long ino, long entries) {
        long nowMs = clock.millis();
        Track track = tracks.get(ino, _ -> fresh(nowMs));
        if (nowMs - track.windowMs >= WINDOW_MS) {
            track.windowMs = nowMs;
            track.misses = 0;
        }
        track.misses++;
        if (track.fetching
                || track.misses < Math.max(FIRST_MISSES, entries / ENTRIES_PER_MISS)
                || fetches >= MAX_FETCHES) {
            return null;
        }
        judge(track, ino, nowMs);
        if (nowMs - track.waitsUntilMs < 0) {
            return null;
        }
        track.fetching = true;
        track.misses = 0;
        fetches++;
        return track;
    }

    private static Track fresh(long nowMs) {
        Track track = new Track();
        track.windowMs = nowMs;
        track.waitsUntilMs = nowMs;
        return track;
    }

    /** Whether the last fetch was worth it; it is over, as names miss again. */
    private void judge(Track track, long ino, long nowMs) {
        if (track.fetched == 0) {
            return;
        }
        long used = cache.takeUsedAhead(ino);
        if (used * ENTRIES_PER_USE < track.fetched) {
            await(track, nowMs);
        } else {
            track.waitMs = 0;
        }
        track.fetched = 0;
    }

    private static void await(Track track, long nowMs) {
        track.waitMs = Math.clamp(track.waitMs * 4, FIRST_WAIT_MS, MAX_WAIT_MS);
        track.waitsUntilMs = nowMs + track.waitMs;
    }

    /** A directory that is being read ahead. */
    private record Fetch(Track track, long ino, long stamp) {}

    /** Asks for the next page; the thread that gets it puts it into the cache and goes on. */
    private void fetch(Fetch fetch, long cookie, int before) {
        KnownDirectory.PageRequest request =
                new KnownDirectory.PageRequest(cookie, fetch.stamp, clock.millis(), true);
        Promises.whenDone(
                master.ask(
                        new Query.ReadDirectory(fetch.ino, cookie, Limits.MAX_PAGE_ENTRIES, true)),
                (reply, _) -> {
                    if (!(reply instanceof Reply.DirectoryReply page)) {
                        end(fetch.track, before, true);
                        return;
                    }
                    cache.putPage(request, page);
                    List<DirectoryEntry> entries = page.entries();
                    int count = before + entries.size();
                    if (page.end() || entries.isEmpty() || count >= MAX_ENTRIES) {
                        end(fetch.track, count, !page.end());
                    } else {
                        fetch(fetch, entries.getLast().cookie(), count);
                    }
                });
    }

    private synchronized void end(Track track, int count, boolean isVain) {
        track.fetching = false;
        track.fetched = count;
        track.misses = 0;
        fetches--;
        if (isVain) {
            await(track, clock.millis());
        }
    }
}
