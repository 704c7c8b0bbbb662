package io.cairn.chunk.store;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.blob.Alignment;
import io.cairn.chunk.store.blob.BlobBody;
import io.cairn.chunk.store.blob.BlobContext;
import io.cairn.chunk.store.blob.DiskWork;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.grant.GrantWords;
import io.cairn.chunk.store.grant.Handover;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.GrantReply;
import java.util.Optional;

/** Leave for clients of this machine to read files of a target themselves. Thread-safe. */
public final class BlobGrants {
    private final BlobContext shelf;
    private final DiskWork disk;

    /** The grants of a target. */
    public BlobGrants(BlobContext shelf, DiskWork disk) {
        this.shelf = shelf;
        this.disk = disk;
    }

    /** From now on there are grants. Once. */
    public void begin(GrantWords words, Handover files) {
        shelf.grants.begin(words, files);
    }

    /** EOPNOTSUPP unless clients of a machine get grants here. */
    public void requireMachine(long machine) {
        shelf.grants.requireMachine(machine);
    }

    /**
     * Grants a chunk; the grant ends before the chunk changes here. ENOENT when it is absent, and
     * as for reads. EBUSY while it is packed, or encrypted. Blocks.
     */
    public GrantReply grant(ChunkAddress chunk) {
        BlobKey key = BlobKey.of(chunk);
        Optional<GrantReply> granted =
                disk.on(
                        key,
                        blob -> {
                            Alignment.checkSize(blob, chunk);
                            return blob.read(
                                    Optional.<GrantReply>empty(),
                                    body -> Optional.of(granted(key, body)));
                        });
        return granted.orElseThrow(() -> new FsException(Errno.ENOENT, "no chunk " + key));
    }

    private GrantReply granted(BlobKey key, BlobBody body) {
        if (body.isPacked()) {
            throw new FsException(Errno.EBUSY, key + " is packed: only its server can read it");
        }
        if (body.isSealed()) {
            throw new FsException(Errno.EBUSY, key + " is encrypted: only its server can read it");
        }
        return shelf.grants.grant(
                key, shelf.paths.blob(key), body.version().lengthBytes(), body.crcs());
    }

    /** Ends all of a group: this server is about to stop serving it in the way it did. */
    public void endGroup(int group) {
        shelf.grants.endIf(key -> key.group() == group);
    }
}
