package io.cairn.fs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.FsException;
import io.cairn.fs.Acl.Entry;
import io.cairn.fs.Acl.Tag;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class AclTest {
    private static final int GROUP = 20;

    private static Acl acl(int mode, Entry... more) {
        List<Entry> entries = new ArrayList<>(Acl.ofMode(mode).entries());
        entries.addAll(List.of(more));
        return Acl.of(entries);
    }

    private static Entry user(int id, int bits) {
        return new Entry(Tag.USER, bits, id);
    }

    private static Entry group(int id, int bits) {
        return new Entry(Tag.NAMED_GROUP, bits, id);
    }

    private static Entry mask(int bits) {
        return new Entry(Tag.MASK, bits, 0);
    }

    @Test
    void attributeIsThatOfLinux() {
        // What setfacl -m u:1000:rw on a file of mode 0644 stores.
        byte[] linux =
                HexFormat.of()
                        .parseHex(
                                "02000000"
                                        + "01000600ffffffff"
                                        + "02000600e8030000"
                                        + "04000400ffffffff"
                                        + "10000600ffffffff"
                                        + "20000400ffffffff");
        Acl acl = Objects.requireNonNull(Acl.parse(linux));
        assertEquals(acl(0644, user(1000, 6), mask(6)), acl);
        assertArrayEquals(linux, acl.toBytes());
        assertEquals(0664, acl.modeBits());
        assertNull(Acl.parse(new byte[] {2, 0, 0, 0}));
    }

    @Test
    void invalidListsAreRefused() {
        assertThrows(FsException.class, () -> acl(0644, user(1, 6)), "no mask");
        assertThrows(FsException.class, () -> acl(0644, mask(7), mask(7)));
        assertThrows(FsException.class, () -> acl(0644, user(1, 6), user(1, 4), mask(7)));
        assertThrows(FsException.class, () -> acl(0644, user(1, 8), mask(7)));
        assertThrows(FsException.class, () -> Acl.of(List.of()));
        assertThrows(FsException.class, () -> Acl.parse(new byte[] {2, 0, 0, 0, 1}));
        assertThrows(FsException.class, () -> Acl.parse(new byte[] {1, 0, 0, 0}));
        assertThrows(FsException.class, () -> Acl.parse(new byte[12]));
        Entry[] many = new Entry[Acl.MAX_ENTRIES];
        for (int i = 0; i < many.length; i++) {
            many[i] = i == 0 ? mask(7) : user(i, 7);
        }
        assertThrows(FsException.class, () -> acl(0644, many));
    }

    @Test
    void modeAndMaskGoTogether() {
        Acl acl = acl(0640, user(5, 7), mask(6));
        assertEquals(0660, acl.modeBits());
        Acl changed = acl.withMode(0705);
        assertEquals(0705, changed.modeBits());
        assertEquals(acl(0745, user(5, 7), mask(0)), changed);
        assertEquals(Acl.ofMode(0751), Acl.ofMode(0).withMode(0751));
        assertEquals(0640, acl.inherited(0644).modeBits());
        assertEquals(0600, acl.inherited(0600).modeBits());
    }

    @Test
    void firstMatchingEntryDecides() {
        Acl acl = acl(0664, user(5, 6), user(6, 0), group(7, 4), group(8, 2), mask(6));
        assertTrue(acl.grants(Caller.of(5, 99), GROUP, 6));
        assertFalse(acl.grants(Caller.of(5, 99), GROUP, 1));
        assertFalse(acl.grants(Caller.of(6, GROUP), GROUP, 4), "a named user is no group member");
        assertTrue(acl.grants(Caller.of(9, GROUP), GROUP, 6));
        assertTrue(acl.grants(Caller.of(9, 7, 8), GROUP, 4));
        assertTrue(acl.grants(Caller.of(9, 7, 8), GROUP, 2));
        assertFalse(acl.grants(Caller.of(9, 7, 8), GROUP, 6), "one entry has to grant all");
        assertTrue(acl.grants(Caller.of(9, 99), GROUP, 4));
        assertFalse(acl.grants(Caller.of(9, 99), GROUP, 2));
        Acl masked = acl(0664, user(5, 6), group(7, 6), mask(4));
        assertFalse(masked.grants(Caller.of(5, 99), GROUP, 2));
        assertFalse(masked.grants(Caller.of(9, 7), GROUP, 2));
        assertFalse(masked.grants(Caller.of(9, GROUP), GROUP, 2));
        assertTrue(masked.grants(Caller.of(9, 7), GROUP, 4));
    }
}
