package io.cairn.wire.master;

import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Inode;
import io.cairn.cluster.MapDelta;
import io.cairn.fs.Lock;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.TypedMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A push of the master to a client, over the connection of the client's session. No reply. */
public sealed interface Push extends TypedMessage {
    @Override
    PushType type();

    /** A queued lock request was granted. May be lost: a client asks again after a while. */
    record LockGranted(long ino, long requestId) implements Push {
        @Override
        public PushType type() {
            return PushType.LOCK_GRANTED;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(requestId);
        }

        static LockGranted decode(Decoder in) {
            return new LockGranted(in.i64(), in.i64());
        }
    }

    /** Another session waits for this APPEND lock: commit and release it. */
    record RecallLock(long ino, Lock.Kind kind, long owner) implements Push {
        @Override
        public PushType type() {
            return PushType.RECALL_LOCK;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).u8(kind.code()).i64(owner);
        }

        static RecallLock decode(Decoder in) {
            return new RecallLock(in.i64(), Codecs.lockKind(in), in.i64());
        }
    }

    /** The client's cached state of an inode is out of date. */
    record Invalidate(long ino) implements Push {
        @Override
        public PushType type() {
            return PushType.INVALIDATE;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }

        static Invalidate decode(Decoder in) {
            return new Invalidate(in.i64());
        }
    }

    /**
     * The cluster map has a new epoch.
     *
     * @param delta what changed; null when that is too much for one message, so that it must be
     *     asked for
     */
    record MapChanged(long epoch, @Nullable MapDelta delta) implements Push {
        @Override
        public PushType type() {
            return PushType.MAP_CHANGED;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(epoch).optional(delta, Codecs::mapDelta);
        }

        static MapChanged decode(Decoder in) {
            return new MapChanged(in.i64(), in.optional(Codecs::mapDelta));
        }
    }

    /**
     * Another client has cut or lengthened a file that this one holds open: how it is now. A client
     * that has answered writes and appends on top of that.
     */
    record Changed(Inode inode) implements Push {
        @Override
        public PushType type() {
            return PushType.CHANGED;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.inode(out, inode);
        }

        static Changed decode(Decoder in) {
            return new Changed(Codecs.inode(in));
        }
    }

    /**
     * Another client is about to move the contents of a file: commit, keep writers out, answer. A
     * client that ends that by itself changes the inode first, so that a late move is refused.
     *
     * @param ms for how long, in milliseconds; 0 ends it
     */
    record HoldStill(long ino, int ms) implements Push {
        @Override
        public PushType type() {
            return PushType.HOLD_STILL;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i32(ms);
        }

        static HoldStill decode(Decoder in) {
            return new HoldStill(in.i64(), in.i32());
        }
    }

    /**
     * Certificates that do not count any more, for chunk servers and clients.
     *
     * @param serials their numbers, hexadecimal; names as in {@code master.m2} for all of a master
     */
    record Revoked(List<String> serials) implements Push {
        @Override
        public PushType type() {
            return PushType.REVOKED;
        }

        @Override
        public void encode(Encoder out) {
            out.list(serials, Encoder::text);
        }

        static Revoked decode(Decoder in) {
            return new Revoked(in.list(Decoder::text));
        }
    }

    /**
     * The authorities that sign certificates: one is replaced. Who has a certificate of a former
     * one asks for another.
     *
     * @param pem their certificates in PEM, the present authority first
     */
    record AuthoritiesChanged(String pem) implements Push {
        @Override
        public PushType type() {
            return PushType.AUTHORITIES_CHANGED;
        }

        @Override
        public void encode(Encoder out) {
            out.text(pem);
        }

        static AuthoritiesChanged decode(Decoder in) {
            return new AuthoritiesChanged(in.text());
        }
    }

    /**
     * A quota has changed: what was allowed before counts no more.
     *
     * @param quotas as in the reply to a KeepAlive; 0 when there is none any more
     */
    record QuotasChanged(long quotas) implements Push {
        @Override
        public PushType type() {
            return PushType.QUOTAS_CHANGED;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(quotas);
        }

        static QuotasChanged decode(Decoder in) {
            return new QuotasChanged(in.i64());
        }
    }

    /**
     * A snapshot is about to be taken: commit what was written to these files, if anything, and
     * answer. Who takes longer than some seconds is not waited for.
     */
    record CommitFiles(long[] inos) implements Push {
        @Override
        public PushType type() {
            return PushType.COMMIT_FILES;
        }

        @Override
        public void encode(Encoder out) {
            out.longs(inos);
        }

        static CommitFiles decode(Decoder in) {
            return new CommitFiles(in.longs());
        }
    }

    /**
     * There are other masters: who knows one only, which may be the next to end, shall not wait for
     * the next renewal to hear of them.
     *
     * @param masters where clients reach them
     */
    record MastersChanged(List<Endpoint> masters) implements Push {
        @Override
        public PushType type() {
            return PushType.MASTERS_CHANGED;
        }

        @Override
        public void encode(Encoder out) {
            out.list(masters, Codecs::endpoint);
        }

        static MastersChanged decode(Decoder in) {
            return new MastersChanged(in.list(Codecs::endpoint));
        }
    }

    /**
     * Somebody else asks about a directory in which this client alone makes names: tell of what was
     * made, then answer. The right has ended then.
     *
     * @param ino 0 for all directories
     */
    record RecallNames(long ino) implements Push {
        @Override
        public PushType type() {
            return PushType.RECALL_NAMES;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }

        static RecallNames decode(Decoder in) {
            return new RecallNames(in.i64());
        }
    }

    /** Reads code and fields. */
    static Push decode(Decoder in) {
        return PushType.TABLE.require(in.u8()).decode(in);
    }
}
