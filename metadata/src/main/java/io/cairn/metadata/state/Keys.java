package io.cairn.metadata.state;

import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The legend of the replicated state: every key and every value of every family. Numbers are
 * big-endian, so that keys sort in numeric order; every value begins with a format version.
 *
 * <pre>
 * META
 *   "cluster"    -> | 1 | clusterId 8 | standardReplicas 4 | inlineLimitBytes 4 |
 *   "counters"   -> | 1 | nextIno 8 | nextOid 8 | nextGarbage 8 | nextSession 8 | nextTicket 8 |
 *                       | inodeCount 8 | firstSureOid 8 |
 *                       | count 4 | { pool 4 | uses 8 } ... |  files and GC entries of a pool
 *   "level"      -> | 1 | level 4 |                         absent while it is the first one
 *   "map"        -> | 1 | epoch 8 |                          the cluster map, and its records:
 *   "map/" 1 id 4 -> | 1 | server (Codecs) |
 *   "map/" 2 id 4 -> | 1 | target (Codecs) |
 *   "map/" 3 id 4 -> | 1 | pool (Codecs) |
 *   "map/" 4 id 4 -> | 1 | group (Codecs) |
 *   "map/" 5 n 4  -> | 1 | part of a change (Codecs) |       until its last part comes
 *   "notify"     -> | 1 | state 4 |                         last state number told to machines
 *   "jobs"       -> | 1 | nextJob 8 |
 *   "left"       -> | 1 | oid 8 |                            objects before may have chunks of
 *                                                             clients lost with their leader
 *   "left" ino 8 -> | 1 | sinceNs 8 |                        files whose object may have chunks
 *                                                             though the contents are inline
 *   "record/" key 1..200
 *                -> | 1 | version 8 | value ... |           records of the administration
 *   "quota/" kind 1 id 8
 *                -> | 1 | quota (Codecs) | sinceNs 8 |       sinceNs: a soft limit was passed, or 0
 *   "class/" name -> | 1 | class (ClassMutation) |             storage classes
 *   "classed/" ino 8
 *                -> | 1 | name (text) |                     the class that a directory refers to
 *   "class-rules" -> | 1 | count 4 | { rule (ClassMutation) } ... |
 *   "snapshots"  -> | 1 | lastNumber 4 | version 8 | sweep 1 | cursor (bytes) |
 *                                                            version: of the last change of what
 *                                                            chunk servers have to refuse
 *   "shared"     -> | 1 | records 8 | firstOid 8 |          of SHARED; while there are any, objects
 *                                                             before firstOid are not changed
 *   "revived/" oid 8
 *                -> | 1 | revived 8 | released 8 |           objects that clones of files in
 *                                                             snapshots name; versions: of the last
 *                                                             such clone, and of the last release
 *                                                             of a part that is held, or 0
 *   "hash"       -> | 1 | hash 8 |                           of all changes so far (StateHash)
 *   "position"   -> whatever a Store keeps its position in, if it keeps it here; never read by
 *                   the namespace and no part of its fingerprint
 *
 * INODE     | ino 8 |
 *           -> | 1 | version 8 | inode (Codecs) |          its own version is older where a change
 *                                                             concerns no cache
 *
 * DENTRY    | parentIno 8 | cookie 8 | name 1..255 |          cookie: Name.cookie()
 *           -> | 1 | version 8 | type 1 | ino 8 |
 *
 * XATTR     | ino 8 |                                         present if there are any
 *           -> | 1 | version 8 | count 4 | nameBytes 8 | valueBytes 8 |
 *           | ino 8 | name 1..255 |
 *           -> | 1 | version 8 | value 0..65536 |
 *
 * ORPHAN    | ino 8 |                                         inodes without a name (nlink 0);
 *                                                             1 when LINK may give the first one
 *           -> | 1 |
 *
 * SESSION   | session 8 |
 *           -> | 1 | openingSequence 8 | openedNs 8 | client (text) | numbers (ReservedNumbers) |
 *
 * REPLY     | session 8 | sequence 8 |                        until acknowledged
 *           -> | 1 | ackedUpTo 8 | reply ... |                ackedUpTo: as known at that time;
 *                                                             the session's is the largest
 *
 * LOCK      | ino 8 | 0 | kind 1 | holder 8 | owner 8 |       held, all ranges of one owner;
 *                                                             holder: a session, or a machine,
 *                                                             whose number is negative
 *           -> | 1 | count 4 | { mode 1 | startByte 8 | endByte 8 | pid 4 | requestId 8 } ... |
 *           | ino 8 | 1 | ticket 8 |                          waiting, in order of arrival
 *           -> | 1 | holder 8 | requestId 8 | lock (Codecs) | asker 8 |
 *                                                             asker: the session that asked and
 *                                                             is told; may be absent when it is
 *                                                             the holder
 *
 * HOST      | addressBytes 1 | address | name |              machines behind gateways, as long as
 *           -> | 1 | number 8 | record (Codecs) |             they have locks
 *
 * GC        | entryId 8 |                                     chunks [fromChunk, endChunk)
 *           -> | 1 | poolId 4 | oid 8 | fromChunk 8 | endChunk 8 |
 *
 * JOB       | job 8 |                                         tree jobs, finished ones included
 *           -> | 1 | request 8 | state 1 | orderedNs 8 | startedNs 8 | finishedNs 8 | serial 8 |
 *                  | steps 8 | depth 4 | message (text) | totals | order |
 *           | job 8 | 0 | depth 8 |                           the cursor: directories it is in
 *           -> | 1 | ino 8 | name (optional) | position (bytes: cookie, name) | passes 4 |
 *                  | failed 1 |
 *           | job 8 | 1 | number 8 |                          the first errors
 *           -> | 1 | errno 4 | path (bytes) | message (text) |
 *           | job 8 | 2 | ino 8 |                             counted, and has further names
 *           -> | 1 |
 *
 * TRASH     | 0 | ino 8 |                                     what is in the trash, directories
 *           -> | 1 | deletedNs 8 | expiresNs 8 | storedBytes 8 | path (bytes) |
 *                  | attributes (Codecs) |                   as they were before
 *           | 1 | expiresNs 8 | ino 8 |                       what goes by itself, in order
 *           -> | 1 |
 *           | 2 | ino 8 |                                     how long a directory keeps what goes;
 *           -> | 1 | keptS 8 |                                ino 0: all for which none says it
 *           | 3 |                                             sums of all files
 *           -> | 1 | files 8 | sizeBytes 8 | storedBytes 8 |
 * SNAPSHOT  | number 8 |
 *           -> | 1 | state 1 | root 8 | name | timeNs 8 | version 8 | firstOid 8 |
 *                  | parent 8 |                              of clones only, which are no snapshots
 *
 * HISTORY   | family 1 | key of a record | version 8 |         what the mutation of that version
 *           -> the value that the record had                   replaced or removed
 *
 * HELD      | entryId 8 |                                      released, but for snapshots
 *           -> | 1 | poolId 4 | oid 8 | fromChunk 8 | endChunk 8 | version 8 |
 *                                                             version: of the release
 *
 * SHARED    | oid 8 | ino 8 |                                  a file that names an object which
 *           -> | 1 |                                           others name, or have named
 *
 * LINK      | ino 8 | parentIno 8 | cookie 8 | name 1..255 |   names besides the one at home
 *           -> | 1 | version 8 |
 *
 * USAGE     | kind 1 | id 8 |                                what an account holds, if anything;
 *           -> | 1 | inodes 8 | lengthBytes 8 | spaceBytes 8 |
 *                                                             kind: Account.Kind
 * </pre>
 *
 * The version of a record is the log index of the entry that changed it last, shifted left by
 * {@value #ORDINAL_BITS} bits, plus the place of the mutation in that entry. So two changes never
 * share a version, even when they share a log entry.
 *
 * <p>Inode numbers, object ids and sessions come from counters. The upper 16 bits of inode numbers
 * and object ids are the shard, which is 0.
 */
public final class Keys {
    /** Format version of all values. */
    public static final int FORMAT = 1;

    /** Bits of a version that tell the place of the mutation in its log entry. */
    public static final int ORDINAL_BITS = 16;

    /** Bytes before the fields of a record of the tree: format and version. */
    static final int HEAD_BYTES = 9;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final String MAP_PREFIX = "map/";
    private static final String QUOTA_PREFIX = "quota/";
    private static final String RECORD_PREFIX = "record/";
    private static final String REVIVED_PREFIX = "revived/";
    private static final int HELD = 0;
    private static final int WAITING = 1;
    private static final int JOB_FRAME = 0;
    private static final int JOB_ERROR = 1;
    private static final int JOB_SEEN = 2;

    private Keys() {}

    /** The key of a {@code META} value. */
    private static byte[] meta(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    public static byte[] cluster() {
        return meta("cluster");
    }

    static byte[] counters() {
        return meta("counters");
    }

    static byte[] stateHash() {
        return meta("hash");
    }

    /** The key of the numbers of shared objects. */
    public static byte[] shared() {
        return meta("shared");
    }

    /** The prefix of all objects that clones of files in snapshots name. */
    public static byte[] revived() {
        return meta(REVIVED_PREFIX);
    }

    /** The key of such an object. */
    public static byte[] revived(long oid) {
        return new Encoder(16).raw(revived(), 0, REVIVED_PREFIX.length()).i64(oid).toBytes();
    }

    /** The object in the key of such an object. */
    public static long revivedOf(byte[] key) {
        return numberAt(key, REVIVED_PREFIX.length());
    }

    /** The key of the numbers of snapshots, and of the sweep. */
    public static byte[] snapshots() {
        return meta("snapshots");
    }

    public static byte[] level() {
        return meta("level");
    }

    public static byte[] map() {
        return meta("map");
    }

    /** The prefix of all records of the map. */
    public static byte[] mapRecords() {
        return meta(MAP_PREFIX);
    }

    /** The prefix of the records of a kind. */
    public static byte[] mapRecords(int kind) {
        return new Encoder(5).raw(mapRecords(), 0, MAP_PREFIX.length()).u8(kind).toBytes();
    }

    public static byte[] mapRecord(int kind, int number) {
        return new Encoder(9)
                .raw(mapRecords(kind), 0, MAP_PREFIX.length() + 1)
                .i32(number)
                .toBytes();
    }

    /** The kind in the key of a record of the map. */
    public static int mapKind(byte[] key) {
        return key[MAP_PREFIX.length()];
    }

    public static byte[] notifyState() {
        return meta("notify");
    }

    /** The key of a record of the administration; also the prefix of all that begin with it. */
    public static byte[] record(String key) {
        return (RECORD_PREFIX + key).getBytes(StandardCharsets.UTF_8);
    }

    /** The key that {@link #record} was made of. */
    public static String recordOf(byte[] key) {
        return new String(key, StandardCharsets.UTF_8).substring(RECORD_PREFIX.length());
    }

    /** The key of what nobody knows of lost clients; also the prefix of what is known. */
    public static byte[] doubtful() {
        return meta("left");
    }

    public static byte[] doubtful(long ino) {
        byte[] prefix = doubtful();
        return new Encoder(12).raw(prefix, 0, prefix.length).i64(ino).toBytes();
    }

    public static byte[] jobs() {
        return meta("jobs");
    }

    private static byte[] jobPart(long job, int part, long number) {
        return new Encoder(17).i64(job).u8(part).i64(number).toBytes();
    }

    public static byte[] jobFrame(long job, int depth) {
        return jobPart(job, JOB_FRAME, depth);
    }

    public static byte[] jobError(long job, long number) {
        return jobPart(job, JOB_ERROR, number);
    }

    public static byte[] jobSeen(long job, long ino) {
        return jobPart(job, JOB_SEEN, ino);
    }

    /** The prefix of the cursor of a job. */
    public static byte[] jobFrames(long job) {
        return new Encoder(9).i64(job).u8(JOB_FRAME).toBytes();
    }

    /** The prefix of all errors of a job. */
    public static byte[] jobErrors(long job) {
        return new Encoder(9).i64(job).u8(JOB_ERROR).toBytes();
    }

    /** The prefix of all inodes that a job remembers. */
    public static byte[] jobSeen(long job) {
        return new Encoder(9).i64(job).u8(JOB_SEEN).toBytes();
    }

    /** Whether the key of a {@code JOB} value is that of the job itself. */
    public static boolean isJob(byte[] jobKey) {
        return jobKey.length == 8;
    }

    public static boolean isJobFrame(byte[] jobKey) {
        return !isJob(jobKey) && jobKey[8] == JOB_FRAME;
    }

    public static boolean isJobError(byte[] jobKey) {
        return !isJob(jobKey) && jobKey[8] == JOB_ERROR;
    }

    public static byte[] host(LockHost host) {
        byte[] address = host.address().getBytes(StandardCharsets.UTF_8);
        byte[] name = host.name().getBytes(StandardCharsets.UTF_8);
        Encoder out = new Encoder(1 + address.length + name.length).u8(address.length);
        return out.raw(address, 0, address.length).raw(name, 0, name.length).toBytes();
    }

    /** The key in {@code META} that a store may use for its position in the log. */
    public static byte[] position() {
        return meta("position");
    }

    /** A key of one number; also the prefix of all keys that begin with it. */
    public static byte[] of(long number) {
        byte[] key = new byte[8];
        LONG.set(key, 0, number);
        return key;
    }

    /** The number that a key holds at an offset. */
    public static long numberAt(byte[] key, int offset) {
        return (long) LONG.get(key, offset);
    }

    /** A key of two numbers. */
    public static byte[] of(long first, long second) {
        byte[] key = new byte[16];
        LONG.set(key, 0, first);
        LONG.set(key, 8, second);
        return key;
    }

    public static byte[] dentry(long parentIno, Name name) {
        byte[] bytes = name.bytes();
        byte[] key = new byte[16 + bytes.length];
        LONG.set(key, 0, parentIno);
        LONG.set(key, 8, name.cookie());
        System.arraycopy(bytes, 0, key, 16, bytes.length);
        return key;
    }

    /** The name in the key of a dentry. */
    public static Name nameOf(byte[] dentryKey) {
        return Name.of(suffix(dentryKey, 16));
    }

    /** The key of a further name of an inode. */
    public static byte[] link(long ino, long parentIno, Name name) {
        byte[] dentry = dentry(parentIno, name);
        return new Encoder(8 + dentry.length).i64(ino).raw(dentry, 0, dentry.length).toBytes();
    }

    /** The key of the dentry that a key of a further name tells of. */
    public static byte[] dentryOf(byte[] linkKey) {
        return suffix(linkKey, 8);
    }

    /** The key of the sums of an account. */
    public static byte[] usage(Account account) {
        byte[] key = new byte[9];
        key[0] = (byte) account.kind().code();
        LONG.set(key, 1, account.id());
        return key;
    }

    /** The account in the key of its sums. */
    public static Account account(byte[] usageKey) {
        Account.Kind kind = Account.Kind.CODES.find(usageKey[0]);
        if (kind == null) {
            throw new MalformedMessageException("an account of kind " + usageKey[0]);
        }
        return new Account(kind, numberAt(usageKey, 1));
    }

    /** The prefix of the keys of all quotas. */
    public static byte[] quotas() {
        return meta(QUOTA_PREFIX);
    }

    /** The key of the quota of an account. */
    public static byte[] quota(Account account) {
        byte[] prefix = quotas();
        return new Encoder(15)
                .raw(prefix, 0, prefix.length)
                .u8(account.kind().code())
                .i64(account.id())
                .toBytes();
    }

    /** The account in the key of its quota. */
    public static Account quotaOf(byte[] key) {
        return account(suffix(key, QUOTA_PREFIX.length()));
    }

    public static byte[] xattr(long ino, byte[] name) {
        byte[] key = new byte[8 + name.length];
        LONG.set(key, 0, ino);
        System.arraycopy(name, 0, key, 8, name.length);
        return key;
    }

    /** The name in the key of an extended attribute; empty for the head record. */
    public static byte[] xattrNameOf(byte[] key) {
        return suffix(key, 8);
    }

    public static byte[] held(long ino, Lock.Kind kind, LockOwner owner) {
        Encoder out = new Encoder(26);
        out.i64(ino).u8(HELD).u8(kind.code()).i64(owner.session()).i64(owner.owner());
        return out.toBytes();
    }

    /** The kind of the locks that a key of held ones stands for. */
    public static Lock.Kind heldKind(byte[] key) {
        Lock.Kind kind = Lock.Kind.CODES.find(key[9]);
        if (kind == null) {
            throw new MalformedMessageException("locks of kind " + key[9]);
        }
        return kind;
    }

    /** The prefix of all locks of a kind that are held on an inode. */
    public static byte[] heldPrefix(long ino, Lock.Kind kind) {
        return new Encoder(10).i64(ino).u8(HELD).u8(kind.code()).toBytes();
    }

    public static byte[] waiting(long ino, long ticket) {
        return new Encoder(17).i64(ino).u8(WAITING).i64(ticket).toBytes();
    }

    /** Whether the key of a {@code LOCK} value is that of held ranges, not of a waiting request. */
    public static boolean isHeld(byte[] lockKey) {
        return lockKey[8] == HELD;
    }

    /** Begins a value. */
    public static Encoder value(int expectedBytes) {
        return new Encoder(expectedBytes).u8(FORMAT);
    }

    /** Begins a value in an encoder that was used before. */
    public static Encoder value(Encoder used) {
        return used.clear().u8(FORMAT);
    }

    /**
     * Begins to read a value.
     *
     * @throws IllegalStateException when the value has another format: this master is too old
     */
    public static Decoder open(Store.Family family, byte[] value) {
        Decoder in = new Decoder(value);
        int format = in.u8();
        if (format != FORMAT) {
            throw new IllegalStateException(
                    "a value of family "
                            + family
                            + " has format "
                            + format
                            + "; this version of Cairn reads format "
                            + FORMAT
                            + ": use the version that wrote it, or a newer one");
        }
        return in;
    }

    /** The same for a record of the tree, behind its version. */
    public static Decoder openOfTree(Store.Family family, byte[] value) {
        Decoder in = open(family, value);
        in.i64();
        return in;
    }

    /** The version of the mutation that wrote a record of the tree. */
    public static long versionOf(byte[] value) {
        return (long) LONG.get(value, 1);
    }

    private static byte[] suffix(byte[] key, int from) {
        byte[] suffix = new byte[key.length - from];
        System.arraycopy(key, from, suffix, 0, suffix.length);
        return suffix;
    }
}
