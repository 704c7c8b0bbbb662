package io.cairn.chunk.store.blob;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlobVersion;
import io.cairn.chunk.store.format.InstallPart;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The replacements under construction, at most {@value #LIMIT}: beyond it the one not continued for
 * longest is given up. Thread-safe; the parts of one chunk come one after the other.
 */
public final class Replacements {
    private static final int LIMIT = 64;

    private final BlobContext shelf;
    private final Map<BlobKey, Replacement> building = new LinkedHashMap<>(16, 0.75f, true);

    /** None yet. */
    public Replacements(BlobContext shelf) {
        this.shelf = shelf;
    }

    /** Takes a part; the replacement when it is complete, durable and to be put in place. */
    public @Nullable Replacement add(BlobKey key, int chunkSizeLog2, long epoch, InstallPart part)
            throws IOException {
        Replacement replacement = begin(key, chunkSizeLog2, epoch, part);
        try {
            replacement.add(part);
            if (!part.last()) {
                return null;
            }
            replacement.finish();
        } catch (IOException e) {
            drop(key);
            replacement.abandon();
            throw e;
        }
        drop(key);
        return replacement;
    }

    private Replacement begin(BlobKey key, int chunkSizeLog2, long epoch, InstallPart part)
            throws IOException {
        Replacement old;
        synchronized (building) {
            old = building.get(key);
        }
        if (part.offsetBytes() > 0) {
            if (old == null || !old.isContinuedBy(epoch, part)) {
                throw new FsException(
                        Errno.EINVAL,
                        key + ": a part at " + part.offsetBytes() + " continues no replacement");
            }
            return old;
        }
        if (old != null) {
            drop(key);
            old.abandon();
        }
        Replacement fresh =
                new Replacement(
                        shelf,
                        key,
                        chunkSizeLog2,
                        new BlobVersion(epoch, part.sequence(), part.lengthBytes(), 0));
        Replacement surplus = null;
        synchronized (building) {
            building.put(key, fresh);
            if (building.size() > LIMIT) {
                var eldest = building.entrySet().iterator();
                surplus = eldest.next().getValue();
                eldest.remove();
            }
        }
        if (surplus != null) {
            surplus.abandon();
        }
        return fresh;
    }

    private void drop(BlobKey key) {
        synchronized (building) {
            building.remove(key);
        }
    }

    /** Gives all up. */
    public void clear() throws IOException {
        synchronized (building) {
            for (Replacement replacement : building.values()) {
                replacement.abandon();
            }
            building.clear();
        }
    }
}
