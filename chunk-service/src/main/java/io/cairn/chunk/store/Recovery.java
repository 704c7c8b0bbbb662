package io.cairn.chunk.store;

import io.cairn.chunk.store.blob.Blob;
import io.cairn.chunk.store.blob.BlobCache;
import io.cairn.chunk.store.blob.BlobContext;
import io.cairn.chunk.store.blob.GroupListing;
import io.cairn.chunk.store.blob.IntentLogFile.Contents;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.Condition;
import io.cairn.chunk.store.format.IntentRecord.Kind;
import io.cairn.runtime.DiskFullException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work that is done once when a target is opened. After a clean stop the log names no blob, and
 * nothing is. Otherwise the blobs that it names are looked at: those that held synced bytes as a
 * whole, those that were never synced by their headers and tables. When the log itself is damaged
 * all blobs are verified.
 */
public final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final BlobContext shelf;
    private final BlobCache blobs;
    private final Contents contents;

    /** A recovery from what the log said. */
    Recovery(BlobContext shelf, BlobCache blobs, Contents contents) {
        this.shelf = shelf;
        this.blobs = blobs;
        this.contents = contents;
    }

    /** Looks at the blobs, begins a new log and counts. */
    void run() throws IOException {
        for (String left : shelf.disk.list(shelf.paths.incoming())) {
            shelf.disk.delete(shelf.paths.incoming().resolve(left));
        }
        if (!shelf.kept) {
            shelf.ledger.forgetUnsynced();
        }
        List<BlobKey> named = new ArrayList<>(contents.kinds().keySet());
        for (BlobKey key : named) {
            check(key, contents.kinds().get(key) != Kind.FENCE);
        }
        if (!contents.trusted()) {
            LOG.warn("{} is missing or damaged: verifying all blobs", shelf.paths.intents());
            checkAll();
        }
        for (int group : GroupListing.groups(shelf.disk, shelf.paths)) {
            if (!named.isEmpty()) {
                shelf.forceGroup(group);
            }
        }
        beginLog();
        for (BlobKey key : named) {
            if (!shelf.troubles.containsKey(key)
                    && blobs.use(key, Blob::condition) == Condition.ABSENT) {
                shelf.log.forget(key);
            }
        }
        shelf.count.clear();
        take();
        if (!named.isEmpty()) {
            LOG.info(
                    "{}: looked at {} blobs after an unclean stop, {} in trouble",
                    shelf.paths.root(),
                    named.size(),
                    shelf.troubles.size());
        }
    }

    /** A full disk is no reason not to read from it. */
    private void beginLog() throws IOException {
        try {
            shelf.log.rewrite();
        } catch (DiskFullException e) {
            LOG.warn(
                    "{}; what is there can be read, and changed when there is room again",
                    e.getMessage());
        }
    }

    private void check(BlobKey key, boolean thorough) {
        try {
            blobs.check(key, thorough);
        } catch (DiskFullException e) {
            LOG.warn("{}: looked at when it is used: {}", key, e.getMessage());
        } catch (IOException e) {
            shelf.trouble(key, Condition.DAMAGED, "cannot be read: " + e);
        }
    }

    private void checkAll() throws IOException {
        for (int group : GroupListing.groups(shelf.disk, shelf.paths)) {
            GroupListing listing = GroupListing.read(shelf.disk, shelf.paths, group);
            for (BlobKey key : listing.after(Long.MIN_VALUE, -1, Integer.MAX_VALUE)) {
                check(key, true);
            }
        }
    }

    /** Counts the blobs, and finds those that are gone. */
    private void take() throws IOException {
        for (int group : shelf.ledger.groups()) {
            GroupListing listing = GroupListing.read(shelf.disk, shelf.paths, group);
            Set<BlobKey> present =
                    new HashSet<>(listing.after(Long.MIN_VALUE, -1, Integer.MAX_VALUE));
            if (!present.isEmpty()) {
                shelf.count.add(group, present.size());
            }
            shelf.missing(shelf.ledger.missing(group, present));
        }
    }
}
