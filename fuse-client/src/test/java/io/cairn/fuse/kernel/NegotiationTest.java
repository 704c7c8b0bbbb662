package io.cairn.fuse.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.sys.RawMemory;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NegotiationTest {
    private static final int WRITEBACK_CACHE = 1 << 16;
    private static final int AUTO_INVAL_DATA = 1 << 12;
    private static final int MAX_PAGES = 1 << 22;
    private static final int INIT_EXT = 1 << 30;

    private final Arena arena = Arena.ofConfined();
    private final long in = arena.allocate(64, 8).address();
    private final long out = arena.allocate(64, 8).address();

    @AfterEach
    void free() {
        arena.close();
    }

    private int answer(int major, int minor, int flags, int flags2) {
        RawMemory.putInt(in, major);
        RawMemory.putInt(in + 4, minor);
        RawMemory.putInt(in + 8, 131_072);
        RawMemory.putInt(in + 12, flags);
        RawMemory.putInt(in + 16, flags2);
        return Negotiation.answer(in, out, MountOptions.standard().withMaxBackground(40));
    }

    @Test
    void takesWhatIsOfferedAndWanted() {
        assertEquals(64, answer(7, 45, -1, -1));
        assertEquals(7, RawMemory.getInt(out));
        assertEquals(39, RawMemory.getInt(out + 4));
        assertEquals(1 << 20, RawMemory.getInt(out + 8));
        int flags = RawMemory.getInt(out + 12);
        assertEquals(MAX_PAGES | INIT_EXT, flags & (MAX_PAGES | INIT_EXT));
        assertEquals(0, flags & (WRITEBACK_CACHE | AUTO_INVAL_DATA));
        assertEquals(40, RawMemory.getShort(out + 16));
        assertEquals(30, RawMemory.getShort(out + 18));
        assertEquals(1 << 20, RawMemory.getInt(out + 20));
        assertEquals(256, RawMemory.getShort(out + 28));
        assertEquals(16, RawMemory.getInt(out + 32));
    }

    @Test
    void takesNothingThatIsNotOffered() {
        answer(7, 31, 3, -1);
        assertEquals(31, RawMemory.getInt(out + 4));
        assertEquals(3, RawMemory.getInt(out + 12));
        assertEquals(0, RawMemory.getInt(out + 32));
    }

    @Test
    void refusesAnOldKernel() {
        FsException e = assertThrows(FsException.class, () -> answer(7, 30, -1, 0));
        assertEquals(Errno.EPROTO, e.errno());
        assertThrows(FsException.class, () -> answer(8, 40, -1, 0));
    }
}
