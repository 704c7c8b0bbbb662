package io.cairn.client.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.cache.DirectoryReadAhead;
import io.cairn.client.cache.KnownDirectory;
import io.cairn.client.cache.MetadataCache;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInode;
import io.cairn.client.file.OpenInodes;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.DirectoryState;
import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Names and attributes: what the cache knows, else what the master says, allowed by {@link
 * Permissions}. Every answer of the master refreshes the cache and the open files, so that an
 * operation is seen by the next one of this mount at once. Thread-safe; blocks.
 */
public final class Tree {
    private final Mount mount;
    private final MetadataCache cache;
    private final OpenInodes open;
    private final AccessTimes accessTimes;
    private final FileContents contents;
    private final ChangeReport testimony;
    private final ExtendedAttributes xattrs;
    private final DirectoryReadAhead readAhead;
    private final TreeChanges changes;

    public Tree(
            Mount mount,
            MetadataCache cache,
            OpenInodes open,
            AccessTimes accessTimes,
            FileContents contents) {
        this.mount = mount;
        this.cache = cache;
        this.open = open;
        this.accessTimes = accessTimes;
        this.contents = contents;
        this.testimony = new ChangeReport(open, accessTimes);
        this.xattrs = new ExtendedAttributes(mount, this);
        this.readAhead =
                new DirectoryReadAhead(mount.master()::query, mount.runtime().clock(), cache);
        this.changes = new TreeChanges(this, mount, open);
    }

    /** The extended attributes of the same inodes. */
    public ExtendedAttributes xattrs() {
        return xattrs;
    }

    // ---- asking

    /** The result of a change, for which this thread waits. */
    private <T> T now(CompletableFuture<T> change) {
        return mount.await(change, mount.timeoutMs());
    }

    /** Changes that do not wait, for callers whose rights were checked. */
    public TreeChanges changes() {
        return changes;
    }

    public EntryReply change(Caller caller, Mutation mutation) {
        return now(changes.change(caller, mutation));
    }

    /** Takes over what a reply tells of attributes, and tells it the caller's witness. */
    public EntryReply absorb(Caller caller, EntryReply reply) {
        absorb(reply);
        testimony.give(caller, reply);
        return reply;
    }

    /**
     * Opens an inode at the master. It may have lost its last name a moment ago; what was
     * remembered of its names is then forgotten, so that who looks again finds the new one.
     */
    public Inode open(long ino) {
        Inode inode = askAbout(ino, new Query.Open(ino)).inode();
        if (inode.attributes().nlink() == 0) {
            cache.gone(ino);
        }
        return inode;
    }

    private EntryReply askAbout(long ino, Query query) {
        long sentMs = mount.nowMs();
        try {
            EntryReply reply = absorb(ask(query, EntryReply.class));
            if (reply.inode().attributes().isDirectory()) {
                cache.told(reply.inode().directoryState(), sentMs);
            }
            return reply;
        } catch (FsException e) {
            if (e.errno() == Errno.ESTALE) {
                cache.gone(ino);
            }
            throw e;
        }
    }

    <T extends Reply> T ask(Query query, Class<T> kind) {
        return Await.expect(mount.master().ask(query), kind);
    }

    /** Takes over what a reply tells of attributes. */
    public EntryReply absorb(EntryReply reply) {
        cache.put(reply.inode().attributes());
        DirectoryState parent = reply.parent();
        if (parent != null) {
            cache.put(parent.attributes());
        }
        DirectoryState otherParent = reply.otherParent();
        if (otherParent != null) {
            cache.put(otherParent.attributes());
        }
        open.adopt(reply.inode());
        Attributes replaced = reply.replaced();
        if (replaced != null) {
            cache.put(replaced);
            OpenInode state = open.get(replaced.ino());
            if (state != null) {
                state.adopt(state.inode().withAttributes(replaced));
            }
        }
        return reply;
    }

    /** The master's answer about an inode, with newer facts of this mount. */
    public Attributes shown(Attributes attributes) {
        return accessTimes.over(open.overlay(attributes));
    }

    /** The attributes for a decision or a stat: at most the TTL old. */
    public Attributes attributes(long ino) {
        OpenInode state = open.get(ino);
        if (state != null && state.isFresh()) {
            return accessTimes.over(state.attributes());
        }
        Attributes known = state == null ? cache.attributes(ino) : null;
        return shown(known != null ? known : inode(ino).attributes());
    }

    /** The attributes as they are now. An inode without a name is not found by one either. */
    public Attributes freshAttributes(long ino) {
        Attributes fresh = inode(ino).attributes();
        if (fresh.nlink() == 0) {
            cache.gone(ino);
        }
        return shown(fresh);
    }

    /** The inode as the master has it now. */
    public Inode inode(long ino) {
        return askAbout(ino, new Query.GetInode(ino)).inode();
    }

    // ---- names

    public Attributes lookup(Caller caller, long parentIno, Name name) {
        if (!caller.checked()) {
            Permissions.search(caller, attributes(parentIno));
        }
        return find(parentIno, name);
    }

    private Attributes find(long parentIno, Name name) {
        long ino = cache.child(parentIno, name);
        // A master tells who may believe that a name is absent, as long as it is heard.
        if (ino == 0 && mount.master().session().isConnected()) {
            throw new FsException(Errno.ENOENT);
        }
        if (ino > 0) {
            OpenInode state = open.get(ino);
            if (state != null && state.isFresh()) {
                return accessTimes.over(state.attributes());
            }
            Attributes known = cache.attributes(ino);
            if (known != null) {
                return shown(known);
            }
        }
        return shown(findAtMaster(parentIno, name));
    }

    private Attributes findAtMaster(long parentIno, Name name) {
        KnownDirectory.Asked asked =
                new KnownDirectory.Asked(cache.stamp(parentIno), mount.nowMs());
        Reply reply = mount.master().ask(new Query.Lookup(parentIno, name));
        if (reply instanceof Reply.Absent absent) {
            cache.told(absent.parent(), asked.sentMs());
            cache.putChild(absent.parent(), name, 0, asked);
            throw new FsException(Errno.ENOENT);
        }
        EntryReply entry = absorb(Await.expect(reply, EntryReply.class));
        DirectoryState parent = entry.parent();
        if (parent != null) {
            cache.told(parent, asked.sentMs());
            cache.putChild(parent, name, entry.inode().ino(), asked);
            readAhead.missed(parent, name, entry.inode().ino());
        }
        Attributes found = entry.inode().attributes();
        return cache.isEarly(found.ino()) ? inode(found.ino()).attributes() : found;
    }

    /**
     * The attributes of a directory in which a name is about to be made, if they are needed. A name
     * that exists is told before a missing permission.
     */
    private @Nullable Attributes addTo(Caller caller, long parentIno, Name name) {
        if (caller.checked()) {
            return null;
        }
        Attributes parent = attributes(parentIno);
        Permissions.search(caller, parent);
        if (!Permissions.grants(caller, parent, FileSystem.ACCESS_WRITE)) {
            throw new FsException(exists(parentIno, name) ? Errno.EEXIST : Errno.EACCES);
        }
        return parent;
    }

    /** Whether a name exists now, not a moment ago: somebody else may have made it. */
    private boolean exists(long parentIno, Name name) {
        try {
            return findAtMaster(parentIno, name).ino() != 0;
        } catch (FsException e) {
            if (e.errno() == Errno.ENOENT) {
                return false;
            }
            throw e;
        }
    }

    /** The inode that has a name, or null. */
    public @Nullable Attributes findOrNull(long parentIno, Name name) {
        try {
            return find(parentIno, name);
        } catch (FsException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    public Attributes mkdir(Caller caller, long parentIno, Name name, int mode) {
        addTo(caller, parentIno, name);
        return shown(now(changes.mkdir(caller, parentIno, name, mode)).inode().attributes());
    }

    /** Gives a name to an inode. */
    private EntryReply add(Caller caller, long parentIno, Name name, Mutation mutation) {
        CompletableFuture<EntryReply> added = changes.add(caller, parentIno, name, mutation);
        try {
            return now(added);
        } catch (FsException e) {
            if (mutation instanceof TreeMutation.Create create && create.open()) {
                // Perhaps it was opened for an asker who was interrupted.
                var _ = added.thenAccept(entry -> mount.master().release(entry.inode().ino()));
            }
            throw e;
        }
    }

    public EntryReply make(Caller caller, long parentIno, Name name, NewFile file) {
        Permissions.makeNode(caller, file.type());
        Attributes parent = addTo(caller, parentIno, name);
        int mode =
                parent == null ? file.mode() : Permissions.modeOfNew(caller, parent, file.mode());
        return add(caller, parentIno, name, file.creation(caller, parentIno, name, mode));
    }

    /** A file without a name, opened. */
    public Inode makeUnnamed(Caller caller, long parentIno, int mode, boolean linkable) {
        int allowed = mode;
        if (!caller.checked()) {
            Attributes parent = attributes(parentIno);
            Permissions.add(caller, parent);
            allowed = Permissions.modeOfNew(caller, parent, mode);
        }
        Mutation mutation =
                new TreeMutation.CreateUnnamed(
                        parentIno, allowed & 07777, caller.uid(), caller.gid(), linkable);
        return change(caller, mutation).inode();
    }

    public Attributes makeExclusive(
            Caller caller, long parentIno, Name name, int mode, long verifier) {
        NewFile file = new NewFile(FileType.FILE, mode, 0, verifier, false);
        return shown(make(caller, parentIno, name, file).inode().attributes());
    }

    public Attributes symlink(Caller caller, long parentIno, Name name, byte[] target) {
        addTo(caller, parentIno, name);
        if (target.length == 0) {
            throw new FsException(Errno.ENOENT, "an empty symlink target");
        }
        if (target.length >= FileSystem.MAX_PATH_BYTES) {
            throw new FsException(
                    Errno.ENAMETOOLONG, "symlink target of " + target.length + " bytes");
        }
        Mutation mutation =
                new TreeMutation.Symlink(parentIno, name, target, caller.uid(), caller.gid());
        return shown(add(caller, parentIno, name, mutation).inode().attributes());
    }

    public Attributes link(Caller caller, long ino, long newParentIno, Name newName) {
        addTo(caller, newParentIno, newName);
        Mutation mutation = new TreeMutation.Link(ino, newParentIno, newName);
        return shown(add(caller, newParentIno, newName, mutation).inode().attributes());
    }

    public void remove(Caller caller, long parentIno, Name name, boolean directory) {
        if (!caller.checked()) {
            Attributes parent = attributes(parentIno);
            Permissions.search(caller, parent);
            Permissions.remove(caller, parent, find(parentIno, name));
        }
        now(changes.remove(caller, parentIno, name, directory));
    }

    /** An inode has lost its last name. */
    void removed(long ino, boolean directory) {
        if (directory || open.get(ino) == null) {
            cache.removed(ino);
            accessTimes.forget(ino);
            mount.unsynced().forget(ino);
        }
    }

    public void rename(Caller caller, TreeMutation.Rename rename) {
        if (!caller.checked()) {
            requireRename(caller, rename);
        }
        now(changes.rename(caller, rename));
    }

    private void requireRename(Caller caller, TreeMutation.Rename rename) {
        Attributes from = attributes(rename.parentIno());
        Attributes to = attributes(rename.newParentIno());
        Permissions.search(caller, from);
        Permissions.search(caller, to);
        Attributes moved = find(rename.parentIno(), rename.name());
        Permissions.remove(caller, from, moved);
        Permissions.add(caller, to);
        boolean moves = rename.parentIno() != rename.newParentIno();
        if (moved.isDirectory() && moves) {
            Permissions.reparent(caller, moved);
        }
        Attributes replaced = findOrNull(rename.newParentIno(), rename.newName());
        if (replaced == null) {
            return;
        }
        Permissions.remove(caller, to, replaced);
        if ((rename.flags() & FileSystem.RENAME_EXCHANGE) != 0 && replaced.isDirectory() && moves) {
            Permissions.reparent(caller, replaced);
        }
    }

    public DirectoryPage readDirectory(
            Caller caller, long ino, long cookie, int maxEntries, boolean withAttributes) {
        if (!caller.checked()) {
            Permissions.list(caller, attributes(ino));
        }
        KnownDirectory.PageRequest request =
                new KnownDirectory.PageRequest(cookie, cache.stamp(ino), mount.nowMs(), false);
        Query query =
                new Query.ReadDirectory(
                        ino,
                        cookie,
                        Math.clamp(maxEntries, 1, Limits.MAX_PAGE_ENTRIES),
                        withAttributes);
        Reply.DirectoryReply page = ask(query, Reply.DirectoryReply.class);
        cache.putPage(request, page);
        readAhead.listed(cookie, page);
        if (cookie == 0) {
            accessTimes.accessed(accessTimes.over(page.directory().attributes()));
        }
        if (!withAttributes) {
            return new DirectoryPage(page.entries(), page.end());
        }
        List<DirectoryEntry> entries = new ArrayList<>(page.entries().size());
        for (DirectoryEntry entry : page.entries()) {
            Attributes found = entry.attributes();
            if (found == null) {
                entries.add(entry);
                continue;
            }
            Attributes told = cache.isEarly(entry.ino()) ? null : shown(found);
            entries.add(
                    new DirectoryEntry(
                            entry.name(), entry.cookie(), entry.ino(), entry.type(), told));
        }
        return new DirectoryPage(entries, page.end());
    }

    // ---- attributes

    public Attributes setAttributes(Caller caller, long ino, AttributeChange wanted) {
        Attributes before = attributes(ino);
        if (wanted.has(AttributeChange.SIZE)) {
            FileContents.requireSizable(before, wanted.size());
        }
        AttributeChange change = Permissions.change(caller, before, wanted);
        if (change.has(AttributeChange.SIZE)) {
            return shown(resize(caller, before, change).inode().attributes());
        }
        OpenInode state = beforeTimes(ino, change);
        if (state != null) {
            state.commitAndWait();
        }
        return now(changes.setAttributes(caller, ino, change));
    }

    /** Begins to set attributes other than the size; null when that would wait for more. */
    public @Nullable CompletableFuture<Attributes> beginSetAttributes(
            Caller caller, long ino, AttributeChange wanted) {
        AttributeChange change = Permissions.change(caller, attributes(ino), wanted);
        OpenInode state = beforeTimes(ino, change);
        CompletableFuture<Attributes> both = changes.writeAndSet(caller, open.get(ino), change);
        if (both != null || state != null && !state.commitsInOneCall()) {
            return both;
        }
        CompletableFuture<Void> committed = state == null ? Promises.DONE : state.commit();
        return Promises.then(committed, _ -> changes.setAttributes(caller, ino, change));
    }

    /** The state to commit first: a later commit of earlier writes must not set the times again. */
    private @Nullable OpenInode beforeTimes(long ino, AttributeChange change) {
        if (change.has(AttributeChange.ATIME)) {
            accessTimes.forget(ino);
        }
        // What was written before it became immutable belongs to it.
        int bits = AttributeChange.MTIME | AttributeChange.ATIME | AttributeChange.FLAGS;
        return change.has(bits) ? open.get(ino) : null;
    }

    private EntryReply resize(Caller caller, Attributes before, AttributeChange change) {
        FileContents.requireSize(before, change.size());
        OpenInode state = open.get(before.ino());
        if (state != null) {
            return absorb(caller, contents.resize(caller, state, change));
        }
        Mutation mutation = new TreeMutation.SetAttributes(before.ino(), change);
        Reply reply = mount.master().change(ChangeReport.asked(caller, mutation));
        boolean outgrows = reply instanceof Reply.Failure f && f.errno() == Errno.EFBIG;
        if (!outgrows && !FileContents.hasTooManyRuns(reply)) {
            return absorb(caller, Await.expect(reply, EntryReply.class));
        }
        // It outgrows its inode, or is to be made whole: that needs the contents, so it is opened.
        Inode inode = ask(new Query.Open(before.ino()), EntryReply.class).inode();
        OpenInode opened = open.opened(inode);
        try {
            return absorb(caller, contents.resize(caller, opened, change));
        } finally {
            open.closed(opened);
        }
    }

    public byte[] readlink(long ino) {
        Inode inode = inode(ino);
        byte[] target = inode.inline();
        if (inode.attributes().type() != FileType.SYMLINK || target == null) {
            throw new FsException(Errno.EINVAL, "not a symbolic link");
        }
        accessTimes.accessed(accessTimes.over(inode.attributes()));
        return target.clone();
    }

    public long parent(long directoryIno) {
        Inode inode = inode(directoryIno);
        if (!inode.attributes().isDirectory()) {
            throw new FsException(Errno.ENOTDIR);
        }
        return inode.parentIno();
    }
}
