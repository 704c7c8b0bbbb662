package io.cairn.wire.master;

import io.cairn.fs.Lock;
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
}
