package io.cairn.client.cache;

import io.cairn.client.session.Promises;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.Name;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks names up ahead in large directories that this mount has listed. A process that lists a
 * directory and then looks up its names does so in the order of the listing. Beyond 10,000 names
 * fts(3) does so in the order of the inodes, for {@code rm}, {@code cp}, {@code tar}, {@code chmod
 * -R} and {@code du}. After {@value #FIRST_MISSES} lookups near each other in one of these orders
 * that missed the cache, the next names are looked up with one question. It asks for {@value
 * #FIRST_WINDOW} names first, and for twice as many each time when the lookups have come to the end
 * of those before.
 *
 * <p>A listing gives no more than a guess of the next look-ups: the answer of the master counts.
 * Thread-safe; never blocks the caller.
 */
final class ListingReadAhead {
    static final int FIRST_MISSES = 3;
    static final int FIRST_WINDOW = 32;
    static final int MAX_WINDOW = 512;

    /** Names of one listing. */
    static final int MAX_LISTED = 131_072;

    /** Names of all listings, some 100 bytes each. */
    private static final int MAX_NAMES = 262_144;

    /** Lookups of several threads may be so far from their order. */
    private static final int REACH = 64;

    private static final int NOWHERE = Integer.MIN_VALUE / 2;

    private record Listed(Name name, long ino) {}

    private final DirectoryReadAhead.Questions master;
    private final Clock clock;
    private final MetadataCache cache;
    private final int leastEntries;

    // Guarded by this.
    private final Map<Long, Listing> listings = new LinkedHashMap<>(16, 0.75f, true);
    private int names;

    /**
     * Read-ahead for one mount.
     *
     * @param leastEntries directories must have more entries than this
     */
    ListingReadAhead(
            DirectoryReadAhead.Questions master,
            Clock clock,
            MetadataCache cache,
            int leastEntries) {
        this.master = master;
        this.clock = clock;
        this.cache = cache;
        this.leastEntries = leastEntries;
    }

    /** A page of a listing was read, which was to begin after a cookie. */
    synchronized void listed(long cookie, Reply.DirectoryReply page) {
        long ino = page.directory().ino();
        List<DirectoryEntry> entries = page.entries();
        Listing listing = listings.get(ino);
        if (listing != null && cookie != 0 && cookie < listing.toCookie) {
            return;
        }
        if (listing == null || cookie != listing.toCookie || listing.isOver()) {
            drop(ino);
            listing = null;
        }
        if (entries.isEmpty() || page.directory().entryCount() <= leastEntries) {
            return;
        }
        if (listing == null) {
            listing = new Listing();
            listings.put(ino, listing);
        }
        listing.add(entries);
        names += entries.size();
        Iterator<Listing> eldest = listings.values().iterator();
        while (names > MAX_NAMES && eldest.hasNext()) {
            names -= eldest.next().names.size();
            eldest.remove();
        }
    }

    private void drop(long ino) {
        Listing listing = listings.remove(ino);
        if (listing != null) {
            names -= listing.names.size();
        }
    }

    /** The cache did not know a name in a large directory, and the master did. */
    void missed(long directoryIno, Name name, long ino) {
        Listing listing;
        List<Name> next;
        synchronized (this) {
            listing = listings.get(directoryIno);
            next = listing == null ? List.of() : listing.after(new Listed(name, ino));
        }
        if (listing != null && !next.isEmpty()) {
            fetch(directoryIno, listing, next);
        }
    }

    private void fetch(long directoryIno, Listing listing, List<Name> wanted) {
        KnownDirectory.PageRequest request =
                new KnownDirectory.PageRequest(
                        Long.MAX_VALUE, cache.stamp(directoryIno), clock.millis(), true);
        Promises.whenDone(
                master.ask(new Query.LookupMany(directoryIno, wanted)),
                (reply, _) -> {
                    if (reply instanceof Reply.DirectoryReply found) {
                        cache.putPage(request, found);
                    }
                    synchronized (this) {
                        listing.fetching = false;
                    }
                });
    }

    /** Names as they were listed, without a gap. Guarded by the read-ahead. */
    private static final class Listing {
        final List<Listed> names = new ArrayList<>();

        /** The listing went up to here. */
        long toCookie;

        boolean fetching;

        /** Made when names are looked up; then what is listed is another listing. */
        private List<Walk> walks = List.of();

        boolean isOver() {
            return !walks.isEmpty() || names.size() >= MAX_LISTED;
        }

        void add(List<DirectoryEntry> entries) {
            for (DirectoryEntry entry : entries) {
                names.add(new Listed(entry.name(), entry.ino()));
            }
            toCookie = entries.getLast().cookie();
        }

        /** The names to look up after this one was, if any. */
        List<Name> after(Listed missed) {
            if (walks.isEmpty()) {
                Listed[] listed = names.toArray(Listed[]::new);
                walks =
                        List.of(
                                new Walk(listed.clone(), Comparator.comparingLong(Listed::ino)),
                                new Walk(
                                        listed,
                                        Comparator.comparingLong(each -> each.name.cookie())));
            }
            List<Name> next = List.of();
            for (Walk walk : walks) {
                List<Name> found = walk.step(missed, !fetching && next.isEmpty());
                next = found.isEmpty() ? next : found;
            }
            fetching |= !next.isEmpty();
            return next;
        }
    }

    /** Lookups in one order. */
    private static final class Walk {
        private final Listed[] names;
        private final Comparator<Listed> order;
        private int last = NOWHERE;
        private int near;

        /** Behind the names that were looked up ahead. */
        private int end = NOWHERE;

        private int window = FIRST_WINDOW;

        Walk(Listed[] names, Comparator<Listed> order) {
            Arrays.sort(names, order);
            this.names = names;
            this.order = order;
        }

        /** The names to look up after this one; empty unless there may be some. */
        List<Name> step(Listed missed, boolean mayFetch) {
            int at = Arrays.binarySearch(names, missed, order);
            if (at < 0) {
                return List.of();
            }
            boolean goesOn = Math.abs(at - end) <= REACH;
            near = Math.abs(at - last) <= REACH ? near + 1 : 0;
            last = at;
            if (!mayFetch || !goesOn && near < FIRST_MISSES - 1) {
                return List.of();
            }
            window = goesOn ? Math.min(window * 2, MAX_WINDOW) : FIRST_WINDOW;
            end = Math.min(at + 1 + window, names.length);
            return Arrays.stream(names, at + 1, end).map(Listed::name).toList();
        }
    }
}
