package io.cairn.wire.master;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;

/** The mutations of the tree: names, attributes, extended attributes, policies. */
public sealed interface TreeMutation extends Mutation {
    /** Hears which names a mutation changes. */
    interface NameChanges {
        /** A name is there now, or is another one's. */
        void made(long directoryIno, Name name);

        /** A name is there no more; a whiteout may have taken its place. */
        void removed(long directoryIno, Name name);

        /** A name is another one's now. */
        void exchanged(long directoryIno);
    }

    /** Tells the names that it changes when it succeeds. */
    void tellNames(NameChanges changes);

    /**
     * Makes a file, FIFO, socket or device. EEXIST when the name exists, unless {@code orExisting}
     * and it is a regular file: then that one is returned unchanged. The gid and setgid rules of
     * the parent apply.
     *
     * @param inline first contents of a regular file (normally empty), at most the inline limit
     * @param verifier NFS exclusive create: an existing file with the same non-zero verifier is
     *     returned
     * @param open whether the session holds a regular file open from now on
     */
    record Create(
            long parentIno,
            Name name,
            FileType fileType,
            int mode,
            int uid,
            int gid,
            long rdev,
            boolean orExisting,
            long verifier,
            byte[] inline,
            boolean open)
            implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.CREATE;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(parentIno).name(name).u8(fileType.code()).i32(mode).i32(uid).i32(gid).i64(rdev);
            out.bool(orExisting).i64(verifier).bytes(inline).bool(open);
        }

        @Override
        public void tellNames(NameChanges changes) {
            changes.made(parentIno, name);
        }

        static Create decode(Decoder in) {
            return new Create(
                    in.i64(),
                    in.name(),
                    Codecs.fileType(in),
                    in.i32(),
                    in.i32(),
                    in.i32(),
                    in.i64(),
                    in.bool(),
                    in.i64(),
                    in.bytes(),
                    in.bool());
        }
    }

    /** Makes a directory. */
    record Mkdir(long parentIno, Name name, int mode, int uid, int gid) implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.MKDIR;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(parentIno).name(name).i32(mode).i32(uid).i32(gid);
        }

        @Override
        public void tellNames(NameChanges changes) {
            changes.made(parentIno, name);
        }

        static Mkdir decode(Decoder in) {
            return new Mkdir(in.i64(), in.name(), in.i32(), in.i32(), in.i32());
        }
    }

    /** Makes a symbolic link. */
    record Symlink(long parentIno, Name name, byte[] target, int uid, int gid)
            implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.SYMLINK;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(parentIno).name(name).bytes(target).i32(uid).i32(gid);
        }

        @Override
        public void tellNames(NameChanges changes) {
            changes.made(parentIno, name);
        }

        static Symlink decode(Decoder in) {
            return new Symlink(in.i64(), in.name(), in.bytes(), in.i32(), in.i32());
        }
    }

    /** Makes a hard link. */
    record Link(long ino, long newParentIno, Name newName) implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.LINK;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(newParentIno).name(newName);
        }

        @Override
        public void tellNames(NameChanges changes) {
            changes.made(newParentIno, newName);
        }

        static Link decode(Decoder in) {
            return new Link(in.i64(), in.i64(), in.name());
        }
    }

    /** Removes a name of anything but a directory; with its last name it becomes an orphan. */
    record Unlink(long parentIno, Name name) implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.UNLINK;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(parentIno).name(name);
        }

        @Override
        public void tellNames(NameChanges changes) {
            changes.removed(parentIno, name);
        }

        static Unlink decode(Decoder in) {
            return new Unlink(in.i64(), in.name());
        }
    }

    /** Removes an empty directory. */
    record Rmdir(long parentIno, Name name) implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.RMDIR;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(parentIno).name(name);
        }

        @Override
        public void tellNames(NameChanges changes) {
            changes.removed(parentIno, name);
        }

        static Rmdir decode(Decoder in) {
            return new Rmdir(in.i64(), in.name());
        }
    }

    /**
     * Renames; flags as in renameat2(2).
     *
     * @param uid who owns a whiteout that is left behind; else of no meaning
     * @param gid its group
     */
    record Rename(
            long parentIno, Name name, long newParentIno, Name newName, int flags, int uid, int gid)
            implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.RENAME;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(parentIno).name(name).i64(newParentIno).name(newName).i32(flags);
            out.i32(uid).i32(gid);
        }

        @Override
        public void tellNames(NameChanges changes) {
            if ((flags & FileSystem.RENAME_EXCHANGE) != 0) {
                changes.exchanged(parentIno);
            } else {
                changes.removed(parentIno, name);
            }
            changes.made(newParentIno, newName);
        }

        static Rename decode(Decoder in) {
            return new Rename(
                    in.i64(), in.name(), in.i64(), in.name(), in.i32(), in.i32(), in.i32());
        }
    }

    /**
     * Makes a regular file without a name, which the session holds open from now on. The directory
     * is not changed; its gid, lists and policy count as for a file that is made in it.
     *
     * @param linkable whether {@link Link} may give it its first name
     */
    record CreateUnnamed(long parentIno, int mode, int uid, int gid, boolean linkable)
            implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.CREATE_UNNAMED;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(parentIno).i32(mode).i32(uid).i32(gid).bool(linkable);
        }

        @Override
        public void tellNames(NameChanges changes) {}

        static CreateUnnamed decode(Decoder in) {
            return new CreateUnnamed(in.i64(), in.i32(), in.i32(), in.i32(), in.bool());
        }
    }

    /** Changes attributes, the size included. */
    record SetAttributes(long ino, AttributeChange change) implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.SET_ATTRIBUTES;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
            Codecs.attributeChange(out, change);
        }

        /** Not when it depends on a time that it may have changed itself. */
        @Override
        public boolean isRepeatable() {
            return !change.has(AttributeChange.GUARD);
        }

        @Override
        public void tellNames(NameChanges changes) {}

        static SetAttributes decode(Decoder in) {
            return new SetAttributes(in.i64(), Codecs.attributeChange(in));
        }
    }

    /**
     * Writes into the inode, then sets attributes of the same inode, both or nothing. EINVAL unless
     * {@link AttributeChange#fitsWrite}, EOPNOTSUPP for a new owner while there are quotas.
     */
    record WriteAndSet(ContentMutation.WriteInline write, AttributeChange change)
            implements TreeMutation {
        /** The second part alone. */
        public SetAttributes set() {
            return new SetAttributes(write.ino(), change);
        }

        /** The reply after both parts were done. */
        public Reply.WrittenReply reply(Reply.WrittenReply written, Reply.EntryReply set) {
            Inode after = set.inode();
            return new Reply.WrittenReply(
                    written.versionBefore(), after.withContents(after.layout(), null));
        }

        @Override
        public MutationType type() {
            return MutationType.WRITE_AND_SET;
        }

        @Override
        public void encode(Encoder out) {
            write.encode(out);
            Codecs.attributeChange(out, change);
        }

        @Override
        public void tellNames(NameChanges changes) {}

        static WriteAndSet decode(Decoder in) {
            return new WriteAndSet(
                    ContentMutation.WriteInline.decode(in), Codecs.attributeChange(in));
        }
    }

    /** Sets an extended attribute; flags as in setxattr(2). */
    record SetXattr(long ino, byte[] name, byte[] value, int flags) implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.SET_XATTR;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).bytes(name).bytes(value).i32(flags);
        }

        /** Not when the attribute must be there, or must not. */
        @Override
        public boolean isRepeatable() {
            return flags == 0;
        }

        @Override
        public void tellNames(NameChanges changes) {}

        static SetXattr decode(Decoder in) {
            return new SetXattr(in.i64(), in.bytes(), in.bytes(), in.i32());
        }
    }

    /** Sets an extended attribute if it has the expected value; else ECANCELED. */
    record ReplaceXattr(long ino, byte[] name, byte[] expected, byte[] value)
            implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.REPLACE_XATTR;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).bytes(name).bytes(expected).bytes(value);
        }

        @Override
        public void tellNames(NameChanges changes) {}

        static ReplaceXattr decode(Decoder in) {
            return new ReplaceXattr(in.i64(), in.bytes(), in.bytes(), in.bytes());
        }
    }

    /** Removes an extended attribute. */
    record RemoveXattr(long ino, byte[] name) implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.REMOVE_XATTR;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).bytes(name);
        }

        @Override
        public void tellNames(NameChanges changes) {}

        static RemoveXattr decode(Decoder in) {
            return new RemoveXattr(in.i64(), in.bytes());
        }
    }

    /**
     * Does another mutation of the tree or of contents, and tells the inodes that NFS asks about as
     * they were right before it: the directories whose names it changes, else the inode itself.
     */
    record Witnessed(Mutation mutation) implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.WITNESSED;
        }

        @Override
        public void encode(Encoder out) {
            mutation.write(out);
        }

        @Override
        public void tellNames(NameChanges changes) {
            if (mutation instanceof TreeMutation change) {
                change.tellNames(changes);
            }
        }

        static Witnessed decode(Decoder in) {
            int code = in.u8();
            if (code == MutationType.WITNESSED.code()) {
                throw new MalformedMessageException("a witnessed mutation in another one");
            }
            Mutation inner = Mutation.decode(code, in);
            if (!(inner instanceof TreeMutation) && !(inner instanceof ContentMutation)) {
                throw new MalformedMessageException("nobody witnesses mutation " + code);
            }
            return new Witnessed(inner);
        }

        @Override
        public Mutation unwrapped() {
            return mutation;
        }

        @Override
        public boolean isRepeatable() {
            return mutation.isRepeatable();
        }

        @Override
        public boolean needsRoom() {
            return mutation.needsRoom();
        }

        @Override
        public boolean isCancellable() {
            return mutation.isCancellable();
        }

        /** The inodes whose attributes are told. */
        public long[] inos() {
            return switch (mutation) {
                case Create m -> new long[] {m.parentIno()};
                case Mkdir m -> new long[] {m.parentIno()};
                case Symlink m -> new long[] {m.parentIno()};
                case Link m -> new long[] {m.newParentIno()};
                case Unlink m -> new long[] {m.parentIno()};
                case Rmdir m -> new long[] {m.parentIno()};
                case Rename m ->
                        m.parentIno() == m.newParentIno()
                                ? new long[] {m.parentIno()}
                                : new long[] {m.parentIno(), m.newParentIno()};
                case SetAttributes m -> new long[] {m.ino()};
                case SetXattr m -> new long[] {m.ino()};
                case RemoveXattr m -> new long[] {m.ino()};
                case ContentMutation.CommitSize m -> new long[] {m.ino()};
                case CreateUnnamed _, WriteAndSet _, ReplaceXattr _, SetPolicy _, Witnessed _ ->
                        new long[] {};
                case ContentMutation _,
                        ContentMutation.SharingMutation _,
                        SessionMutation.Numbered _,
                        SessionMutation _,
                        HostMutation _,
                        LeaderMutation _ ->
                        new long[] {};
            };
        }
    }

    /**
     * Sets the policy of a directory (for what is made in it later) or of a file. A file without
     * contents in chunks takes the new layout at once; for others ESTALE tells the client to move
     * the contents ({@link ContentMutation.SwapContents}).
     */
    record SetPolicy(long ino, Policy policy) implements TreeMutation {
        @Override
        public MutationType type() {
            return MutationType.SET_POLICY;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
            Codecs.policy(out, policy);
        }

        @Override
        public void tellNames(NameChanges changes) {}

        static SetPolicy decode(Decoder in) {
            return new SetPolicy(in.i64(), Codecs.policy(in));
        }
    }
}
