package io.cairn.wire.master;

import io.cairn.fs.AttributeChange;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/** The mutations of sessions and their locks. */
public sealed interface SessionMutation extends Mutation {
    /**
     * Sets, changes or removes a lock of this session. With {@code queue} a conflicting request is
     * queued: the reply says QUEUED and a push follows when it was granted.
     *
     * @param requestId names the queued request within the session, for {@link CancelLock} and the
     *     push
     */
    record SetLock(long ino, Lock lock, boolean queue, long requestId) implements SessionMutation {
        @Override
        public MutationType type() {
            return MutationType.SET_LOCK;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
            Codecs.lock(out, lock);
            out.bool(queue).i64(requestId);
        }

        /** A release is not withdrawn, and the append token is for all writers of a mount. */
        @Override
        public boolean isCancellable() {
            return lock.mode() != Lock.Mode.UNLOCK && lock.kind() != Lock.Kind.APPEND;
        }

        static SetLock decode(Decoder in) {
            return new SetLock(in.i64(), Codecs.lock(in), in.bool(), in.i64());
        }
    }

    /** Takes a queued lock request back; a lock already granted to it is released. Idempotent. */
    record CancelLock(long ino, long requestId) implements SessionMutation {
        @Override
        public MutationType type() {
            return MutationType.CANCEL_LOCK;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(requestId);
        }

        static CancelLock decode(Decoder in) {
            return new CancelLock(in.i64(), in.i64());
        }
    }

    /** Releases all locks of one kind and owner of this session on an inode. Idempotent. */
    record ReleaseLocks(long ino, Lock.Kind kind, long owner) implements SessionMutation {
        @Override
        public MutationType type() {
            return MutationType.RELEASE_LOCKS;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).u8(kind.code()).i64(owner);
        }

        static ReleaseLocks decode(Decoder in) {
            return new ReleaseLocks(in.i64(), Codecs.lockKind(in), in.i64());
        }
    }

    /**
     * Begins a session; the envelope's session is 0 and its sequence a random number of the client,
     * so that a retry finds the session made by the first try.
     *
     * @param client what operators see, such as {@code host:/mountpoint pid}
     */
    record OpenSession(String client) implements SessionMutation {
        @Override
        public MutationType type() {
            return MutationType.OPEN_SESSION;
        }

        @Override
        public void encode(Encoder out) {
            out.text(client);
        }

        static OpenSession decode(Decoder in) {
            return new OpenSession(in.text());
        }
    }

    /**
     * Ends a session: its locks and remembered replies go. From the client itself, or from the
     * leader.
     */
    record CloseSession(long session) implements SessionMutation {
        @Override
        public MutationType type() {
            return MutationType.CLOSE_SESSION;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(session);
        }

        static CloseSession decode(Decoder in) {
            return new CloseSession(in.i64());
        }
    }

    /**
     * Reserves inode numbers for {@link MakeFile}, and asks for the right to make names in a
     * directory alone. While too many reserved numbers are unused it gets none: then it gives all
     * back. BytesReply, with {@link Reserved}. EPERM when there is no right to this directory now,
     * EOPNOTSUPP when there is none to any: then nothing was reserved.
     *
     * @param directoryIno 0 for numbers alone; {@link #ALL_BACK} to give all numbers back
     * @param wantsNumbers false for the right alone
     */
    record ReserveNumbers(long directoryIno, boolean wantsNumbers) implements SessionMutation {
        /** In the place of a directory: the session uses none of its numbers any more. */
        public static final long ALL_BACK = -1;

        @Override
        public MutationType type() {
            return MutationType.RESERVE_NUMBERS;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(directoryIno).bool(wantsNumbers);
        }

        static ReserveNumbers decode(Decoder in) {
            return new ReserveNumbers(in.i64(), in.bool());
        }
    }

    /**
     * What was reserved.
     *
     * @param firstIno the first number; 0 when none was wanted, or the session has too many
     * @param count how many there are
     * @param isDelegated whether the session alone makes names in the directory until it is told
     *     otherwise; the leader decides that, not the state
     */
    record Reserved(long firstIno, int count, boolean isDelegated) {
        /** As a reply. */
        public Reply.BytesReply reply() {
            Encoder out = new Encoder(13);
            out.i64(firstIno).i32(count).bool(isDelegated);
            return new Reply.BytesReply(out.toBytes());
        }

        /** Of a reply. */
        public static Reserved of(Reply.BytesReply reply) {
            Decoder in = new Decoder(reply.bytes());
            return new Reserved(in.i64(), in.i32(), in.bool());
        }
    }

    /** Is done only with an inode number that the session has reserved and not used. */
    sealed interface Numbered extends Mutation {
        /** The number. */
        long ino();
    }

    /**
     * Makes a regular file under a number that the session has reserved, writes its contents into
     * the inode and sets its attributes: all or nothing. A client that alone may make names in a
     * directory tells so of a new file once, when it is closed. EEXIST when the name exists, EINVAL
     * unless the number is reserved and unused, and {@link AttributeChange#fitsWrite}. EntryReply,
     * with the inode without its contents.
     *
     * @param create of a regular file without a verifier; its inline bytes are the contents
     * @param ino a number of {@link ReserveNumbers}
     * @param timeNs when it was last read and written, unless {@code change} says so
     * @param change set after the contents were written
     */
    record MakeFile(TreeMutation.Create create, long ino, long timeNs, AttributeChange change)
            implements Numbered {
        @Override
        public MutationType type() {
            return MutationType.MAKE_FILE;
        }

        @Override
        public void encode(Encoder out) {
            create.encode(out);
            out.i64(ino).i64(timeNs);
            Codecs.attributeChange(out, change);
        }

        @Override
        public int expectedBytes() {
            return Encoder.EXPECTED_BYTES + create.inline().length;
        }

        /** For names and open files it is the creation. */
        @Override
        public Mutation unwrapped() {
            return create;
        }

        static MakeFile decode(Decoder in) {
            return new MakeFile(
                    TreeMutation.Create.decode(in), in.i64(), in.i64(), Codecs.attributeChange(in));
        }
    }

    /**
     * Makes a directory under a number that the session has reserved. So a client can ask for the
     * right to make names in it before it is there, and both go into one entry of the log. Fails as
     * {@link TreeMutation.Mkdir}, and with EINVAL unless the number is reserved and unused.
     * EntryReply.
     *
     * @param ino a number of {@link ReserveNumbers}
     */
    record MakeDirectory(TreeMutation.Mkdir mkdir, long ino) implements Numbered {
        @Override
        public MutationType type() {
            return MutationType.MAKE_DIRECTORY;
        }

        @Override
        public void encode(Encoder out) {
            mkdir.encode(out);
            out.i64(ino);
        }

        /** For names it is the making of any directory. */
        @Override
        public Mutation unwrapped() {
            return mkdir;
        }

        static MakeDirectory decode(Decoder in) {
            return new MakeDirectory(TreeMutation.Mkdir.decode(in), in.i64());
        }
    }

    /**
     * Takes a name away for a client that has answered so already, as it alone may change names in
     * the directory. Fails as {@link TreeMutation.Unlink} or {@link TreeMutation.Rmdir}, and with
     * EINVAL when the number is not reserved any more: then that right was taken from the client
     * meanwhile ({@link LeaderMutation.TakeRights}), and others may have changed the name.
     *
     * @param ino the last one of numbers that {@link ReserveNumbers} gave; it stays unused
     */
    record RemoveEarly(long parentIno, Name name, boolean isDirectory, long ino)
            implements Numbered {
        @Override
        public MutationType type() {
            return MutationType.REMOVE_EARLY;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(parentIno).name(name).bool(isDirectory).i64(ino);
        }

        /** For names it is a removal like any other. */
        @Override
        public TreeMutation unwrapped() {
            return isDirectory
                    ? new TreeMutation.Rmdir(parentIno, name)
                    : new TreeMutation.Unlink(parentIno, name);
        }

        static RemoveEarly decode(Decoder in) {
            return new RemoveEarly(in.i64(), in.name(), in.bool(), in.i64());
        }
    }
}
