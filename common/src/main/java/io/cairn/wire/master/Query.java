package io.cairn.wire.master;

import io.cairn.cluster.MapFetch;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Growth;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.Limits;
import io.cairn.wire.TypedMessage;
import java.util.List;

/**
 * A request that the leader answers from its applied state without logging anything. Travels after
 * a session number (0 = without a session; not for OPEN, RELEASE and KEEP_ALIVE).
 */
public sealed interface Query extends TypedMessage {
    @Override
    QueryType type();

    /** Queries that any master can answer that has applied the log. */
    sealed interface OfState extends Query {}

    /** Queries that take the leader's own knowledge of clients and servers as well. */
    sealed interface OfLeader extends Query {}

    /** The steps of a login, the only queries of somebody who is not known yet. */
    sealed interface OfLogin extends Query {}

    /** A name in a directory: EntryReply with the inode and the parent, or Absent. */
    record Lookup(long parentIno, Name name) implements OfState {
        @Override
        public QueryType type() {
            return QueryType.LOOKUP;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(parentIno).name(name);
        }

        static Lookup decode(Decoder in) {
            return new Lookup(in.i64(), in.name());
        }
    }

    /** An inode: EntryReply without a parent. */
    record GetInode(long ino) implements OfState {
        @Override
        public QueryType type() {
            return QueryType.GET_INODE;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }

        static GetInode decode(Decoder in) {
            return new GetInode(in.i64());
        }
    }

    /** A page of a directory after a cookie: DirectoryReply. */
    record ReadDirectory(long ino, long cookie, int maxEntries, boolean withAttributes)
            implements OfState {
        @Override
        public QueryType type() {
            return QueryType.READ_DIRECTORY;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(cookie).i32(maxEntries).bool(withAttributes);
        }

        static ReadDirectory decode(Decoder in) {
            return new ReadDirectory(in.i64(), in.i64(), in.i32(), in.bool());
        }
    }

    /** The value of an extended attribute: BytesReply. */
    record GetXattr(long ino, byte[] name) implements OfState {
        @Override
        public QueryType type() {
            return QueryType.GET_XATTR;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).bytes(name);
        }

        static GetXattr decode(Decoder in) {
            return new GetXattr(in.i64(), in.bytes());
        }
    }

    /** The names of the extended attributes: NamesReply. */
    record ListXattr(long ino) implements OfState {
        @Override
        public QueryType type() {
            return QueryType.LIST_XATTR;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }

        static ListXattr decode(Decoder in) {
            return new ListXattr(in.i64());
        }
    }

    /** A lock that conflicts with a wanted one of this session: LockReply. */
    record TestLock(long ino, Lock wanted) implements OfState {
        @Override
        public QueryType type() {
            return QueryType.TEST_LOCK;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
            Codecs.lock(out, wanted);
        }

        static TestLock decode(Decoder in) {
            return new TestLock(in.i64(), Codecs.lock(in));
        }
    }

    /** Capacity: UsageReply. */
    record GetUsage() implements OfLeader {
        @Override
        public QueryType type() {
            return QueryType.GET_USAGE;
        }

        @Override
        public void encode(Encoder out) {}

        static GetUsage decode(Decoder in) {
            return new GetUsage();
        }
    }

    /**
     * The difference of the cluster map from that of an epoch: MapReply. A large one is told in
     * parts: see {@link MapFetch}.
     *
     * @param knownEpoch the map of the asker; when the master does not remember it the answer is
     *     the whole map
     * @param wantedEpoch the map that the parts so far are of; 0 for the youngest
     * @param at how many records the parts so far have
     */
    record GetMap(long knownEpoch, long wantedEpoch, int at) implements OfState {
        /** The next part. */
        public GetMap(MapFetch fetch) {
            this(fetch.knownEpoch(), fetch.wantedEpoch(), fetch.at());
        }

        @Override
        public QueryType type() {
            return QueryType.GET_MAP;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(knownEpoch).i64(wantedEpoch).i32(at);
        }

        static GetMap decode(Decoder in) {
            return new GetMap(in.i64(), in.i64(), in.i32());
        }
    }

    /**
     * The session holds an inode open from now on, once more: EntryReply. ESTALE for an orphan it
     * does not hold.
     */
    record Open(long ino) implements OfLeader {
        @Override
        public QueryType type() {
            return QueryType.OPEN;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }

        static Open decode(Decoder in) {
            return new Open(in.i64());
        }
    }

    /** The session no longer holds these inodes open (one count each): Done. */
    record Release(long[] inos) implements OfLeader {
        @Override
        public QueryType type() {
            return QueryType.RELEASE;
        }

        @Override
        public void encode(Encoder out) {
            out.longs(inos);
        }

        static Release decode(Decoder in) {
            return new Release(in.longs());
        }
    }

    /**
     * Renews the lease; on a new connection also tells all inodes that the session holds open, once
     * per count. Binds the connection to the session for pushes. SessionReply; NO_SESSION when it
     * has ended.
     */
    record KeepAlive(boolean reconnected, long[] openInos) implements OfLeader {
        @Override
        public QueryType type() {
            return QueryType.KEEP_ALIVE;
        }

        @Override
        public void encode(Encoder out) {
            out.bool(reconnected).longs(openInos);
        }

        static KeepAlive decode(Decoder in) {
            return new KeepAlive(in.bool(), in.longs());
        }
    }

    /**
     * How much a file may grow by writes, before they are committed: AllowanceReply; EDQUOT when it
     * is less than asked for. What was allowed before counts no more.
     *
     * @param held what was allowed and written before, and is not committed yet
     * @param wanted the least to be allowed now, beyond what is held
     * @param roomBytes so much has to fit now into limits of space and on the disks of the file,
     *     else EDQUOT or ENOSPC; nothing is kept for it. 0 when nobody wants to know
     */
    record GetAllowance(long ino, Growth held, Growth wanted, long roomBytes) implements OfLeader {
        @Override
        public QueryType type() {
            return QueryType.GET_ALLOWANCE;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.growth(out.i64(ino), held);
            Codecs.growth(out, wanted);
            out.i64(roomBytes);
        }

        static GetAllowance decode(Decoder in) {
            return new GetAllowance(in.i64(), Codecs.growth(in), Codecs.growth(in), in.i64());
        }
    }

    /** The room for an inode where quotas limit it: UsageReply. */
    record GetRoom(long ino) implements OfLeader {
        @Override
        public QueryType type() {
            return QueryType.GET_ROOM;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }

        static GetRoom decode(Decoder in) {
            return new GetRoom(in.i64());
        }
    }

    /**
     * A ticket that opens chunks to this session: TicketReply. It is empty on a connection without
     * certificates, where chunk servers ask for none.
     */
    record GetTicket() implements OfLeader {
        @Override
        public QueryType type() {
            return QueryType.GET_TICKET;
        }

        @Override
        public void encode(Encoder out) {}

        static GetTicket decode(Decoder in) {
            return new GetTicket();
        }
    }

    /** State of the service, for operators: TextReply with a JSON document. */
    record GetStatus() implements OfLeader {
        @Override
        public QueryType type() {
            return QueryType.GET_STATUS;
        }

        @Override
        public void encode(Encoder out) {}

        static GetStatus decode(Decoder in) {
            return new GetStatus();
        }
    }

    /** The path of an inode, for operators: BytesReply. ENOENT for an orphan. */
    record GetPath(long ino) implements OfState {
        @Override
        public QueryType type() {
            return QueryType.GET_PATH;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }

        static GetPath decode(Decoder in) {
            return new GetPath(in.i64());
        }
    }

    /**
     * Whether a file can be extended over a gap, which has to be a hole: EntryReply when nobody but
     * living clients can have written beyond its size; ESTALE when its tail has to be renewed
     * before ({@link ContentMutation.RenewTail}).
     */
    record CheckTail(long ino) implements OfState {
        @Override
        public QueryType type() {
            return QueryType.CHECK_TAIL;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino);
        }

        static CheckTail decode(Decoder in) {
            return new CheckTail(in.i64());
        }
    }

    /** A lock that conflicts with a wanted one of a machine behind a gateway: LockReply. */
    record TestHostLock(LockHost host, long ino, Lock wanted) implements OfState {
        @Override
        public QueryType type() {
            return QueryType.TEST_HOST_LOCK;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.lockHost(out, host);
            out.i64(ino);
            Codecs.lock(out, wanted);
        }

        static TestHostLock decode(Decoder in) {
            return new TestHostLock(Codecs.lockHost(in), in.i64(), Codecs.lock(in));
        }
    }

    /**
     * The machines with locks, in the order of addresses and names, after one that need not exist:
     * HostsReply.
     */
    record ListHosts(LockHost after, int maxHosts) implements OfState {
        @Override
        public QueryType type() {
            return QueryType.LIST_HOSTS;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.lockHost(out, after);
            out.i32(maxHosts);
        }

        static ListHosts decode(Decoder in) {
            return new ListHosts(Codecs.lockHost(in), in.i32());
        }
    }

    /**
     * Nobody else is to write a file for a while, as its contents move: Done when every other
     * session that holds it open has committed and keeps its writers out; EBUSY when one does not
     * do so in time. Until then nobody can open it.
     *
     * <p>Asked again by the same session it lasts so long from then on.
     *
     * @param ms for how long, in milliseconds, 60,000 at most; 0 ends it
     */
    record HoldStill(long ino, int ms) implements OfLeader {
        @Override
        public QueryType type() {
            return QueryType.HOLD_STILL;
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
     * Several names of a directory, {@link Limits#MAX_PAGE_ENTRIES} at most: DirectoryReply without
     * an end, with those of them that exist and fit, and their attributes.
     */
    record LookupMany(long parentIno, List<Name> names) implements OfState {
        @Override
        public QueryType type() {
            return QueryType.LOOKUP_MANY;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(parentIno).list(names, Encoder::name);
        }

        static LookupMany decode(Decoder in) {
            return new LookupMany(in.i64(), in.list(Decoder::name));
        }
    }

    /**
     * Begins a login on this connection, which replaces an unfinished one: TextReply with the
     * challenge.
     *
     * @param message the first one of SCRAM-SHA-256
     */
    record BeginLogin(String message) implements OfLogin {
        @Override
        public QueryType type() {
            return QueryType.BEGIN_LOGIN;
        }

        @Override
        public void encode(Encoder out) {
            out.text(message);
        }

        static BeginLogin decode(Decoder in) {
            return new BeginLogin(in.text());
        }
    }

    /**
     * Finishes the login on this connection: TextReply with the signature of the server; EACCES
     * when the password is refused, EAGAIN when none was begun.
     *
     * @param message the last one of SCRAM-SHA-256
     */
    record FinishLogin(String message) implements OfLogin {
        @Override
        public QueryType type() {
            return QueryType.FINISH_LOGIN;
        }

        @Override
        public void encode(Encoder out) {
            out.text(message);
        }

        static FinishLogin decode(Decoder in) {
            return new FinishLogin(in.text());
        }

        /** Without the proof, with which a weak password could be guessed. */
        @Override
        public String toString() {
            return "FinishLogin";
        }
    }

    /** Reads code and fields. */
    static Query decode(Decoder in) {
        return QueryType.TABLE.require(in.u8()).decode(in);
    }
}
