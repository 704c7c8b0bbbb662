package io.cairn.wire;

import io.cairn.cluster.Inode;
import io.cairn.fs.Lock;

/**
 * What the master tells a client unasked, over the connection of the client's session. No reply.
 */
public sealed interface Push {
    /** The type code: first byte of the encoding. Never reused. */
    int code();

    /** Writes the fields, without the code. */
    void encode(Encoder out);

    /** A queued lock request was granted. May be lost: a client asks again after a while. */
    record LockGranted(long ino, long requestId) implements Push {
        @Override
        public int code() {
            return 1;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(requestId);
        }
    }

    /** Another session waits for this APPEND lock: commit and release it. */
    record RecallLock(long ino, Lock.Kind kind, long owner) implements Push {
        @Override
        public int code() {
            return 2;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).u8(kind.ordinal()).i64(owner);
        }
    }

    /** What the client caches of an inode is out of date. */
    record Invalidate(long ino) implements Push {
        @Override
        public int code() {
            return 3;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }
    }

    /** The cluster map has a new epoch: ask for it. */
    record MapChanged(long epoch) implements Push {
        @Override
        public int code() {
            return 4;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(epoch);
        }
    }

    /**
     * Another client has cut or lengthened a file that this one holds open: how it is now. Who has
     * answered writes and appends on top of that.
     */
    record Changed(Inode inode) implements Push {
        @Override
        public int code() {
            return 5;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.inode(out, inode);
        }
    }

    /**
     * Another client is about to move the contents of a file: commit, keep writers out, answer. Who
     * ends that by itself changes the inode first, so that a late move is refused.
     *
     * @param ms for how long, in milliseconds; 0 ends it
     */
    record HoldStill(long ino, int ms) implements Push {
        @Override
        public int code() {
            return 6;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i32(ms);
        }
    }

    /** Reads code and fields. */
    static Push decode(Decoder in) {
        int code = in.u8();
        return switch (code) {
            case 1 -> new LockGranted(in.i64(), in.i64());
            case 2 -> new RecallLock(in.i64(), Codecs.lockKind(in), in.i64());
            case 3 -> new Invalidate(in.i64());
            case 4 -> new MapChanged(in.i64());
            case 5 -> new Changed(Codecs.inode(in));
            case 6 -> new HoldStill(in.i64(), in.i32());
            default -> throw new MalformedMessageException("push code " + code);
        };
    }
}
