package io.cairn.chunk.store.grant;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.grant.GrantWords.Grant;
import io.cairn.wire.chunk.ChunkReply.GrantReply;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The blobs of a target whose files clients on this machine read themselves ({@link
 * io.cairn.chunk.direct} explains why that is right). A grant is made while the blob cannot change,
 * and ended before a change of its file begins. Thread-safe.
 */
public final class Grants {
    private final Map<BlobKey, Grant> granted = new ConcurrentHashMap<>();
    private volatile @Nullable Open open;

    private record Open(GrantWords words, Handover files) {}

    /** From now on there are grants. Once. */
    public void begin(GrantWords words, Handover files) {
        open = new Open(words, files);
    }

    /** EOPNOTSUPP unless clients of a machine get grants here. */
    public void requireMachine(long machine) {
        Open now = open;
        if (now == null || now.files.machine() != machine) {
            throw new FsException(Errno.EOPNOTSUPP, "no grants for clients of this machine");
        }
    }

    /**
     * Grants a blob, while it cannot change. EOPNOTSUPP when its file cannot be passed.
     *
     * @param crcs of all blocks that hold bytes of the chunk
     */
    public GrantReply grant(BlobKey key, Path file, int lengthBytes, int[] crcs) {
        Open now = open;
        if (now == null) {
            throw new FsException(Errno.EOPNOTSUPP, "no grants");
        }
        long ticket = now.files.deposit(file);
        Grant grant = granted.get(key);
        if (grant == null) {
            Grant fresh = now.words.take(this, key);
            Grant other = granted.putIfAbsent(key, fresh);
            if (other != null) {
                now.words.end(fresh);
            }
            grant = other == null ? fresh : other;
        }
        return new GrantReply(
                now.files.socket(),
                now.files.server(),
                ticket,
                grant.word(),
                grant.value(),
                lengthBytes,
                crcs);
    }

    /** The blob is about to change. On return all clients can see it. */
    public void end(BlobKey key) {
        Open now = open;
        if (now == null) {
            return;
        }
        GrantWords words = now.words;
        // In one step: who finds no grant any more relies on its word having changed.
        granted.computeIfPresent(
                key,
                (_, grant) -> {
                    words.end(grant);
                    return null;
                });
    }

    /** Ends those of some blobs. */
    public void endIf(Predicate<BlobKey> which) {
        granted.keySet().stream().filter(which).forEach(this::end);
    }
}
