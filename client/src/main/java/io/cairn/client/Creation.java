package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.cache.MetadataCache;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInodes;
import io.cairn.client.session.Await;
import io.cairn.client.session.MasterChannel;
import io.cairn.client.tree.NewFile;
import io.cairn.client.tree.Permissions;
import io.cairn.cluster.Inode;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileSystem.Created;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.wire.master.Mutation;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Makes files and opens them, or opens what has the name already, whatever others do with the name
 * meanwhile. Thread-safe.
 */
final class Creation {
    private static final int MAX_TRIES = 8;

    private final CairnFileSystem fs;
    private final MasterChannel master;
    private final MetadataCache cache;
    private final OpenInodes open;

    Creation(CairnFileSystem fs, Mount mount, OpenInodes open) {
        this.fs = fs;
        this.master = mount.master();
        this.cache = mount.cache();
        this.open = open;
    }

    /** As {@link FileSystem#create}; blocks. */
    Created create(Caller caller, long parentIno, Name name, int mode, int flags) {
        master.session().checkRoomToOpen();
        boolean exclusive = isExclusive(flags);
        if (!caller.checked()) {
            Permissions.search(caller, fs.tree().attributes(parentIno));
        }
        boolean known = !exclusive && cache.child(parentIno, name) > 0;
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            if (known) {
                Created existing = openExisting(caller, parentIno, name, flags);
                if (existing != null) {
                    return existing;
                }
            }
            try {
                Inode made = fs.tree().make(caller, parentIno, name, opened(mode)).inode();
                return created(caller, made, flags);
            } catch (FsException e) {
                if (exclusive || e.errno() != Errno.EEXIST) {
                    throw e;
                }
            }
            known = true;
        }
        throw new FsException(Errno.EIO, name + " appears and disappears all the time");
    }

    /** As {@link FileSystem#createUnnamed}; blocks. */
    Created createUnnamed(Caller caller, long parentIno, int mode, int flags) {
        master.session().checkRoomToOpen();
        Inode made = fs.tree().makeUnnamed(caller, parentIno, mode, !isExclusive(flags));
        return created(caller, made, flags & ~FileSystem.O_EXCL);
    }

    private static boolean isExclusive(int flags) {
        return (flags & FileSystem.O_EXCL) != 0;
    }

    private static NewFile opened(int mode) {
        return new NewFile(FileType.FILE, mode, 0, 0, true);
    }

    private Created created(Caller caller, Inode made, int flags) {
        ClientFile file = new ClientFile(fs, open.created(made), caller, flags);
        return new Created(made.attributes(), file);
    }

    /** Opens what has the name already; null when it has just gone. */
    private @Nullable Created openExisting(Caller caller, long parentIno, Name name, int flags) {
        Attributes existing = fs.tree().findOrNull(parentIno, name);
        if (existing == null) {
            return null;
        }
        try {
            ClientFile file = fs.openInode(caller, existing.ino(), flags);
            return new Created(file.state().attributes(), file);
        } catch (FsException e) {
            if (e.errno() != Errno.ESTALE && e.errno() != Errno.ENOENT) {
                throw e;
            }
            cache.forgetChild(parentIno, name);
            return null;
        }
    }

    /** As {@link AsyncChanges#create}; where a name is known there is nothing to make. */
    @Nullable CompletableFuture<Created> begin(
            Caller caller, long parentIno, Name name, int mode, int flags) {
        boolean exclusive = isExclusive(flags);
        if (!exclusive && cache.child(parentIno, name) > 0) {
            return null;
        }
        master.session().checkRoomToOpen();
        Mutation mutation = opened(mode).creation(caller, parentIno, name, mode);
        return fs.tree()
                .changes()
                .add(caller, parentIno, name, mutation)
                .thenApply(entry -> created(caller, entry.inode(), flags))
                .exceptionallyCompose(
                        failure -> {
                            boolean exists = Await.failure(failure).errno() == Errno.EEXIST;
                            // Somebody else was faster: what to do then waits for answers.
                            return exists && !exclusive
                                    ? CompletableFuture.supplyAsync(
                                            () -> create(caller, parentIno, name, mode, flags),
                                            Thread::startVirtualThread)
                                    : CompletableFuture.failedFuture(failure);
                        });
    }
}
