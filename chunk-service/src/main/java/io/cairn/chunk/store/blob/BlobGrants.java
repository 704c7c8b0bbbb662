package io.cairn.chunk.store.blob;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.GrantReply;
import java.util.Optional;

/** Leave for clients of this machine to read files of a target themselves. Thread-safe. */
public final class BlobGrants {
    private final BlobContext shelf;
    private final DiskWork disk;

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
     * as for reads. Blocks.
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
                                    body ->
                                            Optional.of(
                                                    shelf.grants.grant(
                                                            key, body, shelf.paths.blob(key))));
                        });
        return granted.orElseThrow(() -> new FsException(Errno.ENOENT, "no chunk " + key));
    }

    /** Ends all of a group: this server is about to stop serving it in the way it did. */
    public void endGroup(int group) {
        shelf.grants.endIf(key -> key.group() == group);
    }
}
