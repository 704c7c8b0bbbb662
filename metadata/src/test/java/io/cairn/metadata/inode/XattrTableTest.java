package io.cairn.metadata.inode;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.base.Errno;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.Bench;
import io.cairn.metadata.state.Store;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class XattrTableTest {
    private static final int CREATE = FileSystem.XATTR_CREATE;
    private static final int REPLACE = FileSystem.XATTR_REPLACE;

    private final Bench bench = new Bench();
    private final long ino = bench.create(ROOT, "f").ino();

    @AfterEach
    void invariantsHold() {
        bench.verify();
    }

    private TreeMutation.SetXattr setting(String name, int valueBytes, int flags) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return new TreeMutation.SetXattr(ino, bytes, new byte[valueBytes], flags);
    }

    private TreeMutation.RemoveXattr removing(String name) {
        return new TreeMutation.RemoveXattr(ino, name.getBytes(StandardCharsets.UTF_8));
    }

    private Query.GetXattr getting(String name) {
        return new Query.GetXattr(ino, name.getBytes(StandardCharsets.UTF_8));
    }

    private List<String> names() {
        return assertInstanceOf(Reply.NamesReply.class, bench.read(new Query.ListXattr(ino)))
                .names()
                .stream()
                .map(name -> new String(name, StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void valuesAreSetReplacedListedAndRemoved() {
        bench.ok(setting("user.b", 3, 0));
        bench.ok(setting("user.a", 0, 0));
        assertEquals(List.of("user.a", "user.b"), names());
        bench.ok(setting("user.b", 5, 0));
        Reply value = bench.read(getting("user.b"));
        assertArrayEquals(new byte[5], assertInstanceOf(Reply.BytesReply.class, value).bytes());
        bench.ok(removing("user.a"));
        bench.ok(removing("user.b"));
        assertEquals(List.of(), names());
        assertEquals(0, bench.store.size(Store.Family.XATTR));
    }

    @Test
    void flagsDecide() {
        bench.fails(Errno.ENODATA, setting("user.a", 1, REPLACE));
        bench.ok(setting("user.a", 1, CREATE));
        bench.fails(Errno.EEXIST, setting("user.a", 1, CREATE));
        bench.ok(setting("user.a", 2, REPLACE));
        bench.fails(Errno.EEXIST, setting("user.a", 1, CREATE | REPLACE));
        bench.fails(Errno.ENODATA, setting("user.b", 1, CREATE | REPLACE));
        bench.fails(Errno.EINVAL, setting("user.a", 1, 4));
    }

    @Test
    void namesHaveLimits() {
        bench.fails(Errno.ERANGE, setting("", 1, 0));
        bench.fails(Errno.ERANGE, setting("x".repeat(256), 1, 0));
        bench.fails(Errno.EINVAL, setting("a\0b", 1, 0));
        bench.ok(setting("x".repeat(255), 1, 0));
        bench.fails(Errno.ERANGE, removing(""));
        bench.readFails(Errno.ERANGE, getting(""));
    }

    @Test
    void valuesHaveALimit() {
        bench.ok(setting("user.a", FileSystem.MAX_XATTR_BYTES, 0));
        bench.fails(Errno.E2BIG, setting("user.a", FileSystem.MAX_XATTR_BYTES + 1, 0));
    }

    @Test
    void allValuesTogetherHaveALimit() {
        for (int i = 0; i < 15; i++) {
            bench.ok(setting("user." + i, FileSystem.MAX_XATTR_BYTES, 0));
        }
        bench.fails(Errno.ENOSPC, setting("user.x", FileSystem.MAX_XATTR_BYTES, 0));
        bench.ok(setting("user.x", FileSystem.MAX_XATTR_BYTES - 1000, 0));
        bench.fails(Errno.ENOSPC, setting("user.x", FileSystem.MAX_XATTR_BYTES, REPLACE));
        bench.ok(setting("user.1", 0, REPLACE));
        bench.ok(setting("user.x", FileSystem.MAX_XATTR_BYTES, REPLACE));
    }

    @Test
    void allNamesTogetherHaveALimit() {
        String name = "x".repeat(252);
        int count = XattrTable.MAX_LIST_BYTES / 256;
        for (int i = 0; i < count; i++) {
            bench.ok(setting(name + String.format("%03d", i), 0, 0));
        }
        bench.fails(Errno.ENOSPC, setting("y", 0, 0));
        assertEquals(count, names().size());
    }

    @Test
    void whatIsMissingIsSaid() {
        bench.fails(Errno.ENODATA, removing("user.a"));
        bench.readFails(Errno.ENODATA, getting("user.a"));
        bench.readFails(Errno.ESTALE, new Query.GetXattr(4711, new byte[] {'a'}));
        bench.readFails(Errno.ESTALE, new Query.ListXattr(4711));
    }

    @Test
    void aPurgedInodeTakesItsAttributesAlongEvenOfTheSameEntry() {
        bench.ok(setting("user.a", 1, 0));
        bench.ok(setting("user.b", 1, 0));
        bench.unlink(ROOT, "f");
        bench.applyEntry(
                Bench.entry(
                        bench.envelope(1, setting("user.c", 1, 0)),
                        bench.envelope(1, removing("user.a")),
                        new io.cairn.wire.master.Envelope(
                                0, 0, 0, 1, new LeaderMutation.Purge(new long[] {ino}))));
        assertEquals(0, bench.store.size(Store.Family.XATTR));
    }
}
