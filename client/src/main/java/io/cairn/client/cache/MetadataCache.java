package io.cairn.client.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cairn.cluster.DirectoryState;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.runtime.Clock;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Reply.DirectoryReply;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Attributes and names that the master told not long ago. Thread-safe, bounded, never blocks.
 *
 * <p>Of two attributes of an inode the one with the higher version wins, so a late answer never
 * replaces a younger one. Of two answers about a name the one with the higher count of changes of
 * its directory wins; {@link KnownDirectory} tells more. A look-up of a name takes the {@link
 * #stamp} of the directory before. Its answer is kept only if the stamp is still the same:
 * everything that makes this mount doubt its knowledge gives another one.
 */
public final class MetadataCache {
    private static final int MAX_INODES = 200_000;
    private static final int MAX_DIRECTORIES = 20_000;
    private static final int MAX_NAMES = 400_000;
    private static final int MAX_GONE = 10_000;

    private record Known(Attributes attributes, long untilMs) {}

    /**
     * Changes of names in one directory of which the masters do not know yet.
     *
     * @param count how many
     * @param directories how many of them are about directories
     * @param made how many there were since the masters knew all
     */
    private record EarlyChanges(int count, int directories, int made) {
        EarlyChanges plus(EarlyChanges other) {
            return new EarlyChanges(
                    count + other.count, directories + other.directories, made + other.made);
        }

        @Nullable EarlyChanges without(boolean isOfDirectory) {
            return count == 1
                    ? null
                    : new EarlyChanges(count - 1, directories - (isOfDirectory ? 1 : 0), made);
        }
    }

    private final Clock clock;
    private final long ttlMs;
    private final KnownDirectory.Shared shared;
    private final AtomicLong generation = new AtomicLong();
    private final Cache<Long, Known> inodes =
            Caffeine.newBuilder().maximumSize(MAX_INODES).executor(Runnable::run).build();
    private final ConcurrentHashMap<Long, KnownDirectory> directories = new ConcurrentHashMap<>();
    private final Set<Long> gone = ConcurrentHashMap.newKeySet();

    /** Directories with changes that were answered before the masters knew them. */
    private final Map<Long, EarlyChanges> early = new ConcurrentHashMap<>();

    public MetadataCache(Clock clock, long ttlMs) {
        this.clock = clock;
        this.ttlMs = ttlMs;
        long absentTtlMs = Math.min(ttlMs, Limits.MAX_ABSENCE_MS);
        this.shared =
                new KnownDirectory.Shared(
                        clock, ttlMs, absentTtlMs, new AtomicLong(), new AtomicInteger());
    }

    /** Whether anything is kept at all. */
    boolean isOn() {
        return ttlMs != 0;
    }

    // ---- attributes

    /** Attributes that are young enough, or null. */
    public @Nullable Attributes attributes(long ino) {
        Attributes told = toldAttributes(ino);
        EarlyChanges changes = told == null ? null : early.get(ino);
        if (told == null || changes == null) {
            return told;
        }
        // The number of links is the masters' to tell.
        return changes.directories == 0 ? told.withNamesChanged(changes.made) : null;
    }

    /** As {@link #attributes}, without the {@link #earlyChange} that there may be. */
    public @Nullable Attributes toldAttributes(long ino) {
        Known known = inodes.getIfPresent(ino);
        return known == null || clock.millis() - known.untilMs >= 0 ? null : known.attributes;
    }

    /** The last attributes that were told, however old, or null. */
    public @Nullable Attributes lastAttributes(long ino) {
        Known known = inodes.getIfPresent(ino);
        return known == null ? null : known.attributes;
    }

    /**
     * A change in a directory is answered before the masters know it: until {@link #toldChange} its
     * attributes are older than what callers of this mount know.
     *
     * @param isOfDirectory whether the change is about a directory
     */
    public void earlyChange(long directory, boolean isOfDirectory) {
        EarlyChanges one = new EarlyChanges(1, isOfDirectory ? 1 : 0, 1);
        early.merge(directory, one, EarlyChanges::plus);
    }

    /** Whether there is such a change. */
    public boolean isEarly(long directory) {
        return early.containsKey(directory);
    }

    /** The masters know such a change, or never will. */
    public void toldChange(long directory, boolean isOfDirectory) {
        early.computeIfPresent(directory, (_, changes) -> changes.without(isOfDirectory));
    }

    /** An answer of the master. */
    public void put(Attributes attributes) {
        if (ttlMs == 0) {
            return;
        }
        Known fresh = new Known(attributes, clock.millis() + ttlMs);
        inodes.asMap().merge(attributes.ino(), fresh, MetadataCache::younger);
    }

    private static Known younger(Known before, Known fresh) {
        return before.attributes.version() > fresh.attributes.version() ? before : fresh;
    }

    // ---- names

    /** To be taken before a name is looked up or a page is read. */
    public long stamp(long parentIno) {
        return ttlMs == 0 ? 0 : directory(parentIno).stamp();
    }

    private KnownDirectory directory(long ino) {
        KnownDirectory known = directories.get(ino);
        if (known != null) {
            return known;
        }
        if (directories.size() >= MAX_DIRECTORIES) {
            dropDirectories();
        }
        return directories.computeIfAbsent(ino, _ -> new KnownDirectory(shared));
    }

    private void dropDirectories() {
        generation.incrementAndGet();
        directories.forEach(this::drop);
    }

    private void drop(long ino, KnownDirectory directory) {
        if (directory.drop()) {
            directories.remove(ino, directory);
        }
    }

    private void limitNames() {
        if (shared.names().get() >= MAX_NAMES) {
            dropDirectories();
        }
    }

    /**
     * The inode of a name: above 0 when it is known, 0 when it is known to be absent, -1 when
     * nothing is known. Of the trash nothing is ever known: the masters change it by themselves,
     * and tell nobody.
     */
    public long child(long parentIno, Name name) {
        KnownDirectory directory = directories.get(parentIno);
        if (directory == null || isChangedByMasters(parentIno, name)) {
            return KnownDirectory.UNKNOWN;
        }
        long ino = directory.child(name);
        return ino > 0 && isGone(ino) ? KnownDirectory.UNKNOWN : ino;
    }

    /** As {@link #child}, in a directory of which nobody else changes the names now. */
    public long ownChild(long parentIno, Name name) {
        KnownDirectory directory = directories.get(parentIno);
        if (directory == null || isChangedByMasters(parentIno, name)) {
            return KnownDirectory.UNKNOWN;
        }
        long ino = directory.ownChild(name);
        return ino > 0 && isGone(ino) ? KnownDirectory.UNKNOWN : ino;
    }

    /**
     * Whether a directory of which nobody else changes the names has none but some that are being
     * taken away.
     */
    public boolean hasOnly(long ino, Set<Name> leaving) {
        KnownDirectory directory = directories.get(ino);
        return directory != null && directory.hasOnly(leaving);
    }

    private static boolean isChangedByMasters(long parentIno, Name name) {
        return TrashPlace.isDirectory(parentIno)
                || TrashPlace.isItself(parentIno, name)
                || isOfSnapshots(parentIno, name);
    }

    /** Snapshots come and go, and no mount is told. */
    private static boolean isOfSnapshots(long parentIno, Name name) {
        return PastInode.isList(parentIno) || name.equals(PastInode.DIRECTORY);
    }

    /**
     * A reply tells how a directory is.
     *
     * @param sentMs when the request was sent
     */
    public void told(@Nullable DirectoryState state, long sentMs) {
        if (state != null) {
            put(state.attributes());
            KnownDirectory directory = directories.get(state.ino());
            if (directory != null) {
                directory.told(state.nameChanges(), sentMs);
            }
        }
    }

    /**
     * A name was looked up, and {@link #told} what the reply says of the directory.
     *
     * @param ino 0 when the name is absent
     */
    public void putChild(DirectoryState parent, Name name, long ino, KnownDirectory.Asked asked) {
        if (ttlMs != 0 && !isOfSnapshots(parent.ino(), name)) {
            directory(parent.ino()).putChild(name, ino, asked, parent.nameChanges());
            limitNames();
        }
    }

    /** A page of a directory was read. */
    public void putPage(KnownDirectory.PageRequest request, DirectoryReply page) {
        if (ttlMs == 0) {
            return;
        }
        put(page.directory().attributes());
        for (DirectoryEntry entry : page.entries()) {
            Attributes attributes = entry.attributes();
            if (attributes != null) {
                put(attributes);
            }
        }
        if (!PastInode.isList(page.directory().ino())) {
            directory(page.directory().ino()).putPage(request, page);
        }
        limitNames();
    }

    /** How many names of a directory, fetched ahead, were used since this was asked last. */
    int takeUsedAhead(long ino) {
        KnownDirectory directory = directories.get(ino);
        return directory == null ? 0 : directory.takeUsedAhead();
    }

    /** To be taken before a directory is made. */
    public long generation() {
        return generation.get();
    }

    /**
     * This mount has made a directory.
     *
     * @param before the {@link #generation} from before
     * @param sentMs when the request was sent
     */
    public void madeDirectory(long ino, long before, long sentMs) {
        if (ttlMs != 0) {
            KnownDirectory directory = directory(ino);
            long stamp = directory.stamp();
            if (generation.get() == before) {
                directory.madeEmpty(stamp, sentMs);
            }
        }
    }

    /** This mount is about to change names of a directory. */
    public NameChange begin(long parentIno, List<Name> names) {
        if (ttlMs == 0) {
            return new NameChange(null, names, clock.millis());
        }
        while (true) {
            KnownDirectory directory = directory(parentIno);
            if (directory.begin(names.getFirst())) {
                names.stream().skip(1).forEach(directory::begin);
                limitNames();
                return new NameChange(directory, names, clock.millis());
            }
            directories.remove(parentIno, directory);
        }
    }

    // ---- forgetting

    /** Nothing is known of a name any more. */
    public void forgetChild(long parentIno, Name name) {
        KnownDirectory directory = directories.get(parentIno);
        if (directory != null) {
            directory.forgetChild(name);
        }
    }

    private boolean isGone(long ino) {
        return !gone.isEmpty() && gone.contains(ino);
    }

    /** An inode has lost its last name: whatever name is remembered for it is wrong. */
    public void gone(long ino) {
        if (gone.size() >= MAX_GONE) {
            gone.clear();
            dropDirectories();
        }
        gone.add(ino);
        inodes.invalidate(ino);
    }

    /** The attributes of an inode may have changed. */
    public void forgetAttributes(long ino) {
        inodes.invalidate(ino);
    }

    /** An inode does not exist any more. */
    public void removed(long ino) {
        inodes.invalidate(ino);
        KnownDirectory directory = directories.get(ino);
        if (directory != null) {
            drop(ino, directory);
        }
    }

    /** Everything about an inode may have changed. */
    public void forget(long ino) {
        generation.incrementAndGet();
        KnownDirectory directory = directories.get(ino);
        if (directory != null) {
            directory.doubt();
        }
        removed(ino);
    }

    /** Another master may answer from now on, which does not know what this mount believes. */
    public void doubtNames() {
        generation.incrementAndGet();
        directories.values().forEach(KnownDirectory::doubt);
    }

    /** Everything may have changed. */
    public void clear() {
        inodes.invalidateAll();
        dropDirectories();
    }

    /** Whether all names of a directory are known; for tests. */
    public boolean isComplete(long ino) {
        KnownDirectory directory = directories.get(ino);
        return directory != null && directory.isComplete();
    }

    /** How many names are remembered, absent ones too. */
    int nameCount() {
        return shared.names().get();
    }
}
