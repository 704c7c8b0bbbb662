package io.cairn.wire.master;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.fs.Name;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * The work of a tree job, and its tree.
 *
 * @param kind what to do
 * @param path of the tree as it was given, for people; bytes, absolute
 * @param ino the root of the tree; a file is a tree of one
 * @param parentIno the directory that the tree is in
 * @param name the name of the tree there; null for the root of the filesystem
 * @param edit what to change, for the kinds that change inodes
 * @param owner who ordered it
 * @param maxPerSecond names that the job may go through in a second
 */
public record JobOrder(
        Kind kind,
        byte[] path,
        long ino,
        long parentIno,
        @Nullable Name name,
        InodeEdit edit,
        String owner,
        int maxPerSecond) {
    /** Names a second unless somebody says otherwise. */
    public static final int STANDARD_PER_SECOND = 2000;

    /** Most names a second that can be asked for. */
    public static final int MAX_PER_SECOND = 100_000;

    /** The kinds of tree jobs. */
    public enum Kind implements Coded {
        /** Removes the tree, as {@code rm -r} does. */
        REMOVE(0),
        /** Changes owner and group, as {@code chown -R -h} does. */
        CHOWN(1),
        /** Changes permission bits, as {@code chmod -R} does. */
        CHMOD(2),
        /** Counts what is in the tree, as {@code du} does. */
        USAGE(3),
        /** Changes what directories and files ask for the layout of new contents. */
        POLICY(4),
        /** Gives files what their storage classes say. */
        CLASS(5),
        /**
         * Makes a tree like one in a snapshot, whose files share chunks with it. The inode is the
         * source, as the snapshot shows it; path, parent and name are those of the new tree.
         */
        CLONE(6);

        /** All by their codes. */
        public static final CodeTable<Kind> CODES = new CodeTable<>(values());

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    /** The same at another pace. */
    public JobOrder withMaxPerSecond(int changed) {
        return new JobOrder(kind, path, ino, parentIno, name, edit, owner, changed);
    }

    /** Writes the fields. */
    public void encode(Encoder out) {
        out.u8(kind.code()).bytes(path).i64(ino).i64(parentIno).optional(name, Encoder::name);
        edit.encode(out);
        out.text(owner).i32(maxPerSecond);
    }

    /** Reads the fields. */
    public static JobOrder decode(Decoder in) {
        return new JobOrder(
                in.coded(Kind.CODES),
                in.bytes(),
                in.i64(),
                in.i64(),
                in.optional(Decoder::name),
                InodeEdit.decode(in),
                in.text(),
                in.i32());
    }
}
