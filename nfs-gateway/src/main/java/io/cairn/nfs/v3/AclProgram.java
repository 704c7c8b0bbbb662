package io.cairn.nfs.v3;

import io.cairn.fs.Acl;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.RpcProgram;
import io.cairn.nfs.rpc.XdrException;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * NFSACL version 3, the side protocol by which clients of NFS version 3 read and set POSIX access
 * control lists. No RFC describes it; it is what Solaris began and Linux speaks:
 *
 * <pre>
 * GETACL(handle, mask)           -> status, attributes, mask, access list, list to inherit
 * SETACL(handle, mask, lists)    -> status, attributes
 * list: count, array of {type, id, bits}; the array is there only if the mask asks for it
 * </pre>
 *
 * A list has a mask on the wire even when it has none here, because Solaris wants four entries.
 * Thread-safe; blocks.
 */
public final class AclProgram implements RpcProgram {
    /** The program number. */
    public static final int NUMBER = 100227;

    private static final int VERSION = 3;

    private static final int ACCESS = 1;
    private static final int ACCESS_COUNT = 2;
    private static final int DEFAULT = 4;
    private static final int DEFAULT_COUNT = 8;
    private static final int ALL = ACCESS | ACCESS_COUNT | DEFAULT | DEFAULT_COUNT;

    /** In the type of entries of a list to inherit. */
    private static final int DEFAULT_TYPE = 0x1000;

    private static final int ENTRY_BYTES = 12;
    private static final int USUAL_REPLY_BYTES = 512;

    private final ServedVolume volume;
    private final FileSystem fs;

    AclProgram(ServedVolume volume) {
        this.volume = volume;
        this.fs = volume.fs();
    }

    @Override
    public int number() {
        return NUMBER;
    }

    @Override
    public int lowVersion() {
        return VERSION;
    }

    @Override
    public String nameOf(int procedure) {
        return AclProcedure.CODES.of(procedure).title();
    }

    @Override
    public boolean beginsWithStatus(int procedure) {
        return true;
    }

    @Override
    public boolean hasProcedure(int version, int procedure) {
        return AclProcedure.CODES.find(procedure) != null;
    }

    @Override
    public int replyBytes(RpcCall call, ByteBuf arguments) {
        return USUAL_REPLY_BYTES
                + AclProcedure.CODES.of(call.procedure()).maxEntries() * ENTRY_BYTES;
    }

    @Override
    public void serve(RpcCall call, XdrReader in, XdrWriter out) {
        switch (AclProcedure.CODES.of(call.procedure())) {
            case GETACL -> getacl(call, in, out);
            case SETACL -> setacl(call, in, out);
            case NULL -> {
                // The door answers it.
            }
        }
    }

    private void getacl(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        int mask = in.i32();
        volume.serve(
                call,
                handle,
                out,
                target -> {
                    if ((mask & ~ALL) != 0) {
                        throw new NfsException(NfsStatus.INVAL);
                    }
                    Attributes found = volume.attributes(target);
                    volume.postOp(out.i32(NfsStatus.OK), found);
                    out.i32(mask);
                    Acl access = found.acls().access();
                    access = access == null ? Acl.ofMode(found.mode()) : access;
                    write(out, found, access, (mask & ACCESS) != 0, 0);
                    Acl inherited = found.acls().inherited();
                    write(out, found, inherited, (mask & DEFAULT) != 0, DEFAULT_TYPE);
                },
                target -> volume.postOp(out, target));
    }

    private static void write(
            XdrWriter out, Attributes inode, @Nullable Acl acl, boolean entries, int typeBit) {
        if (acl == null) {
            out.i32(0).i32(0);
            return;
        }
        List<Acl.Entry> all = withMask(acl);
        out.i32(all.size()).i32(entries ? all.size() : 0);
        for (Acl.Entry entry : entries ? all : List.<Acl.Entry>of()) {
            int id =
                    switch (entry.tag()) {
                        case OWNER -> inode.uid();
                        case GROUP -> inode.gid();
                        default -> entry.id();
                    };
            out.i32(entry.tag().code() | typeBit).i32(id).i32(entry.bits());
        }
    }

    private static List<Acl.Entry> withMask(Acl acl) {
        if (!acl.isMode()) {
            return acl.entries();
        }
        List<Acl.Entry> all = new ArrayList<>(acl.entries());
        all.add(2, new Acl.Entry(Acl.Tag.MASK, all.get(1).bits(), 0));
        return all;
    }

    private void setacl(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        int mask = in.i32();
        List<Acl.Entry> access = read(in, 0);
        List<Acl.Entry> inherited = read(in, DEFAULT_TYPE);
        volume.serve(
                call,
                handle,
                out,
                target -> {
                    target.requireWritable();
                    if ((mask & ~ALL) != 0) {
                        throw new NfsException(NfsStatus.INVAL);
                    }
                    if ((mask & ACCESS) != 0) {
                        set(target, Acl.ACCESS_ATTRIBUTE, access);
                    }
                    if ((mask & DEFAULT) != 0) {
                        set(target, Acl.DEFAULT_ATTRIBUTE, inherited);
                    }
                    volume.postOp(out.i32(NfsStatus.OK), volume.attributes(target));
                },
                target -> volume.postOp(out, target));
    }

    private static List<Acl.Entry> read(XdrReader in, int typeBit) {
        in.i32();
        int count = in.choice(Acl.MAX_ENTRIES + 1);
        List<Acl.Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int type = in.i32() & ~typeBit;
            int id = in.i32();
            int bits = in.i32();
            Acl.Tag tag = Acl.Tag.CODES.find(type);
            if (tag == null) {
                throw new XdrException("an ACL entry of type " + type);
            }
            boolean named = tag == Acl.Tag.USER || tag == Acl.Tag.NAMED_GROUP;
            entries.add(new Acl.Entry(tag, bits & 7, named ? id : 0));
        }
        return entries;
    }

    /** A mask that says what the group's entry says was added for the wire. */
    private static List<Acl.Entry> withoutNeedlessMask(List<Acl.Entry> entries) {
        if (entries.size() != 4) {
            return entries;
        }
        List<Acl.Entry> less = new ArrayList<>(entries);
        less.removeIf(entry -> entry.tag() == Acl.Tag.MASK && isGroups(entries, entry.bits()));
        return less;
    }

    private static boolean isGroups(List<Acl.Entry> entries, int bits) {
        return entries.stream()
                .anyMatch(entry -> entry.tag() == Acl.Tag.GROUP && entry.bits() == bits);
    }

    private void set(Target target, String attribute, List<Acl.Entry> entries) {
        byte[] name = attribute.getBytes(StandardCharsets.US_ASCII);
        if (entries.isEmpty()) {
            fs.removeXattr(target.caller(), target.ino(), name);
        } else {
            byte[] value = Acl.of(withoutNeedlessMask(entries)).toBytes();
            fs.setXattr(target.caller(), target.ino(), name, value, 0);
        }
    }
}
