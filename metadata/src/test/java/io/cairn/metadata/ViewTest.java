package io.cairn.metadata;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Encoder;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.DirectoryReply;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ViewTest {
    private final Bench bench = new Bench();

    private DirectoryReply page(long ino, long cookie, int max, boolean attributes) {
        return assertInstanceOf(
                DirectoryReply.class,
                bench.read(new Query.ReadDirectory(ino, cookie, max, attributes)));
    }

    private List<String> listing(long ino, int max) {
        List<String> names = new ArrayList<>();
        long cookie = 0;
        boolean end = false;
        while (!end) {
            DirectoryReply page = page(ino, cookie, max, false);
            assertFalse(page.entries().isEmpty() && !page.end(), "an empty page in the middle");
            page.entries().forEach(entry -> names.add(entry.name().toString()));
            cookie = page.entries().isEmpty() ? cookie : page.entries().getLast().cookie();
            end = page.end();
        }
        return names;
    }

    @Test
    void lookupTellsInodeAndParent() {
        Inode file = bench.create(ROOT, "f");
        Reply.EntryReply reply =
                assertInstanceOf(
                        Reply.EntryReply.class, bench.read(new Query.Lookup(ROOT, Name.of("f"))));
        assertEquals(file.attributes(), reply.inode().attributes());
        assertEquals(bench.inode(ROOT).directoryState(), reply.parent());
        assertEquals(
                new Reply.Absent(bench.inode(ROOT).directoryState()),
                bench.read(new Query.Lookup(ROOT, Name.of("g"))));
        bench.readFails(Errno.ENOTDIR, new Query.Lookup(file.ino(), Name.of("g")));
        bench.readFails(Errno.ESTALE, new Query.Lookup(4711, Name.of("g")));
        bench.readFails(Errno.ESTALE, new Query.GetInode(4711));
    }

    @Test
    void pagesOfAnySizeListEverythingOnce() {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            bench.create(ROOT, "f" + i);
            names.add("f" + i);
        }
        for (int max : new int[] {1, 2, 7, 99, 100, 101, 5000, 0, -1}) {
            List<String> listed = listing(ROOT, max);
            assertEquals(100, listed.size());
            assertEquals(names, new HashSet<>(listed));
        }
    }

    @Test
    void entriesThatStayAreListedOnceWhateverElseHappens() {
        for (int i = 0; i < 100; i++) {
            bench.create(ROOT, "stays" + i);
            bench.create(ROOT, "goes" + i);
        }
        List<String> listed = new ArrayList<>();
        long cookie = 0;
        for (int i = 0; i < 100; i++) {
            DirectoryReply page = page(ROOT, cookie, 3, false);
            page.entries().forEach(entry -> listed.add(entry.name().toString()));
            cookie = page.entries().isEmpty() ? cookie : page.entries().getLast().cookie();
            bench.unlink(ROOT, "goes" + i);
            bench.create(ROOT, "comes" + i);
        }
        List<String> stayed = listed.stream().filter(n -> n.startsWith("stays")).toList();
        assertEquals(100, stayed.size());
        assertEquals(100, new HashSet<>(stayed).size());
    }

    @Test
    void attributesComeWhenAskedFor() {
        Inode file = bench.create(ROOT, "f");
        bench.mkdir(ROOT, "d");
        List<DirectoryEntry> plain = page(ROOT, 0, 10, false).entries();
        List<DirectoryEntry> full = page(ROOT, 0, 10, true).entries();
        assertEquals(2, plain.size());
        for (int i = 0; i < 2; i++) {
            Attributes attributes = full.get(i).attributes();
            assertNull(plain.get(i).attributes());
            assertNotNull(attributes);
            assertEquals(plain.get(i).ino(), attributes.ino());
            boolean isFile = plain.get(i).ino() == file.ino();
            assertEquals(isFile ? FileType.FILE : FileType.DIRECTORY, plain.get(i).type());
        }
    }

    @Test
    void manyNamesAreLookedUpAtOnce() {
        long dir = bench.mkdir(ROOT, "d").ino();
        Inode first = bench.create(dir, "first");
        Inode second = bench.create(dir, "second");
        List<Name> names = List.of(Name.of("second"), Name.of("none"), Name.of("first"));
        DirectoryReply reply =
                assertInstanceOf(
                        DirectoryReply.class, bench.read(new Query.LookupMany(dir, names)));
        assertEquals(bench.inode(dir).directoryState(), reply.directory());
        assertFalse(reply.end());
        assertEquals(
                List.of(second.attributes(), first.attributes()),
                reply.entries().stream().map(DirectoryEntry::attributes).toList());
        bench.readFails(Errno.ENOTDIR, new Query.LookupMany(first.ino(), names));
        bench.readFails(Errno.ESTALE, new Query.LookupMany(4711, names));
        bench.readFails(
                Errno.EINVAL,
                new Query.LookupMany(
                        dir, Collections.nCopies(Limits.MAX_PAGE_ENTRIES + 1, Name.of("first"))));
    }

    @Test
    void manyLongNamesFitIntoAFrame() {
        List<Name> names = new ArrayList<>();
        for (int i = 0; i < Limits.MAX_PAGE_ENTRIES; i++) {
            names.add(Name.of("f" + "x".repeat(250)));
        }
        bench.create(ROOT, names.getFirst().toString());
        DirectoryReply reply =
                assertInstanceOf(
                        DirectoryReply.class, bench.read(new Query.LookupMany(ROOT, names)));
        int bytes = reply.toBytes(1).length;
        assertTrue(bytes < Limits.MAX_HEADER_BYTES, bytes + " bytes");
    }

    @Test
    void aPageNeverEndsBetweenEqualCookies() {
        // No two names with one hash are known; the store does not mind.
        List<Change> changes = new ArrayList<>();
        byte[] value = Keys.value(18).i64(1).u8(FileType.FILE.code()).i64(5).toBytes();
        for (int i = 0; i < 12; i++) {
            byte[] key =
                    new Encoder()
                            .i64(ROOT)
                            .i64(100 + i / 4)
                            .raw(new byte[] {(byte) ('a' + i)}, 0, 1)
                            .toBytes();
            changes.add(new Change(Family.DENTRY, key, value));
        }
        bench.store.commit(changes, 1, 100);
        bench.reopen();
        DirectoryReply first = page(ROOT, 0, 5, false);
        assertEquals(8, first.entries().size());
        assertFalse(first.end());
        assertEquals(4, page(ROOT, 0, 1, false).entries().size());
        DirectoryReply rest = page(ROOT, first.entries().getLast().cookie(), 5, false);
        assertEquals(4, rest.entries().size());
        assertTrue(rest.end());
        assertEquals("abcdefghijkl", String.join("", listing(ROOT, 1)));
    }

    @Test
    void pagesFitIntoAFrame() {
        long dir = bench.mkdir(ROOT, "d").ino();
        String tail = "x".repeat(250);
        for (int group = 0; group < 100; group++) {
            Envelope[] envelopes = new Envelope[50];
            for (int i = 0; i < envelopes.length; i++) {
                String name = String.format("%05d", group * 50 + i) + tail;
                envelopes[i] = bench.envelope(1, Bench.creation(dir, name, ""));
            }
            bench.applyEntry(Bench.entry(envelopes));
        }
        DirectoryReply page = page(dir, 0, Limits.MAX_PAGE_ENTRIES, true);
        assertFalse(page.end());
        int bytes = page.toBytes(1).length;
        assertTrue(bytes < Limits.MAX_HEADER_BYTES, bytes + " bytes");
        assertEquals(5000, new HashSet<>(listing(dir, Limits.MAX_PAGE_ENTRIES)).size());
    }

    @Test
    void theCookieMayBeTheLastThereIs() {
        bench.create(ROOT, "f");
        DirectoryReply page = page(ROOT, Long.MAX_VALUE, 10, false);
        assertTrue(page.end());
        assertEquals(List.of(), page.entries());
        bench.readFails(Errno.EINVAL, new Query.ReadDirectory(ROOT, -1, 10, false));
    }

    @Test
    void onlyDirectoriesAreListedAndRemovedOnesAreEmpty() {
        long file = bench.create(ROOT, "f").ino();
        long dir = bench.mkdir(ROOT, "d").ino();
        bench.ok(new TreeMutation.Rmdir(ROOT, Name.of("d")));
        bench.readFails(Errno.ENOTDIR, new Query.ReadDirectory(file, 0, 10, false));
        assertTrue(page(dir, 0, 10, false).end());
    }
}
