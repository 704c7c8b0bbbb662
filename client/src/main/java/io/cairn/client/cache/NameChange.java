package io.cairn.client.cache;

import io.cairn.cluster.DirectoryState;
import io.cairn.fs.Name;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A change of names in one directory by this mount, from before it is sent until its reply has been
 * taken over. Meanwhile nobody is told from the cache that the names do not exist. Closed without
 * {@link #done}, be it because of an error, what becomes of the names is unknown.
 */
public final class NameChange implements AutoCloseable {
    private final @Nullable KnownDirectory directory;
    private final List<Name> names;
    private final long sentMs;
    private final long doubts;
    private boolean isDone;

    /**
     * Begins.
     *
     * @param directory null when nothing is cached
     * @param names each has begun there
     */
    NameChange(@Nullable KnownDirectory directory, List<Name> names, long sentMs) {
        this.directory = directory;
        this.names = names;
        this.sentMs = sentMs;
        this.doubts = directory == null ? 0 : directory.doubts();
    }

    /**
     * The master has done it. Not to be called when it may have found nothing to do.
     *
     * @param after the directory after exactly this change
     * @param inos what the names stand for since then, 0 for nothing
     */
    public void done(@Nullable DirectoryState after, Map<Name, Long> inos) {
        if (directory != null && after != null) {
            isDone = directory.changed(doubts, after.nameChanges(), sentMs, inos);
        }
    }

    /** The change is over. */
    @Override
    public void close() {
        if (directory != null) {
            for (Name name : names) {
                if (!isDone) {
                    directory.forgetChild(name);
                }
                directory.end(name);
            }
        }
    }
}
