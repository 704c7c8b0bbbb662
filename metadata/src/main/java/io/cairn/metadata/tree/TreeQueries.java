package io.cairn.metadata.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.Acl;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.inode.InodeQueries;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.DirectoryReply;
import io.cairn.wire.master.Reply.EntryReply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Queries about names and directories. Pure functions. */
public final class TreeQueries {
    /** A directory page ends before it exceeds this, so that it fits into a frame. */
    static final int MAX_PAGE_BYTES = Limits.MAX_HEADER_BYTES / 2;

    private static final int ENTRY_BYTES = 32;
    private static final int ATTRIBUTES_BYTES = 104;
    private static final int ACL_ENTRY_BYTES = 6;

    private TreeQueries() {}

    /** The stored dentry of a name, or null; the trash has one though none is stored. */
    private static byte @Nullable [] dentry(View view, long parentIno, Name name) {
        if (TrashPlace.isItself(parentIno, name)) {
            return Keys.value(18)
                    .i64(0)
                    .u8(FileType.DIRECTORY.code())
                    .i64(TrashPlace.INO)
                    .toBytes();
        }
        return view.get(Family.DENTRY, Keys.dentry(parentIno, name));
    }

    public static Reply lookup(View view, Query.Lookup q) {
        Inode parent = InodeTable.liveDirectory(InodeQueries.require(view, q.parentIno()));
        byte[] value = dentry(view, q.parentIno(), q.name());
        if (value == null) {
            return new Reply.Absent(parent.directoryState());
        }
        Inode inode = InodeQueries.require(view, Dentry.decode(value).ino());
        return new EntryReply(inode, parent.directoryState(), null, null);
    }

    /** Those of the names that exist, in the order asked for, until a page is full. */
    public static DirectoryReply lookupMany(View view, Query.LookupMany q) {
        Inode parent = InodeTable.liveDirectory(InodeQueries.require(view, q.parentIno()));
        if (q.names().size() > Limits.MAX_PAGE_ENTRIES) {
            throw new FsException(Errno.EINVAL, q.names().size() + " names at once");
        }
        Page page = new Page(view, q.names().size(), true);
        for (Name name : q.names()) {
            byte[] value = dentry(view, q.parentIno(), name);
            if (page.bytes > MAX_PAGE_BYTES) {
                break;
            }
            if (value != null) {
                page.add(name, name.cookie(), value);
            }
        }
        return new DirectoryReply(parent.directoryState(), page.entries, false);
    }

    /** A page, in the order of the cookies. It never ends between entries of one cookie. */
    public static DirectoryReply readDirectory(View view, Query.ReadDirectory q) {
        Inode directory = InodeQueries.require(view, q.ino());
        if (!directory.attributes().isDirectory()) {
            throw new FsException(Errno.ENOTDIR, "inode " + q.ino() + " is not a directory");
        }
        if (q.cookie() < 0) {
            throw new FsException(Errno.EINVAL, "cookie " + q.cookie());
        }
        if (q.cookie() == Long.MAX_VALUE) {
            return new DirectoryReply(directory.directoryState(), List.of(), true);
        }
        Page page = new Page(view, q.maxEntries(), q.withAttributes());
        view.scan(Family.DENTRY, Keys.of(q.ino()), Keys.of(q.ino(), q.cookie() + 1), page::accept);
        return new DirectoryReply(directory.directoryState(), page.entries, !page.isFull);
    }

    /** A directory page while it grows. */
    private static final class Page {
        private final View view;
        private final List<DirectoryEntry> entries = new ArrayList<>();
        private final boolean withAttributes;
        private final int maxEntries;
        private int bytes;
        private long lastCookie = -1;
        private boolean isFull;

        Page(View view, int maxEntries, boolean withAttributes) {
            this.view = view;
            this.withAttributes = withAttributes;
            this.maxEntries = Math.clamp(maxEntries, 1, Limits.MAX_PAGE_ENTRIES);
        }

        boolean accept(byte[] key, byte[] value) {
            return add(Keys.nameOf(key), Keys.numberAt(key, 8), value);
        }

        boolean add(Name name, long cookie, byte[] value) {
            if (cookie != lastCookie && (entries.size() >= maxEntries || bytes > MAX_PAGE_BYTES)) {
                isFull = true;
                return false;
            }
            lastCookie = cookie;
            Dentry dentry = Dentry.decode(value);
            Attributes attributes =
                    withAttributes ? InodeQueries.require(view, dentry.ino()).attributes() : null;
            entries.add(new DirectoryEntry(name, cookie, dentry.ino(), dentry.type(), attributes));
            bytes += ENTRY_BYTES + name.length() + (attributes == null ? 0 : bytesOf(attributes));
            return true;
        }
    }

    private static int bytesOf(Attributes attributes) {
        Acls acls = attributes.acls();
        return ATTRIBUTES_BYTES
                + ACL_ENTRY_BYTES * (entries(acls.access()) + entries(acls.inherited()));
    }

    private static int entries(@Nullable Acl acl) {
        return acl == null ? 0 : acl.entries().size();
    }

    /** The key of the dentry at the home of an inode; ESTALE, ENOENT when it has no name. */
    public static byte[] dentryOf(View view, long ino) {
        if (ino == TrashPlace.INO) {
            return Keys.dentry(FileSystem.ROOT_INO, TrashPlace.NAME);
        }
        Inode inode = InodeQueries.require(view, ino);
        List<byte[]> found = new ArrayList<>(1);
        byte[] prefix = Keys.of(inode.parentIno(), inode.nameCookie());
        if (inode.attributes().nlink() > 0) {
            view.scan(
                    Family.DENTRY,
                    prefix,
                    prefix,
                    (key, value) -> {
                        if (Dentry.decode(value).ino() == ino) {
                            found.add(key);
                        }
                        return found.isEmpty();
                    });
        }
        if (found.isEmpty()) {
            throw new FsException(Errno.ENOENT, "inode " + ino + " has no name");
        }
        return found.getFirst();
    }
}
