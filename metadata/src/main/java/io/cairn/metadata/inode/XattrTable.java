package io.cairn.metadata.inode;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.Limits;
import org.jspecify.annotations.Nullable;

/**
 * The extended attributes. A head record per inode keeps their number and size, so that an inode
 * without any costs nothing. Belongs to the apply thread.
 */
public final class XattrTable {
    /** XATTR_NAME_MAX of Linux. */
    static final int MAX_NAME_BYTES = 255;

    /** XATTR_LIST_MAX of Linux: all names, each with its terminating NUL. */
    static final int MAX_LIST_BYTES = 65_536;

    /** The attributes of an inode; names count with their terminating NUL. */
    private record Head(int count, long nameBytes, long valueBytes) {
        static final Head NONE = new Head(0, 0, 0);

        static Head decode(byte[] value) {
            Decoder in = Keys.openOfTree(Family.XATTR, value);
            return new Head(in.i32(), in.i64(), in.i64());
        }

        void encode(Encoder out) {
            out.i32(count).i64(nameBytes).i64(valueBytes);
        }

        Head plus(int number, long names, long values) {
            return new Head(count + number, nameBytes + names, valueBytes + values);
        }
    }

    private final Transaction transaction;

    public XattrTable(Transaction transaction) {
        this.transaction = transaction;
    }

    /** The value of an attribute, or null. */
    public byte @Nullable [] find(long ino, byte[] name) {
        requireName(name);
        byte[] stored = transaction.get(Family.XATTR, Keys.xattr(ino, name));
        return stored == null ? null : valueOf(stored);
    }

    /** Sets an attribute of an inode that exists; errors as setxattr(2). */
    public void set(long ino, byte[] name, byte[] value, int flags) {
        requireName(name);
        if (value.length > FileSystem.MAX_XATTR_BYTES) {
            throw new FsException(Errno.E2BIG, "attribute value of " + value.length + " bytes");
        }
        if ((flags & ~(FileSystem.XATTR_CREATE | FileSystem.XATTR_REPLACE)) != 0) {
            throw new FsException(Errno.EINVAL, "setxattr flags " + flags);
        }
        byte[] key = Keys.xattr(ino, name);
        byte[] old = transaction.get(Family.XATTR, key);
        if (old != null && (flags & FileSystem.XATTR_CREATE) != 0) {
            throw new FsException(Errno.EEXIST, "inode " + ino + " has this attribute");
        }
        if (old == null && (flags & FileSystem.XATTR_REPLACE) != 0) {
            throw missing(ino);
        }
        Head head = head(ino);
        head =
                old == null
                        ? head.plus(1, name.length + 1, value.length)
                        : head.plus(0, 0, value.length - valueOf(old).length);
        if (head.nameBytes > MAX_LIST_BYTES
                || head.nameBytes + head.valueBytes > Limits.MAX_XATTR_TOTAL_BYTES) {
            throw new FsException(
                    Errno.ENOSPC, "the attributes of inode " + ino + " would be too big");
        }
        transaction
                .records()
                .put(
                        Family.XATTR,
                        key,
                        transaction
                                .records()
                                .begin(value.length)
                                .raw(value, 0, value.length)
                                .toBytes());
        putHead(ino, head);
    }

    /** Removes an attribute of an inode that exists; ENODATA. */
    public void remove(long ino, byte[] name) {
        requireName(name);
        byte[] key = Keys.xattr(ino, name);
        byte[] old = transaction.get(Family.XATTR, key);
        if (old == null) {
            throw missing(ino);
        }
        transaction.records().delete(Family.XATTR, key);
        putHead(ino, head(ino).plus(-1, -name.length - 1, -valueOf(old).length));
    }

    /** Removes all attributes of an inode. */
    void removeAll(long ino) {
        if (head(ino).count > 0) {
            for (byte[] key : transaction.keys(Family.XATTR, Keys.of(ino))) {
                transaction.records().delete(Family.XATTR, key);
            }
        }
    }

    /** Gives an inode the attributes of another one, in place of its own. */
    void copyAll(long fromIno, long toIno) {
        removeAll(toIno);
        Head head = head(fromIno);
        if (head.count == 0) {
            return;
        }
        for (byte[] key : transaction.keys(Family.XATTR, Keys.of(fromIno))) {
            byte[] name = Keys.xattrNameOf(key);
            byte[] stored = name.length == 0 ? null : transaction.get(Family.XATTR, key);
            if (stored != null) {
                putCopy(toIno, name, stored);
            }
        }
        putHead(toIno, head);
    }

    /** Gives a new inode the attributes that one had in the past. */
    void copyAll(View past, long fromIno, long toIno) {
        byte[] prefix = Keys.of(fromIno);
        past.scan(
                Family.XATTR,
                prefix,
                prefix,
                (key, stored) -> {
                    byte[] name = Keys.xattrNameOf(key);
                    if (name.length == 0) {
                        putHead(toIno, Head.decode(stored));
                    } else {
                        putCopy(toIno, name, stored);
                    }
                    return true;
                });
    }

    private void putCopy(long ino, byte[] name, byte[] stored) {
        byte[] value = valueOf(stored);
        Encoder out = transaction.records().begin(value.length);
        byte[] copy = out.raw(value, 0, value.length).toBytes();
        transaction.records().put(Family.XATTR, Keys.xattr(ino, name), copy);
    }

    /** The contents in the value of an attribute's key. */
    public static byte[] valueOf(byte[] stored) {
        Decoder in = Keys.openOfTree(Family.XATTR, stored);
        return in.raw(in.remaining());
    }

    /** ERANGE for an impossible length, EINVAL for a NUL. */
    public static void requireName(byte[] name) {
        if (name.length == 0 || name.length > MAX_NAME_BYTES) {
            throw new FsException(Errno.ERANGE, "attribute name of " + name.length + " bytes");
        }
        for (byte b : name) {
            if (b == 0) {
                throw new FsException(Errno.EINVAL, "attribute name with a NUL");
            }
        }
    }

    public static FsException missing(long ino) {
        return new FsException(Errno.ENODATA, "inode " + ino + " has no such attribute");
    }

    /**
     * Describes what is wrong with the keys of one inode's attributes: the head record and the sums
     * over the others; null when nothing is.
     */
    public static @Nullable String violation(byte @Nullable [] storedHead, int count, long[] sums) {
        Head head = storedHead == null ? Head.NONE : Head.decode(storedHead);
        Head found = new Head(count, sums[0], sums[1]);
        return head.equals(found) ? null : "head says " + head + ", found " + found;
    }

    private Head head(long ino) {
        byte[] value = transaction.get(Family.XATTR, Keys.of(ino));
        return value == null ? Head.NONE : Head.decode(value);
    }

    private void putHead(long ino, Head head) {
        if (head.count == 0) {
            transaction.records().delete(Family.XATTR, Keys.of(ino));
        } else {
            Encoder out = transaction.records().begin(20);
            head.encode(out);
            transaction.records().put(Family.XATTR, Keys.of(ino), out.toBytes());
        }
    }
}
