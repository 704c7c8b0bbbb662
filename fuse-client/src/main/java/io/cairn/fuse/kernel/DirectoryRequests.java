package io.cairn.fuse.kernel;

import static io.cairn.fuse.sys.RawMemory.getInt;
import static io.cairn.fuse.sys.RawMemory.getLong;

import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fuse.loop.DirectoryCursor;
import io.cairn.fuse.loop.LoopThread;
import io.cairn.fuse.loop.MountState;
import io.cairn.fuse.sys.KernelProtocol;
import io.cairn.fuse.sys.RawMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests of the kernel on open directories, in the form of {@link NodeRequests}. */
final class DirectoryRequests {
    private final MountState state;
    private final long entryMs;
    private final long attributeMs;

    DirectoryRequests(MountState state, long attributeMs) {
        this.state = state;
        this.entryMs = state.options().entryTimeoutMs();
        this.attributeMs = attributeMs;
    }

    int open(LoopThread thread) {
        DirectoryCursor cursor =
                new DirectoryCursor(state.fileSystem(), state.files(), thread.node(), false);
        KernelProtocol.putOpen(thread.reply() + 16, state.directories().add(cursor), 0);
        return KernelProtocol.OPEN_BYTES;
    }

    /** fuse_release_in: +0 fh. */
    int release(LoopThread thread) {
        state.directories().remove(getLong(thread.arguments()));
        return 0;
    }

    int sync(LoopThread thread) {
        state.fileSystem().syncDirectory(thread.node());
        return 0;
    }

    /** fuse_read_in: +0 fh +8 offset +16 size. */
    int read(LoopThread thread, boolean plus) {
        long in = thread.arguments();
        int size = Math.min(getInt(in + 16), Negotiation.MAX_IO_BYTES);
        Portion portion = new Portion(thread.reply() + 16, size, plus, thread.node());
        DirectoryCursor cursor = state.directories().get(getLong(in));
        cursor.read(thread.caller(), getLong(in + 8), plus, portion);
        return portion.lengthBytes();
    }

    /** A reply that is being filled with fuse_dirent or fuse_direntplus. */
    private final class Portion implements DirectoryCursor.Sink {
        private final long start;
        private final long end;
        private final boolean plus;
        private final long directoryIno;
        private long at;

        Portion(long start, int sizeBytes, boolean plus, long directoryIno) {
            this.start = start;
            this.end = start + sizeBytes;
            this.plus = plus;
            this.directoryIno = directoryIno;
            this.at = start;
        }

        int lengthBytes() {
            return (int) (at - start);
        }

        private int bytes(int nameLength) {
            return KernelProtocol.direntBytes(nameLength) + (plus ? KernelProtocol.ENTRY_BYTES : 0);
        }

        @Override
        public boolean fits(List<DirectoryEntry> group) {
            long needed = 0;
            for (DirectoryEntry entry : group) {
                needed += bytes(entry.name().length());
            }
            return at + needed <= end;
        }

        @Override
        public boolean add(
                byte[] name,
                long ino,
                FileType type,
                long nextOffset,
                @Nullable Attributes attributes) {
            if (at + bytes(name.length) > end) {
                return false;
            }
            if (plus) {
                if (attributes == null) {
                    // Node number 0: a name without attributes.
                    RawMemory.zero(at, KernelProtocol.ENTRY_BYTES);
                } else {
                    long keptMs = state.view().tells(attributes) ? attributeMs : 0;
                    if (attributes.isFile()) {
                        state.replaced().names().put(directoryIno, Name.of(name), ino);
                    }
                    KernelProtocol.putEntry(at, attributes, entryMs, keptMs);
                }
                at += KernelProtocol.ENTRY_BYTES;
            }
            KernelProtocol.putDirent(at, ino, nextOffset, type, name);
            at += KernelProtocol.direntBytes(name.length);
            return true;
        }
    }
}
