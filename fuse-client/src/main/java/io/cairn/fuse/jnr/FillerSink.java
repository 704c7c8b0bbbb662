package io.cairn.fuse.jnr;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fuse.loop.DirectoryCursor;
import io.cairn.fuse.sys.RawMemory;
import io.cairn.fuse.sys.StatLayout;
import io.cairn.os.NativeCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hands directory entries to libfuse through the {@code fuse_fill_dir_t} that {@code readdir} got.
 * libfuse does not tell how much room is left, so this counts as it does. For one thread.
 */
final class FillerSink implements DirectoryCursor.Sink, AutoCloseable {
    private static final MethodHandle FILL =
            NativeCalls.bindPointer(
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    /** Size of struct fuse_dirent before the name; each entry is padded to 8 bytes. */
    private static final int ENTRY_BYTES = 24;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment filler;
    private final long buffer;
    private final long name;
    private final long stat;
    private int leftBytes;

    FillerSink(long filler, long buffer, int sizeBytes) {
        this.filler = MemorySegment.ofAddress(filler);
        this.buffer = buffer;
        this.leftBytes = sizeBytes;
        this.name = arena.allocate(Name.MAX_BYTES + 1L).address();
        this.stat = arena.allocate(StatLayout.STAT_BYTES, 8).address();
    }

    private static int bytes(int nameLength) {
        return ENTRY_BYTES + (nameLength + 7 & ~7);
    }

    @Override
    public boolean fits(List<DirectoryEntry> group) {
        int needed = 0;
        for (DirectoryEntry entry : group) {
            needed += bytes(entry.name().length());
        }
        return needed <= leftBytes;
    }

    @Override
    public boolean add(
            byte[] nameBytes,
            long ino,
            FileType type,
            long nextOffset,
            @Nullable Attributes attributes) {
        leftBytes -= bytes(nameBytes.length);
        if (leftBytes < 0) {
            return false;
        }
        RawMemory.putBytes(name, nameBytes);
        RawMemory.putByte(name + nameBytes.length, 0);
        StatLayout.putType(stat, ino, type);
        try {
            return (int) FILL.invokeExact(filler, buffer, name, stat, nextOffset) == 0;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a foreign call throws nothing checked", e);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
