package io.cairn.metadata.inode;

import static io.cairn.fs.AttributeChange.NONE;
import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.fs.Acl;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AclOperationTest {
    private static final byte[] ACCESS = Acl.ACCESS_ATTRIBUTE.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DEFAULT = Acl.DEFAULT_ATTRIBUTE.getBytes(StandardCharsets.US_ASCII);

    private final Bench bench = Bench.withPools(1, 2);
    private final long ino = bench.create(ROOT, "f", "text").ino();
    private final long dir = bench.mkdir(ROOT, "d").ino();

    @AfterEach
    void invariantsHold() {
        bench.verify();
    }

    private static Acl acl(int mode, int userBits, int mask) {
        List<Acl.Entry> entries = new ArrayList<>(Acl.ofMode(mode).entries());
        entries.add(new Acl.Entry(Acl.Tag.USER, userBits, 1000));
        entries.add(new Acl.Entry(Acl.Tag.MASK, mask, 0));
        return Acl.of(entries);
    }

    private Attributes set(long at, byte[] name, Acl acl) {
        return bench.ok(new TreeMutation.SetXattr(at, name, acl.toBytes(), 0)).inode().attributes();
    }

    @Test
    void modeFollowsTheListAndTheListTheMode() {
        bench.change(ino, NONE.withMode(04600));
        Attributes before = bench.inode(ino).attributes();
        bench.nowNs += 1000;
        Attributes a = set(ino, ACCESS, acl(0640, 7, 6));
        assertEquals(04660, a.mode());
        assertEquals(bench.nowNs, a.ctimeNs());
        assertTrue(a.version() > before.version());
        assertEquals(acl(0640, 7, 6), a.acls().access());
        a = bench.change(ino, NONE.withMode(0604)).attributes();
        assertEquals(acl(0644, 7, 0), a.acls().access());
        a = set(ino, ACCESS, Acl.ofMode(0751));
        assertEquals(0751, a.mode());
        assertEquals(Acls.NONE, a.acls());
    }

    @Test
    void newInodesInherit() {
        Attributes d = set(dir, DEFAULT, acl(0770, 7, 7));
        assertNull(d.acls().access());
        Attributes file = bench.create(dir, "f", "").attributes();
        assertEquals(
                acl(0770, 7, file.mode() >> 3 & 7).withMode(file.mode()), file.acls().access());
        assertNull(file.acls().inherited());
        Attributes sub = bench.mkdir(dir, "s").attributes();
        assertEquals(acl(0770, 7, 7), sub.acls().inherited());
        assertEquals(acl(0770, 7, 7).withMode(sub.mode()), sub.acls().access());
        byte[] target = {'x'};
        Attributes link =
                bench.ok(new TreeMutation.Symlink(dir, Name.of("l"), target, 1, 1))
                        .inode()
                        .attributes();
        assertEquals(Acls.NONE, link.acls());
        assertEquals(0777, link.mode());
        bench.ok(new TreeMutation.RemoveXattr(dir, DEFAULT));
        assertEquals(Acls.NONE, bench.create(dir, "g", "").attributes().acls());
    }

    @Test
    void plainDefaultListLimitsTheMode() {
        set(dir, DEFAULT, Acl.ofMode(0750));
        Attributes file = bench.create(dir, "f", "").attributes();
        assertEquals(0640 & 0750, file.mode() & 0750);
        assertEquals(0, file.mode() & 07);
        assertEquals(Acls.NONE, file.acls());
    }

    @Test
    void badRequestsFail() {
        byte[] value = acl(0640, 7, 6).toBytes();
        bench.fails(Errno.EACCES, new TreeMutation.SetXattr(ino, DEFAULT, value, 0));
        bench.fails(Errno.EINVAL, new TreeMutation.SetXattr(ino, ACCESS, new byte[3], 0));
        int replace = FileSystem.XATTR_REPLACE;
        int create = FileSystem.XATTR_CREATE;
        bench.fails(Errno.ENODATA, new TreeMutation.SetXattr(ino, ACCESS, value, replace));
        bench.ok(new TreeMutation.SetXattr(ino, ACCESS, value, create));
        bench.fails(Errno.EEXIST, new TreeMutation.SetXattr(ino, ACCESS, value, create));
        bench.ok(new TreeMutation.SetXattr(ino, ACCESS, new byte[] {2, 0, 0, 0}, replace));
        assertEquals(Acls.NONE, bench.inode(ino).attributes().acls());
        byte[] target = {'x'};
        long link =
                bench.ok(new TreeMutation.Symlink(ROOT, Name.of("l"), target, 1, 1)).inode().ino();
        bench.fails(Errno.EOPNOTSUPP, new TreeMutation.SetXattr(link, ACCESS, value, 0));
    }
}
