package io.cairn.client.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.cache.MetadataCache;
import io.cairn.client.cache.NameChange;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInode;
import io.cairn.client.file.OpenInodes;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.client.session.YoungFiles;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.SessionMutation.MakeDirectory;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Changes of names and attributes for callers who may make them: sent to the master, and taken over
 * into what this mount knows when they are answered. Thread-safe; never blocks.
 */
public final class TreeChanges {
    private final Tree tree;
    private final Mount mount;
    private final MetadataCache cache;
    private final Removals removals;

    TreeChanges(Tree tree, Mount mount, OpenInodes open) {
        this.tree = tree;
        this.mount = mount;
        this.cache = mount.cache();
        this.removals = new Removals(tree, mount, open);
    }

    /** From now on names may be taken away before the masters know it. */
    public void answerEarly() {
        removals.turnOn();
    }

    /**
     * Tells the masters all that they do not know yet of the names in a directory; blocks.
     *
     * @throws FsException what they have refused since this was called last, or what a new file
     *     there could not be told with
     */
    public void sync(long directory) {
        mount.await(mount.master().young().tell(directory), mount.timeoutMs());
        removals.report(directory);
    }

    /** Sends a mutation, and takes over what the reply tells. */
    CompletableFuture<EntryReply> change(Caller caller, Mutation mutation) {
        return mount.master()
                .mutate(ChangeReport.asked(caller, mutation))
                .thenApply(reply -> tree.absorb(caller, Await.expect(reply, EntryReply.class)));
    }

    /** The same for a change of names, which ends with it; {@code done} when it was done. */
    private CompletableFuture<EntryReply> change(
            Caller caller, Mutation mutation, Consumer<EntryReply> done, NameChange... names) {
        return change(caller, mutation)
                .handle(
                        (entry, failure) -> {
                            try {
                                if (entry == null) {
                                    throw Await.failure(failure);
                                }
                                done.accept(entry);
                                return entry;
                            } finally {
                                for (NameChange each : names) {
                                    each.close();
                                }
                            }
                        });
    }

    /** Gives a name to an inode. */
    public CompletableFuture<EntryReply> add(
            Caller caller, long parentIno, Name name, Mutation mutation) {
        NameChange names = cache.begin(parentIno, List.of(name));
        return change(
                caller,
                mutation,
                entry -> names.done(entry.parent(), Map.of(name, entry.inode().ino())),
                names);
    }

    /** Makes a directory. */
    public CompletableFuture<EntryReply> mkdir(Caller caller, long parentIno, Name name, int mode) {
        long generation = cache.generation();
        long sentMs = mount.nowMs();
        TreeMutation.Mkdir mkdir =
                new TreeMutation.Mkdir(parentIno, name, mode & 07777, caller.uid(), caller.gid());
        long ino = caller.witness() == null ? mount.master().young().takeNumber(0) : 0;
        CompletableFuture<EntryReply> made =
                ino == 0
                        ? add(caller, parentIno, name, mkdir)
                        : mkdirWithRight(caller, new MakeDirectory(mkdir, ino));
        return made.thenApply(
                entry -> {
                    cache.madeDirectory(entry.inode().ino(), generation, sentMs);
                    return entry;
                });
    }

    /**
     * Makes a directory in which this mount makes names alone from its first file on: what asks for
     * that goes along, into the same entry of the log.
     */
    private CompletableFuture<EntryReply> mkdirWithRight(Caller caller, MakeDirectory make) {
        // Else the masters would be asked for the right before they are told of the directory.
        CompletableFuture<Void> before = mount.master().young().before(make);
        return before == null
                ? sendWithRight(caller, make)
                : Promises.then(before, _ -> sendWithRight(caller, make));
    }

    private CompletableFuture<EntryReply> sendWithRight(Caller caller, MakeDirectory make) {
        YoungFiles young = mount.master().young();
        TreeMutation.Mkdir mkdir = make.mkdir();
        CompletableFuture<EntryReply> made = add(caller, mkdir.parentIno(), mkdir.name(), make);
        CompletableFuture<Void> asked = young.want(make.ino());
        return made.whenComplete(
                        (entry, failure) -> {
                            if (entry == null && isRefusal(failure)) {
                                var _ = asked.thenRun(() -> young.putBack(make.ino()));
                            } else {
                                young.used(make.ino());
                            }
                        })
                .thenCombine(asked, (entry, _) -> entry)
                .exceptionallyCompose(
                        failure ->
                                // The masters may have forgotten the number.
                                Await.failure(failure).errno() == Errno.EINVAL
                                        ? add(caller, mkdir.parentIno(), mkdir.name(), mkdir)
                                        : CompletableFuture.failedFuture(failure));
    }

    /** Whether the masters have said that nothing was made, and that the number is good. */
    private static boolean isRefusal(@Nullable Throwable failure) {
        Errno errno = Await.failure(failure).errno();
        return errno == Errno.EEXIST || errno == Errno.ENOENT || errno == Errno.ENOSPC;
    }

    /** Takes the name of a directory, or of anything else. */
    public CompletableFuture<Void> remove(
            Caller caller, long parentIno, Name name, boolean directory) {
        if (removals.begin(caller, parentIno, name, directory)) {
            return Promises.DONE;
        }
        CompletableFuture<Void> removed = removeNow(caller, parentIno, name, directory);
        // With what is asked along the next one need not wait; both go into one entry of the log.
        return removals.isOn() && cache.isComplete(parentIno)
                ? removed.thenCombine(mount.master().young().want(parentIno), (_, _) -> null)
                : removed;
    }

    private CompletableFuture<Void> removeNow(
            Caller caller, long parentIno, Name name, boolean directory) {
        Mutation mutation =
                directory
                        ? new TreeMutation.Rmdir(parentIno, name)
                        : new TreeMutation.Unlink(parentIno, name);
        NameChange names = cache.begin(parentIno, List.of(name));
        return change(
                        caller,
                        mutation,
                        entry -> {
                            names.done(entry.parent(), Map.of(name, 0L));
                            if (directory || entry.inode().attributes().nlink() == 0) {
                                mount.removed().removed(entry.inode().ino());
                                tree.removed(entry.inode().ino(), directory);
                            }
                        },
                        names)
                .thenAccept(_ -> {});
    }

    /** Renames or exchanges. */
    public CompletableFuture<EntryReply> rename(Caller caller, TreeMutation.Rename rename) {
        return renamed(caller, rename)
                .thenApply(
                        entry -> {
                            Attributes replaced = entry.replaced();
                            if (replaced != null && replaced.nlink() == 0) {
                                mount.removed().removed(replaced.ino());
                            }
                            return entry;
                        });
    }

    private CompletableFuture<EntryReply> renamed(Caller caller, TreeMutation.Rename rename) {
        Name old = rename.name();
        Name entered = rename.newName();
        if (rename.parentIno() == rename.newParentIno()) {
            NameChange both = cache.begin(rename.parentIno(), List.of(old, entered));
            return change(
                    caller,
                    rename,
                    entry -> {
                        if (hasChanged(rename, entry)) {
                            long ino = entry.inode().ino();
                            both.done(
                                    entry.parent(),
                                    Map.of(old, remains(rename, entry), entered, ino));
                        }
                    },
                    both);
        }
        NameChange from = cache.begin(rename.parentIno(), List.of(old));
        NameChange to = cache.begin(rename.newParentIno(), List.of(entered));
        return change(
                caller,
                rename,
                entry -> {
                    if (hasChanged(rename, entry)) {
                        from.done(entry.parent(), Map.of(old, remains(rename, entry)));
                        to.done(entry.otherParent(), Map.of(entered, entry.inode().ino()));
                    }
                },
                to,
                from);
    }

    private static boolean isExchange(TreeMutation.Rename rename) {
        return (rename.flags() & FileSystem.RENAME_EXCHANGE) != 0;
    }

    /** The inode that the old name stands for afterwards. */
    private static long remains(TreeMutation.Rename rename, EntryReply entry) {
        Attributes other = entry.replaced();
        return isExchange(rename) && other != null ? other.ino() : 0;
    }

    /**
     * Whether both names were certainly of different inodes: else rename(2) does nothing, and the
     * reply tells of no change. The reply does not tell the inode of a whiteout either.
     */
    private static boolean hasChanged(TreeMutation.Rename rename, EntryReply entry) {
        Attributes moved = entry.inode().attributes();
        boolean same =
                rename.parentIno() == rename.newParentIno()
                        && rename.name().equals(rename.newName());
        boolean mayBeLinks = !moved.isDirectory() && moved.nlink() > 1;
        boolean whiteout = (rename.flags() & FileSystem.RENAME_WHITEOUT) != 0;
        return !same
                && !mayBeLinks
                && !whiteout
                && (!isExchange(rename) || entry.replaced() != null);
    }

    /** Sets attributes other than the size, as {@link Permissions} has allowed it. */
    CompletableFuture<Attributes> setAttributes(Caller caller, long ino, AttributeChange change) {
        return change(caller, new TreeMutation.SetAttributes(ino, change))
                .thenApply(entry -> tree.shown(entry.inode().attributes()));
    }

    /**
     * Sets attributes in the call that commits a small file, as programs do that unpack archives.
     *
     * @param file null when the file is not open
     * @return null when there is nothing to commit in one call, or the change needs its own
     */
    @Nullable CompletableFuture<Attributes> writeAndSet(
            Caller caller, @Nullable OpenInode file, AttributeChange change) {
        if (file == null || caller.witness() != null || !change.fitsWrite()) {
            return null;
        }
        Attributes amended = file.amend(change);
        if (amended != null) {
            return CompletableFuture.completedFuture(tree.shown(amended));
        }
        if (!fitsQuotas(change) || !file.isDirty() || !file.commitsInOneCall()) {
            return null;
        }
        return Promises.then(
                file.commitWith(change),
                isSet ->
                        isSet
                                ? CompletableFuture.completedFuture(
                                        tree.shown(file.inode().attributes()))
                                : setAttributes(caller, file.ino(), change));
    }

    /** While there are quotas the master refuses a new owner together with a write. */
    private boolean fitsQuotas(AttributeChange change) {
        return mount.master().session().quotas() == 0
                || !change.has(AttributeChange.UID | AttributeChange.GID);
    }
}
