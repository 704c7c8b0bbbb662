package io.cairn.metadata.inode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LinkTableTest {
    private static final long ROOT = FileSystem.ROOT_INO;

    private final Bench bench = Bench.withPools(1);
    private long a;
    private long b;
    private long file;

    @BeforeEach
    void make() {
        a = bench.mkdir(ROOT, "a").ino();
        b = bench.mkdir(ROOT, "b").ino();
        file = bench.create(a, "f").ino();
    }

    private void link(long parent, String name) {
        bench.ok(new TreeMutation.Link(file, parent, Name.of(name)));
    }

    private void rename(long from, String name, long to, String newName, int flags) {
        bench.ok(new TreeMutation.Rename(from, Name.of(name), to, Name.of(newName), flags, 0, 0));
    }

    private long lookup(String name) {
        Reply reply = bench.read(new Query.Lookup(b, Name.of(name)));
        return assertInstanceOf(Reply.EntryReply.class, reply).inode().ino();
    }

    private String path(long ino) {
        Reply reply = bench.read(new Query.GetPath(ino));
        return new String(
                assertInstanceOf(Reply.BytesReply.class, reply).bytes(),
                java.nio.charset.StandardCharsets.UTF_8);
    }

    private void assertHome(long parent, String path, int further) {
        bench.verify();
        assertEquals(parent, bench.inode(file).parentIno());
        assertEquals(path, path(file));
        assertEquals(further, bench.store.size(Family.LINK));
    }

    @Test
    void theFirstNameIsTheHomeUntilItGoes() {
        assertHome(a, "/a/f", 0);
        link(b, "g");
        link(b, "h");
        assertHome(a, "/a/f", 2);
        bench.unlink(b, "g");
        assertHome(a, "/a/f", 1);
        bench.unlink(a, "f");
        assertHome(b, "/b/h", 0);
        bench.unlink(b, "h");
        assertEquals(0, bench.inode(file).parentIno());
    }

    @Test
    void aRenameMovesTheNameThatItIsAbout() {
        rename(a, "f", a, "other", 0);
        assertHome(a, "/a/other", 0);
        link(b, "g");
        rename(b, "g", ROOT, "g", 0);
        assertHome(a, "/a/other", 1);
        rename(a, "other", b, "f", 0);
        assertHome(b, "/b/f", 1);
        rename(b, "f", ROOT, "g", 0); // both are this file: nothing happens
        assertHome(b, "/b/f", 1);
        bench.create(a, "new");
        rename(a, "new", b, "f", 0);
        assertHome(ROOT, "/g", 0);
        assertEquals("/b/f", path(lookup("f")));
    }

    @Test
    void anExchangeGivesEachTheNameOfTheOther() {
        long other = bench.create(b, "g").ino();
        link(a, "second");
        rename(a, "second", b, "g", FileSystem.RENAME_EXCHANGE);
        assertHome(a, "/a/f", 1);
        assertEquals("/a/second", path(other));
        rename(a, "f", a, "second", FileSystem.RENAME_EXCHANGE);
        assertHome(a, "/a/second", 1);
        assertEquals("/a/f", path(other));
        rename(ROOT, "a", ROOT, "b", FileSystem.RENAME_EXCHANGE);
        assertHome(a, "/b/second", 1);
        assertEquals("/a", path(b));
    }

    @Test
    void whatHadNoNameGetsItsHomeWithTheFirst() {
        long unnamed = bench.ok(new TreeMutation.CreateUnnamed(a, 0644, 0, 0, true)).inode().ino();
        assertEquals(0, bench.inode(unnamed).parentIno());
        bench.ok(new TreeMutation.Link(unnamed, b, Name.of("now")));
        assertEquals("/b/now", path(unnamed));
        rename(b, "now", b, "later", FileSystem.RENAME_WHITEOUT);
        assertEquals("/b/later", path(unnamed));
        assertEquals("/b/now", path(lookup("now")));
        assertHome(a, "/a/f", 0);
    }
}
