package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.cache.MetadataCache;
import io.cairn.client.cache.NameChange;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInode;
import io.cairn.client.file.OpenInodes;
import io.cairn.client.session.Await;
import io.cairn.client.session.MasterChannel;
import io.cairn.client.tree.NewFile;
import io.cairn.client.tree.Permissions;
import io.cairn.cluster.DirectoryState;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.Acls;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileSystem.Created;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Makes files and opens them, or opens what has the name already, whatever others do with the name
 * meanwhile. Thread-safe.
 */
final class Creation {
    private static final int MAX_TRIES = 8;
    private static final int SETGID = 02000;

    /** Nothing can be stored there: the master is asked before. */
    private static final Layout NOWHERE =
            new Layout(Layout.STANDARD_CHUNK_SIZE_LOG2, 0, 0, List.of(Layout.Run.of(0, 0, 0)), 0);

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
        Created here = makeHere(caller, parentIno, name, mode, flags);
        if (here != null) {
            return CompletableFuture.completedFuture(here);
        }
        Mutation mutation = opened(mode).creation(caller, parentIno, name, mode);
        return fs.tree()
                .changes()
                .add(caller, parentIno, name, mutation)
                .thenApply(
                        entry -> {
                            if (cache.isComplete(parentIno)) {
                                var _ = master.young().want(parentIno);
                            }
                            return created(caller, entry.inode(), flags);
                        })
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

    /**
     * Makes a file of which the master hears when it is closed; null where this mount must ask.
     *
     * @param mode as the directory has made it
     */
    private @Nullable Created makeHere(
            Caller caller, long parentIno, Name name, int mode, int flags) {
        Attributes parent = cache.toldAttributes(parentIno);
        // A handle that cannot write does not commit what it made when it is closed.
        if (parent == null
                || (flags & FileSystem.O_ACCMODE) == FileSystem.O_RDONLY
                || caller.witness() != null
                || cache.child(parentIno, name) != 0
                || !master.session().isConnected()) {
            return null;
        }
        long ino = master.young().takeNumber(parentIno);
        if (ino == 0) {
            return null;
        }
        boolean isMade = false;
        try {
            TreeMutation.Create create = opened(mode).creation(caller, parentIno, name, mode);
            OpenInode state = makeHere(create, ino, parent);
            isMade = state != null;
            return state == null
                    ? null
                    : new Created(state.attributes(), new ClientFile(fs, state, caller, flags));
        } finally {
            if (!isMade) {
                master.young().putBack(ino);
            }
        }
    }

    /** The same under a number; null when the right to it has ended. */
    private @Nullable OpenInode makeHere(TreeMutation.Create create, long ino, Attributes parent) {
        Name name = create.name();
        Inode made = inode(create, ino, parent);
        long parentIno = parent.ino();
        NameChange names = cache.begin(parentIno, List.of(name));
        cache.earlyChange(parentIno, false);
        boolean isMade = false;
        try {
            OpenInode state = open.created(made);
            isMade = master.young().add(create, ino, entry -> known(names, create, entry));
            if (!isMade) {
                open.closed(state);
            }
            return isMade ? state : null;
        } finally {
            if (!isMade) {
                names.close();
                cache.toldChange(parentIno, false);
            }
        }
    }

    private void known(
            NameChange names, TreeMutation.Create create, Reply.@Nullable EntryReply entry) {
        try (names) {
            DirectoryState parent = entry == null ? null : entry.parent();
            if (entry == null || parent == null) {
                // Its times of before are older than what callers may have seen.
                cache.forgetAttributes(create.parentIno());
            } else {
                cache.put(parent.attributes());
                names.done(parent, Map.of(create.name(), entry.inode().ino()));
            }
        } finally {
            cache.toldChange(create.parentIno(), false);
        }
    }

    /** As the master will make it, but for the place of what does not fit into it. */
    private Inode inode(TreeMutation.Create create, long ino, Attributes parent) {
        long nowNs = master.session().masterClock().nowNs();
        boolean takesGroup = (parent.mode() & SETGID) != 0;
        Attributes attributes =
                new Attributes(
                        ino,
                        1,
                        FileType.FILE,
                        create.mode(),
                        1,
                        create.uid(),
                        takesGroup ? parent.gid() : create.gid(),
                        0,
                        0,
                        0,
                        nowNs,
                        nowNs,
                        nowNs,
                        0,
                        Acls.NONE,
                        nowNs,
                        0);
        return new Inode(
                attributes,
                parent.ino(),
                create.name().cookie(),
                Policy.STANDARD,
                NOWHERE,
                create.inline(),
                0,
                0,
                0);
    }
}
