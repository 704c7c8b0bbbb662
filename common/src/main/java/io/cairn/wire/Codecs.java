package io.cairn.wire;

import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.DirectoryState;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Labels;
import io.cairn.cluster.Layout;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import io.cairn.fs.Acl;
import io.cairn.fs.Acls;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileType;
import io.cairn.fs.HostContact;
import io.cairn.fs.HostRecord;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.fs.Usage;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Growth;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Encodings of the vocabulary, each writer beside its reader. Part of the wire and disk formats.
 */
public final class Codecs {

    private static final int FLAGS = 0x20;
    private static final int ACCESS_ACL = 0x40;
    private static final int INHERITED_ACL = 0x80;

    private Codecs() {}

    public static FileType fileType(Decoder in) {
        return fileType(in.u8());
    }

    private static FileType fileType(int code) {
        FileType type = FileType.CODES.find(code);
        if (type == null) {
            throw new MalformedMessageException("file type " + code);
        }
        return type;
    }

    /** The code of the type has bits for lists and flags, which follow at the end if they are. */
    public static void attributes(Encoder out, Attributes a) {
        Acl access = a.acls().access();
        Acl inherited = a.acls().inherited();
        int lists = (access == null ? 0 : ACCESS_ACL) | (inherited == null ? 0 : INHERITED_ACL);
        int more = lists | (a.flags() == 0 ? 0 : FLAGS);
        out.i64(a.ino()).i32(a.generation()).u8(a.type().code() | more);
        out.i32(a.mode()).i32(a.nlink());
        out.i32(a.uid()).i32(a.gid()).i64(a.rdev()).i64(a.size()).i64(a.usedBytes());
        out.i64(a.atimeNs()).i64(a.mtimeNs()).i64(a.ctimeNs()).i64(a.version());
        if (access != null) {
            out.list(access.entries(), Codecs::aclEntry);
        }
        if (inherited != null) {
            out.list(inherited.entries(), Codecs::aclEntry);
        }
        out.i64(a.birthNs());
        if (a.flags() != 0) {
            out.i32(a.flags());
        }
    }

    public static Attributes attributes(Decoder in) {
        long ino = in.i64();
        int generation = in.i32();
        int code = in.u8();
        FileType type = fileType(code & ~(FLAGS | ACCESS_ACL | INHERITED_ACL));
        return new Attributes(
                ino,
                generation,
                type,
                in.i32(),
                in.i32(),
                in.i32(),
                in.i32(),
                in.i64(),
                in.i64(),
                in.i64(),
                in.i64(),
                in.i64(),
                in.i64(),
                in.i64(),
                acls(in, code),
                in.i64(),
                (code & FLAGS) == 0 ? 0 : in.i32());
    }

    private static Acls acls(Decoder in, int code) {
        if ((code & (ACCESS_ACL | INHERITED_ACL)) == 0) {
            return Acls.NONE;
        }
        Acl access = (code & ACCESS_ACL) == 0 ? null : acl(in);
        return new Acls(access, (code & INHERITED_ACL) == 0 ? null : acl(in));
    }

    private static void aclEntry(Encoder out, Acl.Entry e) {
        out.u8(e.tag().code()).u8(e.bits()).i32(e.id());
    }

    private static Acl acl(Decoder in) {
        List<Acl.Entry> entries =
                in.list(i -> new Acl.Entry(i.coded(Acl.Tag.CODES), i.u8(), i.i32()));
        try {
            return Acl.of(entries);
        } catch (FsException e) {
            throw new MalformedMessageException(String.valueOf(e.getMessage()));
        }
    }

    public static void stamp(Encoder out, AttributeStamp s) {
        out.i64(s.ino()).i64(s.size()).i64(s.mtimeNs()).i64(s.ctimeNs());
    }

    public static AttributeStamp stamp(Decoder in) {
        return new AttributeStamp(in.i64(), in.i64(), in.i64(), in.i64());
    }

    public static void attributeChange(Encoder out, AttributeChange c) {
        out.i32(c.mask()).i32(c.mode()).i32(c.uid()).i32(c.gid()).i64(c.size());
        out.i64(c.atimeNs()).i64(c.mtimeNs());
        if (c.has(AttributeChange.GUARD)) {
            out.i64(c.guardCtimeNs());
        }
        if (c.has(AttributeChange.FLAGS)) {
            out.i32(c.flagMask()).i32(c.flags());
        }
    }

    public static AttributeChange attributeChange(Decoder in) {
        int mask = in.i32();
        return new AttributeChange(
                mask,
                in.i32(),
                in.i32(),
                in.i32(),
                in.i64(),
                in.i64(),
                in.i64(),
                (mask & AttributeChange.GUARD) == 0 ? 0 : in.i64(),
                (mask & AttributeChange.FLAGS) == 0 ? 0 : in.i32(),
                (mask & AttributeChange.FLAGS) == 0 ? 0 : in.i32());
    }

    public static void policy(Encoder out, Policy p) {
        PolicyCodec.policy(out, p);
    }

    public static Policy policy(Decoder in) {
        return PolicyCodec.policy(in);
    }

    public static void layout(Encoder out, Layout l) {
        out.u8(l.chunkSizeLog2()).i32(l.stripeWidth()).i64(l.seed());
        RunCodec.encode(out, l.runs());
        out.i64(l.renewedOid());
    }

    public static Layout layout(Decoder in) {
        Layout layout = new Layout(in.u8(), in.i32(), in.i64(), RunCodec.decode(in), in.i64());
        if (layout.runs().isEmpty()
                || layout.chunkSizeLog2() < Layout.MIN_CHUNK_SIZE_LOG2
                || layout.chunkSizeLog2() > Layout.MAX_CHUNK_SIZE_LOG2) {
            throw new MalformedMessageException("impossible layout " + layout);
        }
        return layout;
    }

    public static void inode(Encoder out, Inode i) {
        attributes(out, i.attributes());
        out.i64(i.parentIno()).i64(i.nameCookie());
        policy(out, i.policy());
        out.optional(i.layout(), Codecs::layout).optionalBytes(i.inline());
        out.i64(i.entryCount()).i64(i.exclusiveVerifier()).i64(i.nameChanges());
    }

    public static Inode inode(Decoder in) {
        return new Inode(
                attributes(in),
                in.i64(),
                in.i64(),
                policy(in),
                in.optional(Codecs::layout),
                in.optionalBytes(),
                in.i64(),
                in.i64(),
                in.i64());
    }

    public static void directoryState(Encoder out, DirectoryState d) {
        attributes(out, d.attributes());
        out.i64(d.nameChanges()).i64(d.entryCount());
    }

    public static DirectoryState directoryState(Decoder in) {
        return new DirectoryState(attributes(in), in.i64(), in.i64());
    }

    public static void directoryEntry(Encoder out, DirectoryEntry e) {
        out.name(e.name()).i64(e.cookie()).i64(e.ino()).u8(e.type().code());
        out.optional(e.attributes(), Codecs::attributes);
    }

    public static DirectoryEntry directoryEntry(Decoder in) {
        return new DirectoryEntry(
                in.name(), in.i64(), in.i64(), fileType(in), in.optional(Codecs::attributes));
    }

    public static void account(Encoder out, Account a) {
        out.u8(a.kind().code()).i64(a.id());
    }

    public static Account account(Decoder in) {
        return new Account(in.coded(Account.Kind.CODES), in.i64());
    }

    public static void sums(Encoder out, Sums s) {
        out.i64(s.inodes()).i64(s.lengthBytes()).i64(s.spaceBytes());
    }

    public static Sums sums(Decoder in) {
        return new Sums(in.i64(), in.i64(), in.i64());
    }

    public static void growth(Encoder out, Growth g) {
        out.i64(g.lengthBytes()).i64(g.storedBytes());
    }

    public static Growth growth(Decoder in) {
        return new Growth(in.i64(), in.i64());
    }

    public static void quota(Encoder out, Quota q) {
        sums(out, q.soft());
        sums(out, q.hard());
        out.i64(q.graceMs());
    }

    public static Quota quota(Decoder in) {
        return new Quota(sums(in), sums(in), in.i64());
    }

    public static void usage(Encoder out, Usage u) {
        out.i64(u.totalBytes()).i64(u.freeBytes()).i64(u.availableBytes());
        out.i64(u.inodes()).i64(u.freeInodes());
    }

    public static Usage usage(Decoder in) {
        return new Usage(in.i64(), in.i64(), in.i64(), in.i64(), in.i64());
    }

    public static void lock(Encoder out, Lock l) {
        out.u8(l.kind().code()).u8(l.mode().code()).i64(l.owner());
        out.i64(l.startByte()).i64(l.endByte()).i32(l.pid());
    }

    public static Lock lock(Decoder in) {
        return new Lock(
                in.coded(Lock.Kind.CODES),
                in.coded(Lock.Mode.CODES),
                in.i64(),
                in.i64(),
                in.i64(),
                in.i32());
    }

    public static Lock.Kind lockKind(Decoder in) {
        return in.coded(Lock.Kind.CODES);
    }

    public static void lockHost(Encoder out, LockHost h) {
        out.text(h.name()).text(h.address());
    }

    public static LockHost lockHost(Decoder in) {
        return new LockHost(in.text(), in.text());
    }

    public static void hostContact(Encoder out, HostContact c) {
        lockHost(out, c.host());
        out.i32(c.state()).text(c.server());
    }

    public static HostContact hostContact(Decoder in) {
        return new HostContact(lockHost(in), in.i32(), in.text());
    }

    public static void hostRecord(Encoder out, HostRecord r) {
        hostContact(out, r.contact());
        out.i64(r.sinceNs()).i32(r.held()).i32(r.waiting());
    }

    public static HostRecord hostRecord(Decoder in) {
        return new HostRecord(hostContact(in), in.i64(), in.i32(), in.i32());
    }

    public static void endpoint(Encoder out, Endpoint e) {
        out.text(e.host()).i32(e.port());
    }

    public static Endpoint endpoint(Decoder in) {
        return new Endpoint(in.text(), in.i32());
    }

    static int number(Decoder in) {
        int number = in.i32();
        if (number < 1) {
            throw new MalformedMessageException("a record of number " + number);
        }
        return number;
    }

    public static void server(Encoder out, ChunkServer s) {
        out.i32(s.id()).text(s.name());
        endpoint(out, s.endpoint());
        out.i64(s.incarnation()).i64(s.bootId());
        labels(out, s.labels());
        out.i64(s.maintenanceUntilMs());
    }

    public static ChunkServer server(Decoder in) {
        return new ChunkServer(
                number(in), in.text(), endpoint(in), in.i64(), in.i64(), labels(in), in.i64());
    }

    public static void declaration(Encoder out, Declaration d) {
        out.bool(d.adopts()).bool(d.replaces());
        labels(out, d.labels());
    }

    public static Declaration declaration(Decoder in) {
        return new Declaration(in.bool(), in.bool(), labels(in));
    }

    public static void labels(Encoder out, Labels l) {
        out.list(
                List.copyOf(l.values().entrySet()),
                (o, each) -> o.text(each.getKey()).text(each.getValue()));
    }

    public static Labels labels(Decoder in) {
        SortedMap<String, String> values = new TreeMap<>();
        for (List<String> label : in.list(i -> List.of(i.text(), i.text()))) {
            values.put(label.getFirst(), label.getLast());
        }
        try {
            return new Labels(values);
        } catch (IllegalArgumentException e) {
            throw new MalformedMessageException(String.valueOf(e.getMessage()));
        }
    }

    /** A bit beside the state of a target: it is nearly full. */
    private static final int FULL_TARGET = 0x80;

    public static void target(Encoder out, Target t) {
        out.i32(t.id()).i64(t.identity()).i32(t.serverId()).i64(t.start());
        out.u8(t.state().code() | (t.full() ? FULL_TARGET : 0)).i64(t.absentMs());
    }

    public static Target target(Decoder in) {
        int id = number(in);
        long identity = in.i64();
        int server = in.i32();
        long start = in.i64();
        int state = in.u8();
        return new Target(
                id,
                identity,
                server,
                start,
                in.coded(TargetState.CODES, state & ~FULL_TARGET),
                in.i64(),
                (state & FULL_TARGET) != 0);
    }

    public static void pool(Encoder out, Pool p) {
        PolicyCodec.pool(out, p);
    }

    public static Pool pool(Decoder in) {
        return PolicyCodec.pool(in);
    }

    private static void member(Encoder out, PlacementGroup.Member m) {
        out.i32(m.targetId()).u8(m.state().code());
    }

    private static PlacementGroup.Member member(Decoder in) {
        return new PlacementGroup.Member(in.i32(), in.coded(MemberState.CODES));
    }

    public static void group(Encoder out, PlacementGroup g) {
        out.i32(g.id()).i32(g.poolId()).i64(g.epoch());
        out.i64(g.unbrokenSince()).i64(g.unbrokenBefore());
        out.list(g.members(), Codecs::member).list(g.left(), Encoder::i32);
    }

    public static PlacementGroup group(Decoder in) {
        return new PlacementGroup(
                number(in),
                in.i32(),
                in.i64(),
                in.i64(),
                in.i64(),
                in.list(Codecs::member),
                in.list(Decoder::i32));
    }

    private static void gone(Encoder out, MapDelta.Gone g) {
        out.list(g.servers(), Encoder::i32).list(g.targets(), Encoder::i32);
        out.list(g.pools(), Encoder::i32);
    }

    private static MapDelta.Gone gone(Decoder in) {
        return new MapDelta.Gone(
                in.list(Decoder::i32), in.list(Decoder::i32), in.list(Decoder::i32));
    }

    public static void mapDelta(Encoder out, MapDelta d) {
        out.i64(d.from()).i64(d.to()).list(d.servers(), Codecs::server);
        out.list(d.targets(), Codecs::target).list(d.pools(), Codecs::pool);
        out.list(d.groups(), Codecs::group);
        gone(out, d.gone());
    }

    public static MapDelta mapDelta(Decoder in) {
        return new MapDelta(
                in.i64(),
                in.i64(),
                in.list(Codecs::server),
                in.list(Codecs::target),
                in.list(Codecs::pool),
                in.list(Codecs::group),
                gone(in));
    }

    public static void mapPart(Encoder out, MapDelta.Part p) {
        mapDelta(out, p.delta());
        out.i32(p.at()).bool(p.last());
    }

    public static MapDelta.Part mapPart(Decoder in) {
        return new MapDelta.Part(mapDelta(in), in.i32(), in.bool());
    }
}
