package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The blobs in use, and those used last, up to a limit: what stays open saves opening. A blob that
 * somebody uses is never closed. Thread-safe.
 */
public final class BlobCache {
    private static final Logger LOG = LoggerFactory.getLogger(BlobCache.class);

    /** A blob and how many use it. */
    private static final class Slot {
        final Blob blob;
        int users;

        Slot(Blob blob) {
            this.blob = blob;
        }
    }

    /** An action on a blob. */
    public interface Use<T extends @Nullable Object> {
        /** Uses. */
        T with(Blob blob) throws IOException;
    }

    private final BlobContext shelf;
    private final BlobLoader loader;
    private final int limit;
    private final Map<BlobKey, Slot> slots = new LinkedHashMap<>(64, 0.75f, true);

    /** An empty cache of at most {@code limit} blobs beside those in use. */
    public BlobCache(BlobContext shelf, int limit) {
        this.shelf = shelf;
        this.loader = new BlobLoader(shelf);
        this.limit = limit;
    }

    /** Uses a blob, opening it when needed. */
    public <T extends @Nullable Object> T use(BlobKey key, Use<T> use) throws IOException {
        return use(key, false, use);
    }

    /** Opens a blob unless it is open, and verifies all of its data then if asked to. */
    public void check(BlobKey key, boolean thorough) throws IOException {
        use(key, thorough, Blob::condition);
    }

    /** Removes a blob, without opening it first; others that are open stay so. */
    public void delete(BlobKey key) throws IOException {
        Slot slot = pin(key);
        boolean deleted = false;
        try {
            slot.blob.delete();
            deleted = true;
        } finally {
            synchronized (slots) {
                slot.users--;
                if (deleted && slot.users == 0) {
                    slots.remove(key, slot);
                }
            }
        }
    }

    private <T extends @Nullable Object> T use(BlobKey key, boolean thorough, Use<T> use)
            throws IOException {
        Slot slot = pin(key);
        try {
            slot.blob.load(thorough);
            return use.with(slot.blob);
        } finally {
            release(slot);
        }
    }

    private Slot pin(BlobKey key) throws IOException {
        List<Blob> surplus;
        Slot slot;
        synchronized (slots) {
            slot = slots.computeIfAbsent(key, k -> new Slot(new Blob(shelf, loader, k)));
            slot.users++;
            surplus = surplus();
        }
        close(surplus);
        return slot;
    }

    private void release(Slot slot) {
        synchronized (slots) {
            slot.users--;
        }
    }

    /** Closes the files of blobs whose key was dropped. */
    public void closeDropped() throws IOException {
        List<Blob> open;
        synchronized (slots) {
            open = slots.values().stream().map(slot -> slot.blob).toList();
        }
        for (Blob blob : open) {
            blob.closeDropped();
        }
    }

    /** Takes out the blobs not used for longest. */
    private List<Blob> surplus() {
        if (slots.size() <= limit) {
            return List.of();
        }
        List<Blob> taken = new ArrayList<>();
        var oldest = slots.values().iterator();
        while (oldest.hasNext() && slots.size() > limit) {
            Slot slot = oldest.next();
            if (slot.users == 0) {
                oldest.remove();
                taken.add(slot.blob);
            }
        }
        return taken;
    }

    private static void close(List<Blob> blobs) {
        for (Blob blob : blobs) {
            try {
                blob.close();
            } catch (IOException e) {
                LOG.warn("closing a blob file: {}", e.toString());
            }
        }
    }

    /** Closes all; nobody may use one. */
    public void clear() {
        List<Blob> all;
        synchronized (slots) {
            all = slots.values().stream().map(slot -> slot.blob).toList();
            slots.clear();
        }
        close(all);
    }
}
