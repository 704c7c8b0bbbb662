package io.cairn.fuse.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class KernelProtocolTest {
    private static final int STATX_AT = 32;
    private static final int BASIC_STATS = 0x7ff;
    private static final int BTIME = 0x800;

    private static Attributes file(long birthNs, int flags) {
        return new Attributes(
                5,
                1,
                FileType.FILE,
                0644,
                1,
                10,
                20,
                0,
                1000,
                1024,
                1_500_000_000L,
                2_500_000_000L,
                3_500_000_000L,
                1,
                Acls.NONE,
                birthNs,
                flags);
    }

    @Test
    void statxTellsFlagsAndBirth() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(KernelProtocol.STATX_BYTES, 8);
            long at = memory.address();
            int flags = Attributes.IMMUTABLE | Attributes.NODUMP | Attributes.NOATIME;
            KernelProtocol.putStatx(at, file(4_500_000_000L, flags), 1500);
            assertEquals(1, RawMemory.getLong(at));
            assertEquals(500_000_000, RawMemory.getInt(at + 8));
            assertEquals(BASIC_STATS | BTIME, RawMemory.getInt(at + STATX_AT));
            assertEquals(0x10 | 0x40, RawMemory.getLong(at + STATX_AT + 8));
            assertEquals(0x70, RawMemory.getLong(at + STATX_AT + 56));
            assertEquals(1000, RawMemory.getLong(at + STATX_AT + 40));
            assertEquals(4, RawMemory.getLong(at + STATX_AT + 80));
            assertEquals(500_000_000, RawMemory.getInt(at + STATX_AT + 88));
            KernelProtocol.putStatx(at, file(0, Attributes.APPEND), 0);
            assertEquals(BASIC_STATS, RawMemory.getInt(at + STATX_AT));
            assertEquals(0x20, RawMemory.getLong(at + STATX_AT + 8));
        }
    }

    @Test
    void flagsHaveTheirNumbersInBothWords() {
        for (int flags = 0; flags <= Attributes.ALL_FLAGS; flags++) {
            assertEquals(flags, InodeFlags.toAttributes(InodeFlags.ofAttributes(flags)));
            assertEquals(flags, InodeFlags.fromExtended(InodeFlags.extendedOf(flags)));
        }
        int all = Attributes.IMMUTABLE | Attributes.APPEND;
        assertEquals(0x30, InodeFlags.ofAttributes(all));
        assertEquals(0x18, InodeFlags.extendedOf(all));
        assertEquals(0x80, InodeFlags.ofAttributes(Attributes.NOATIME));
        assertEquals(0x40, InodeFlags.extendedOf(Attributes.NOATIME));
    }
}
