package io.cairn.metadata.state;

import io.cairn.base.Sha256;
import io.cairn.cluster.Inode;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Store.Visitor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The committed state at a moment, for readers: what each noun can be asked is in its queries,
 * which know the state through a view only. Stateless: any thread may use it while no commit runs.
 */
public final class View {
    private static final byte[] ALL = {};

    private final StoredState store;
    private final InodeCache cache;
    private final @Nullable Past past;

    /** The state now. */
    public View(StoredState store, InodeCache cache) {
        this.store = store;
        this.cache = cache;
        past = null;
    }

    private View(StoredState store, InodeCache cache, Past past) {
        this.store = store;
        this.cache = cache;
        this.past = past;
    }

    /**
     * The state at another moment, as far as it was kept: a snapshot that is not dropped keeps
     * inodes, names and attributes as they were when it was taken.
     */
    public View at(Moment moment) {
        return at(moment, () -> {});
    }

    /**
     * The same for long scans. Names that are younger than the moment are passed over, and there
     * may be millions.
     *
     * @param pause called after some hundred records, while nothing is being read: may let commits
     *     go on
     */
    public View at(Moment moment, Runnable pause) {
        return moment.equals(Moment.NOW)
                ? this
                : new View(store, cache, new Past(store, moment, pause));
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(Family family, byte[] key) {
        return past != null ? past.get(family, key) : store.get(family, key);
    }

    /** Visits the entries whose key starts with {@code prefix} and is at or after {@code from}. */
    public void scan(Family family, byte[] prefix, byte[] from, Visitor visitor) {
        if (past != null) {
            past.scan(family, prefix, from, visitor);
        } else {
            store.scan(family, prefix, from, visitor);
        }
    }

    /**
     * The first entries whose key starts with {@code prefix} and is at or after {@code from}, in
     * bounded time: at most twice {@code max} records are read. Only for a moment in the past.
     */
    public PastPage page(Family family, byte[] prefix, byte[] from, int max) {
        if (past == null) {
            throw new IllegalStateException("a page of the present");
        }
        return past.page(family, prefix, from, max);
    }

    /** Visits all entries of a family. */
    public void each(Family family, BiConsumer<byte[], byte[]> entry) {
        scan(
                family,
                ALL,
                ALL,
                (key, value) -> {
                    entry.accept(key, value);
                    return true;
                });
    }

    /** An inode, or null. */
    public @Nullable Inode inode(long ino) {
        if (past != null) {
            byte[] value = past.get(Family.INODE, Keys.of(ino));
            return value == null ? null : Transaction.decodeInode(value);
        }
        Inode known = cache.get(ino);
        if (known != null) {
            return known;
        }
        Inode inode = peek(ino);
        if (inode != null) {
            cache.put(inode);
        }
        return inode;
    }

    /** An inode, without taking the place of others in the cache; or null. */
    @Nullable Inode peek(long ino) {
        Inode known = cache.get(ino);
        if (known != null) {
            return known;
        }
        byte[] value = store.get(Family.INODE, Keys.of(ino));
        return value == null ? null : Transaction.decodeInode(value);
    }

    /** SHA-256 over all keys and values but the position of the store. */
    public byte[] fingerprint() {
        MessageDigest digest = Sha256.digest();
        ByteBuffer lengths = ByteBuffer.allocate(8);
        for (Family family : Family.values()) {
            digest.update(family.name().getBytes(StandardCharsets.US_ASCII));
            store.scan(
                    family,
                    ALL,
                    ALL,
                    (key, value) -> {
                        if (family != Family.META || !Arrays.equals(key, Keys.position())) {
                            lengths.clear();
                            digest.update(lengths.putInt(key.length).putInt(value.length).flip());
                            digest.update(key);
                            digest.update(value);
                        }
                        return true;
                    });
        }
        return digest.digest();
    }
}
