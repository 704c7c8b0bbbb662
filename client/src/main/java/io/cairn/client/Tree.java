package io.cairn.client;

import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.Errno;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.FsException;
import io.cairn.fs.Name;
import io.cairn.wire.Limits;
import io.cairn.wire.Mutation;
import io.cairn.wire.Query;
import io.cairn.wire.Reply;
import io.cairn.wire.Reply.EntryReply;
import io.cairn.wire.TreeMutation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Names and attributes: what the cache knows, else what the master says, allowed by {@link
 * Permissions}. Every answer of the master refreshes the cache and the open files, so that an
 * operation is seen by the next one of this mount at once. Thread-safe; blocks.
 */
final class Tree {
    private static final byte[] NOTHING = {};

    private final Mount mount;
    private final MetadataCache cache;
    private final OpenInodes open;
    private final AccessTimes accessTimes;
    private final FileContents contents;

    Tree(
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
    }

    // ---- asking

    EntryReply change(Mutation mutation) {
        return absorb(Await.expect(mount.master().change(mutation), EntryReply.class));
    }

    /**
     * Opens an inode at the master. It may have lost its last name a moment ago; what was
     * remembered of its names is then forgotten, so that who looks again finds the new one.
     */
    Inode open(long ino) {
        Inode inode = askAbout(ino, new Query.Open(ino)).inode();
        if (inode.attributes().nlink() == 0) {
            cache.gone(ino);
        }
        return inode;
    }

    private EntryReply askAbout(long ino, Query query) {
        try {
            return absorb(ask(query, EntryReply.class));
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

    /** Takes over what a reply tells. */
    EntryReply absorb(EntryReply reply) {
        cache.put(reply.inode().attributes());
        cache.putIfKnown(reply.parent());
        cache.putIfKnown(reply.otherParent());
        open.adopt(reply.inode());
        Attributes replaced = reply.replaced();
        if (replaced != null) {
            cache.put(replaced);
            InodeState state = open.get(replaced.ino());
            if (state != null) {
                state.adopt(state.inode().withAttributes(replaced));
            }
        }
        return reply;
    }

    /** What the master says of an inode, with what this mount knows better. */
    Attributes shown(Attributes attributes) {
        return accessTimes.over(open.overlay(attributes));
    }

    /** The attributes for a decision or a stat: at most the TTL old. */
    Attributes attributes(long ino) {
        InodeState state = open.get(ino);
        if (state != null && state.isFresh()) {
            return accessTimes.over(state.attributes());
        }
        Attributes known = state == null ? cache.attributes(ino) : null;
        return shown(known != null ? known : inode(ino).attributes());
    }

    /** The inode as the master has it now. */
    Inode inode(long ino) {
        return askAbout(ino, new Query.GetInode(ino)).inode();
    }

    // ---- names

    Attributes lookup(Caller caller, long parentIno, Name name) {
        if (!caller.checked()) {
            Permissions.search(caller, attributes(parentIno));
        }
        return find(parentIno, name);
    }

    private Attributes find(long parentIno, Name name) {
        long ino = cache.child(parentIno, name);
        if (ino == 0) {
            throw new FsException(Errno.ENOENT);
        }
        if (ino > 0) {
            InodeState state = open.get(ino);
            if (state != null && state.isFresh()) {
                return accessTimes.over(state.attributes());
            }
            Attributes known = cache.attributes(ino);
            if (known != null) {
                return shown(known);
            }
        }
        long stamp = cache.stamp(parentIno);
        Reply reply = mount.master().ask(new Query.Lookup(parentIno, name));
        if (reply instanceof Reply.Failure failure && failure.errno() == Errno.ENOENT) {
            cache.putChild(parentIno, name, 0, stamp);
        }
        EntryReply entry = absorb(Await.expect(reply, EntryReply.class));
        cache.putChild(parentIno, name, entry.inode().ino(), stamp);
        return shown(entry.inode().attributes());
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
        if (!parent.isDirectory()) {
            throw new FsException(Errno.ENOTDIR);
        }
        Permissions.search(caller, parent);
        if (!Permissions.grants(caller, parent, FileSystem.ACCESS_WRITE)) {
            boolean exists = findOrNull(parentIno, name) != null;
            throw new FsException(exists ? Errno.EEXIST : Errno.EACCES);
        }
        return parent;
    }

    /** What has a name, or null. */
    @Nullable Attributes findOrNull(long parentIno, Name name) {
        try {
            return find(parentIno, name);
        } catch (FsException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    private Attributes made(long parentIno, Name name, EntryReply entry) {
        cache.changeChild(parentIno, name, entry.inode().ino());
        return shown(entry.inode().attributes());
    }

    Attributes mkdir(Caller caller, long parentIno, Name name, int mode) {
        addTo(caller, parentIno, name);
        return made(
                parentIno,
                name,
                changeName(
                        parentIno,
                        name,
                        new TreeMutation.Mkdir(
                                parentIno, name, mode & 07777, caller.uid(), caller.gid())));
    }

    /** A change of a name: an error may mean that the cache was wrong about it. */
    private EntryReply changeName(long parentIno, Name name, Mutation mutation) {
        try {
            return change(mutation);
        } catch (FsException e) {
            cache.forgetChild(parentIno, name);
            throw e;
        }
    }

    /** What a file to be made looks like. */
    record NewFile(FileType type, int mode, long rdev, boolean opened) {}

    EntryReply make(Caller caller, long parentIno, Name name, NewFile file) {
        Permissions.makeNode(caller, file.type);
        Attributes parent = addTo(caller, parentIno, name);
        int mode = parent == null ? file.mode : Permissions.modeOfNew(caller, parent, file.mode);
        EntryReply entry =
                changeName(
                        parentIno,
                        name,
                        new TreeMutation.Create(
                                parentIno,
                                name,
                                file.type,
                                mode & 07777,
                                caller.uid(),
                                caller.gid(),
                                file.rdev,
                                false,
                                0,
                                NOTHING,
                                file.opened));
        cache.changeChild(parentIno, name, entry.inode().ino());
        return entry;
    }

    Attributes symlink(Caller caller, long parentIno, Name name, byte[] target) {
        addTo(caller, parentIno, name);
        if (target.length == 0) {
            throw new FsException(Errno.ENOENT, "an empty symlink target");
        }
        if (target.length >= FileSystem.MAX_PATH_BYTES) {
            throw new FsException(
                    Errno.ENAMETOOLONG, "symlink target of " + target.length + " bytes");
        }
        return made(
                parentIno,
                name,
                changeName(
                        parentIno,
                        name,
                        new TreeMutation.Symlink(
                                parentIno, name, target, caller.uid(), caller.gid())));
    }

    Attributes link(Caller caller, long ino, long newParentIno, Name newName) {
        addTo(caller, newParentIno, newName);
        return made(
                newParentIno,
                newName,
                changeName(
                        newParentIno, newName, new TreeMutation.Link(ino, newParentIno, newName)));
    }

    void remove(Caller caller, long parentIno, Name name, boolean directory) {
        if (!caller.checked()) {
            Attributes parent = attributes(parentIno);
            Permissions.search(caller, parent);
            Permissions.remove(caller, parent, find(parentIno, name));
        }
        EntryReply entry =
                changeName(
                        parentIno,
                        name,
                        directory
                                ? new TreeMutation.Rmdir(parentIno, name)
                                : new TreeMutation.Unlink(parentIno, name));
        cache.changeChild(parentIno, name, 0);
        long ino = entry.inode().ino();
        if (directory || (entry.inode().attributes().nlink() == 0 && open.get(ino) == null)) {
            cache.forget(ino);
            accessTimes.forget(ino);
            mount.unsynced().forget(ino);
        }
    }

    void rename(Caller caller, TreeMutation.Rename rename) {
        if (!caller.checked()) {
            requireRename(caller, rename);
        }
        EntryReply entry;
        try {
            entry = change(rename);
        } catch (FsException e) {
            cache.forgetChild(rename.parentIno(), rename.name());
            cache.forgetChild(rename.newParentIno(), rename.newName());
            throw e;
        }
        boolean exchange = (rename.flags() & FileSystem.RENAME_EXCHANGE) != 0;
        if (exchange) {
            cache.forgetChild(rename.parentIno(), rename.name());
            cache.forgetChild(rename.newParentIno(), rename.newName());
            return;
        }
        Attributes moved = entry.inode().attributes();
        if (!moved.isDirectory() && moved.nlink() > 1) {
            // Both names may be links to the same inode: then rename(2) does nothing.
            cache.forgetChild(rename.parentIno(), rename.name());
        } else {
            cache.changeChild(rename.parentIno(), rename.name(), 0);
        }
        cache.changeChild(rename.newParentIno(), rename.newName(), entry.inode().ino());
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

    DirectoryPage readDirectory(
            Caller caller, long ino, long cookie, int maxEntries, boolean withAttributes) {
        if (!caller.checked()) {
            Permissions.require(caller, attributes(ino), FileSystem.ACCESS_READ);
        }
        long stamp = cache.stamp(ino);
        Query query =
                new Query.ReadDirectory(
                        ino,
                        cookie,
                        Math.clamp(maxEntries, 1, Limits.MAX_PAGE_ENTRIES),
                        withAttributes);
        Reply.DirectoryReply page = ask(query, Reply.DirectoryReply.class);
        if (cookie == 0) {
            accessTimes.accessed(attributes(ino));
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
            cache.put(found);
            cache.putChild(ino, entry.name(), entry.ino(), stamp);
            entries.add(
                    new DirectoryEntry(
                            entry.name(), entry.cookie(), entry.ino(), entry.type(), shown(found)));
        }
        return new DirectoryPage(entries, page.end());
    }

    // ---- attributes

    Attributes setAttributes(Caller caller, long ino, AttributeChange wanted) {
        Attributes before = attributes(ino);
        AttributeChange change = Permissions.change(caller, before, wanted);
        InodeState state = open.get(ino);
        if (change.has(AttributeChange.SIZE)) {
            return shown(resize(before, change).inode().attributes());
        }
        if (change.has(AttributeChange.ATIME)) {
            accessTimes.forget(ino);
        }
        if (state != null && change.has(AttributeChange.MTIME | AttributeChange.ATIME)) {
            // A later commit of earlier writes must not set the times again.
            Await.get(state.commitNow(), state.drainTimeoutMs());
        }
        return shown(change(new TreeMutation.SetAttributes(ino, change)).inode().attributes());
    }

    private EntryReply resize(Attributes before, AttributeChange change) {
        if (before.isDirectory()) {
            throw new FsException(Errno.EISDIR);
        }
        if (!before.isFile() || change.size() < 0) {
            throw new FsException(Errno.EINVAL);
        }
        if (change.size() > FileSystem.MAX_FILE_BYTES) {
            throw new FsException(Errno.EFBIG);
        }
        InodeState state = open.get(before.ino());
        if (state != null) {
            return absorb(contents.resize(state, change));
        }
        Reply reply = mount.master().change(new TreeMutation.SetAttributes(before.ino(), change));
        if (!(reply instanceof Reply.Failure failure && failure.errno() == Errno.EFBIG)) {
            return absorb(Await.expect(reply, EntryReply.class));
        }
        // An inline file outgrows its inode: that needs its contents, hence an open file.
        Inode inode = ask(new Query.Open(before.ino()), EntryReply.class).inode();
        InodeState opened = open.opened(inode);
        try {
            return absorb(contents.resize(opened, change));
        } finally {
            open.closed(opened);
        }
    }

    byte[] readlink(Caller caller, long ino) {
        Inode inode = inode(ino);
        byte[] target = inode.inline();
        if (inode.attributes().type() != FileType.SYMLINK || target == null) {
            throw new FsException(Errno.EINVAL, "not a symbolic link");
        }
        accessTimes.accessed(accessTimes.over(inode.attributes()));
        return target.clone();
    }

    long parent(long directoryIno) {
        Inode inode = inode(directoryIno);
        if (!inode.attributes().isDirectory()) {
            throw new FsException(Errno.ENOTDIR);
        }
        return inode.parentIno();
    }

    // ---- extended attributes

    byte[] getXattr(Caller caller, long ino, byte[] name) {
        Permissions.xattr(caller, attributes(ino), name, Permissions.XattrUse.GET);
        return ask(new Query.GetXattr(ino, name), Reply.BytesReply.class).bytes();
    }

    List<byte[]> listXattr(Caller caller, long ino) {
        List<byte[]> names = new ArrayList<>();
        for (byte[] name : ask(new Query.ListXattr(ino), Reply.NamesReply.class).names()) {
            if (Permissions.lists(caller, name)) {
                names.add(name);
            }
        }
        return names;
    }

    void setXattr(Caller caller, TreeMutation.SetXattr set) {
        if (set.value().length > FileSystem.MAX_XATTR_BYTES) {
            throw new FsException(Errno.E2BIG, "value of " + set.value().length + " bytes");
        }
        Permissions.xattr(caller, attributes(set.ino()), set.name(), Permissions.XattrUse.SET);
        changeXattr(set.ino(), set);
    }

    void removeXattr(Caller caller, long ino, byte[] name) {
        Permissions.xattr(caller, attributes(ino), name, Permissions.XattrUse.SET);
        changeXattr(ino, new TreeMutation.RemoveXattr(ino, name));
    }

    /** The reply may tell the inode's new attributes or not. */
    private void changeXattr(long ino, Mutation mutation) {
        Reply reply = mount.master().change(mutation);
        if (reply instanceof EntryReply entry) {
            absorb(entry);
        } else {
            Await.expect(reply, Reply.Done.class);
            cache.forgetAttributes(ino);
        }
    }
}
