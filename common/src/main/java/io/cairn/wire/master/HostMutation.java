package io.cairn.wire.master;

import io.cairn.fs.HostContact;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/**
 * The mutations of locks that belong to machines behind gateways ({@link io.cairn.fs.HostLocks}).
 * The session of the envelope is the gateway's: it hears of grants, and what it awaits for its
 * machines is forgotten with it; what they hold is not.
 */
public sealed interface HostMutation extends Mutation {
    /**
     * Sets, changes or removes a lock of a machine. LockReply. A machine that tells a younger state
     * than before has gone down in between: what it held before then is released first.
     *
     * @param queue whether a conflicting request waits; a push follows when it was granted
     * @param requestId names the request that waits, among those of all gateways
     */
    record SetHostLock(HostContact from, long ino, Lock lock, boolean queue, long requestId)
            implements HostMutation {
        @Override
        public MutationType type() {
            return MutationType.SET_HOST_LOCK;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.hostContact(out, from);
            out.i64(ino);
            Codecs.lock(out, lock);
            out.bool(queue).i64(requestId);
        }

        static SetHostLock decode(Decoder in) {
            return new SetHostLock(
                    Codecs.hostContact(in), in.i64(), Codecs.lock(in), in.bool(), in.i64());
        }
    }

    /** Takes a request back; a lock already granted to it is released. Done. Idempotent. */
    record CancelHostLock(LockHost host, long ino, long requestId) implements HostMutation {
        @Override
        public MutationType type() {
            return MutationType.CANCEL_HOST_LOCK;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.lockHost(out, host);
            out.i64(ino).i64(requestId);
        }

        static CancelHostLock decode(Decoder in) {
            return new CancelHostLock(Codecs.lockHost(in), in.i64(), in.i64());
        }
    }

    /**
     * Releases and forgets everything of a machine. Done. Idempotent.
     *
     * @param exceptState nothing happens when the machine was last heard in this state; 0 for none
     */
    record ReleaseHost(LockHost host, int exceptState) implements HostMutation {
        @Override
        public MutationType type() {
            return MutationType.RELEASE_HOST;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.lockHost(out, host);
            out.i32(exceptState);
        }

        static ReleaseHost decode(Decoder in) {
            return new ReleaseHost(Codecs.lockHost(in), in.i32());
        }
    }

    /** Gives the next state number for telling machines: HostsReply without hosts. */
    record TakeNotifyState() implements HostMutation {
        @Override
        public MutationType type() {
            return MutationType.TAKE_NOTIFY_STATE;
        }

        @Override
        public void encode(Encoder out) {}

        static TakeNotifyState decode(Decoder in) {
            return new TakeNotifyState();
        }
    }
}
