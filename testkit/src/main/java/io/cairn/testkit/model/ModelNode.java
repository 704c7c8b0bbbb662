package io.cairn.testkit.model;

import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An inode of the model. Plain state, guarded by the monitor of {@link ModelFileSystem}. */
final class ModelNode {
    /** The place of a name in a listing: cookie first, then bytes. */
    record Key(long cookie, Name name) implements Comparable<Key> {
        static Key of(Name name) {
            return new Key(name.cookie(), name);
        }

        @Override
        public int compareTo(Key other) {
            int order = Long.compare(cookie, other.cookie);
            return order != 0 ? order : name.compareTo(other.name);
        }
    }

    final long ino;
    final FileType type;
    final ModelContents contents = new ModelContents();
    final TreeMap<Key, ModelNode> children = new TreeMap<>();

    /** Values by name; a name is its bytes as Latin-1. */
    final TreeMap<String, byte[]> xattrs = new TreeMap<>();

    int mode;
    int uid;
    int gid;
    int nlink;
    long rdev;
    long size;
    long atimeNs;
    long mtimeNs;
    long ctimeNs;
    long birthNs;
    long version;
    int flags;

    /** Without a name since it was made, and may get one. */
    boolean linkable;

    /** Of the exclusive create that made the file, or 0. */
    long verifier;

    /** Open files; the node outlives its names while there are any. */
    int opens;

    /** Of a directory. */
    @Nullable ModelNode parent;

    /** A directory with more links shows 1. */
    int maxLinks = Integer.MAX_VALUE;

    byte[] target = new byte[0];

    ModelNode(long ino, FileType type) {
        this.ino = ino;
        this.type = type;
    }

    boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    /** Whether this is {@code other} or a directory somewhere above it. */
    boolean isAbove(ModelNode other) {
        for (ModelNode n = other; n != null; n = n.parent) {
            if (n == this) {
                return true;
            }
        }
        return false;
    }

    /** Clears setuid, and setgid where the group may execute. */
    void killPrivilege() {
        mode &= ~04000;
        if ((mode & 0010) != 0) {
            mode &= ~02000;
        }
    }

    Attributes attributes() {
        return new Attributes(
                ino,
                1,
                type,
                mode,
                isDirectory() && nlink > maxLinks ? 1 : nlink,
                uid,
                gid,
                rdev,
                size,
                contents.usedBytes(),
                atimeNs,
                mtimeNs,
                ctimeNs,
                version,
                Acls.NONE,
                birthNs,
                flags);
    }

    @Override
    public String toString() {
        return type + " " + ino + new String(target, StandardCharsets.ISO_8859_1);
    }
}
