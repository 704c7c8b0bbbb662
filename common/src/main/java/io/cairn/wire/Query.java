package io.cairn.wire;

import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.fs.Name;

/**
 * A request that the leader answers from its applied state without logging anything. Travels after
 * a session number (0 = without a session; not for OPEN, RELEASE and KEEP_ALIVE).
 */
public sealed interface Query {
    /** The type code: first byte of the encoding. Never reused. */
    int code();

    /** Writes the fields, without the code. */
    void encode(Encoder out);

    /** A name in a directory: EntryReply with the inode and the parent, or Absent. */
    record Lookup(long parentIno, Name name) implements Query {
        @Override
        public int code() {
            return 1;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(parentIno).name(name);
        }
    }

    /** An inode: EntryReply without a parent. */
    record GetInode(long ino) implements Query {
        @Override
        public int code() {
            return 2;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }
    }

    /** A page of a directory after a cookie: DirectoryReply. */
    record ReadDirectory(long ino, long cookie, int maxEntries, boolean withAttributes)
            implements Query {
        @Override
        public int code() {
            return 3;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(cookie).i32(maxEntries).bool(withAttributes);
        }
    }

    /** The value of an extended attribute: BytesReply. */
    record GetXattr(long ino, byte[] name) implements Query {
        @Override
        public int code() {
            return 4;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).bytes(name);
        }
    }

    /** The names of the extended attributes: NamesReply. */
    record ListXattr(long ino) implements Query {
        @Override
        public int code() {
            return 5;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }
    }

    /** A lock that conflicts with a wanted one of this session: LockReply. */
    record TestLock(long ino, Lock wanted) implements Query {
        @Override
        public int code() {
            return 6;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
            Codecs.lock(out, wanted);
        }
    }

    /** Capacity: UsageReply. */
    record GetUsage() implements Query {
        @Override
        public int code() {
            return 7;
        }

        @Override
        public void encode(Encoder out) {}
    }

    /** The cluster map if its epoch is above {@code knownEpoch}: MapReply. */
    record GetMap(long knownEpoch) implements Query {
        @Override
        public int code() {
            return 8;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(knownEpoch);
        }
    }

    /**
     * The session holds an inode open from now on, once more: EntryReply. ESTALE for an orphan it
     * does not hold.
     */
    record Open(long ino) implements Query {
        @Override
        public int code() {
            return 9;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }
    }

    /** The session no longer holds these inodes open (one count each): Done. */
    record Release(long[] inos) implements Query {
        @Override
        public int code() {
            return 10;
        }

        @Override
        public void encode(Encoder out) {
            out.longs(inos);
        }
    }

    /**
     * Renews the lease; on a new connection also tells all inodes that the session holds open, once
     * per count. Binds the connection to the session for pushes. SessionReply; NO_SESSION when it
     * has ended.
     */
    record KeepAlive(boolean reconnected, long[] openInos) implements Query {
        @Override
        public int code() {
            return 11;
        }

        @Override
        public void encode(Encoder out) {
            out.bool(reconnected).longs(openInos);
        }
    }

    /** State of the service, for operators: TextReply with a JSON document. */
    record GetStatus() implements Query {
        @Override
        public int code() {
            return 12;
        }

        @Override
        public void encode(Encoder out) {}
    }

    /** The path of an inode, for operators: BytesReply. ENOENT for an orphan. */
    record GetPath(long ino) implements Query {
        @Override
        public int code() {
            return 13;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }
    }

    /**
     * Whether a file can be extended over a gap, which has to be a hole: EntryReply when nobody but
     * living clients can have written beyond its size; ESTALE when its tail has to be renewed
     * before ({@link ContentMutation.RenewTail}).
     */
    record CheckTail(long ino) implements Query {
        @Override
        public int code() {
            return 14;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }
    }

    /** A lock that conflicts with a wanted one of a machine behind a gateway: LockReply. */
    record TestHostLock(LockHost host, long ino, Lock wanted) implements Query {
        @Override
        public int code() {
            return 32;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.lockHost(out, host);
            out.i64(ino);
            Codecs.lock(out, wanted);
        }
    }

    /**
     * The machines with locks, in the order of addresses and names, after one that need not exist:
     * HostsReply.
     */
    record ListHosts(LockHost after, int maxHosts) implements Query {
        @Override
        public int code() {
            return 33;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.lockHost(out, after);
            out.i32(maxHosts);
        }
    }

    /**
     * Nobody else is to write a file for a while, as its contents move: Done when every other
     * session that holds it open has committed and keeps its writers out; EBUSY when one does not
     * do so in time. Until then nobody can open it.
     *
     * @param ms for how long, in milliseconds; 0 ends it
     */
    record HoldStill(long ino, int ms) implements Query {
        @Override
        public int code() {
            return 34;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i32(ms);
        }
    }

    /** Reads code and fields. */
    static Query decode(Decoder in) {
        int code = in.u8();
        return switch (code) {
            case 1 -> new Lookup(in.i64(), in.name());
            case 2 -> new GetInode(in.i64());
            case 3 -> new ReadDirectory(in.i64(), in.i64(), in.i32(), in.bool());
            case 4 -> new GetXattr(in.i64(), in.bytes());
            case 5 -> new ListXattr(in.i64());
            case 6 -> new TestLock(in.i64(), Codecs.lock(in));
            case 7 -> new GetUsage();
            case 8 -> new GetMap(in.i64());
            case 9 -> new Open(in.i64());
            case 10 -> new Release(in.longs());
            case 11 -> new KeepAlive(in.bool(), in.longs());
            case 12 -> new GetStatus();
            case 13 -> new GetPath(in.i64());
            case 14 -> new CheckTail(in.i64());
            case 32 -> new TestHostLock(Codecs.lockHost(in), in.i64(), Codecs.lock(in));
            case 33 -> new ListHosts(Codecs.lockHost(in), in.i32());
            case 34 -> new HoldStill(in.i64(), in.i32());
            default -> throw new MalformedMessageException("query code " + code);
        };
    }
}
