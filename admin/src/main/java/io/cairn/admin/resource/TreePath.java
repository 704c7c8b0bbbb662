package io.cairn.admin.resource;

import io.cairn.admin.api.Problem;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The inode of a path of bytes. Symbolic links are not followed: they are what is administered.
 *
 * @param path normal: begins with a slash, none twice, none at the end
 * @param parentIno the directory that it is in; the root for the root itself
 * @param name in that directory; null for the root
 * @param inode what it is
 */
public record TreePath(byte[] path, long parentIno, @Nullable Name name, Inode inode) {
    /** Longest path, in bytes. */
    public static final int MAX_BYTES = 1 << 14;

    /**
     * Finds what a path stands for.
     *
     * @throws Problem 404 when there is nothing; 400 when it is none
     */
    public static TreePath find(Namespace namespace, byte[] path) {
        if (path.length > MAX_BYTES) {
            throw Problem.invalid("path", "A path has at most " + MAX_BYTES + " bytes.");
        }
        ByteArrayOutputStream normal = new ByteArrayOutputStream();
        Inode at = inode(namespace.read(0, new Query.GetInode(FileSystem.ROOT_INO)), path);
        long parentIno = FileSystem.ROOT_INO;
        Name name = null;
        int begin = 0;
        while (begin < path.length) {
            int end = begin;
            while (end < path.length && path[end] != '/') {
                end++;
            }
            if (end > begin) {
                name = name(Arrays.copyOfRange(path, begin, end));
                parentIno = at.ino();
                at = inode(namespace.read(0, new Query.Lookup(parentIno, name)), path);
                normal.write('/');
                normal.write(name.bytes(), 0, name.length());
            }
            begin = end + 1;
        }
        byte[] found = name == null ? new byte[] {'/'} : normal.toByteArray();
        return new TreePath(found, parentIno, name, at);
    }

    /** Finds what an inode number stands for, by one of its paths. */
    static TreePath find(Namespace namespace, long ino) {
        Reply reply = namespace.read(0, new Query.GetPath(ino));
        if (reply instanceof Reply.BytesReply found) {
            return find(namespace, found.bytes());
        }
        throw Problem.notFound("There is no inode " + ino + ", or it has lost its last name.");
    }

    /** The path of an inode, or its number while it has no name. */
    public static String textOf(Namespace namespace, long ino) {
        return namespace.read(0, new Query.GetPath(ino)) instanceof Reply.BytesReply found
                ? text(found.bytes())
                : "inode " + ino;
    }

    /** A rule of storage classes as people write it. */
    public static String textOf(Namespace namespace, ClassRule rule) {
        return rule.text(
                rule.below() == ClassRule.EVERYWHERE ? "" : textOf(namespace, rule.below()));
    }

    private static Name name(byte[] bytes) {
        try {
            return Name.of(bytes);
        } catch (FsException e) {
            throw Problem.invalid("path", "The path is none: " + e.getMessage() + ".");
        }
    }

    private static Inode inode(Reply reply, byte[] path) {
        if (reply instanceof Reply.EntryReply entry) {
            return entry.inode();
        }
        boolean isThrough =
                reply instanceof Reply.Failure failure && failure.errno() == Errno.ENOTDIR;
        throw Problem.notFound(
                "There is no '"
                        + text(path)
                        + "'"
                        + (isThrough
                                ? ": a part of it is not a directory; links are not followed."
                                : "."));
    }

    /** The path for people. */
    public String text() {
        return text(path);
    }

    /** Bytes as text; what is not UTF-8 is replaced. */
    public static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Puts bytes into a document as text, and in hexadecimal digits when they are not UTF-8. */
    public static void put(Map<String, Object> document, String field, byte[] bytes) {
        String text = text(bytes);
        document.put(field, text);
        if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
            document.put(field + "Hex", HexFormat.of().formatHex(bytes));
        }
    }
}
