package io.cairn.nfs.v3;

import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.FileSystem;
import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * READDIR and READDIRPLUS (RFC 1813, 3.3.16 and 17). Thread-safe; blocks.
 *
 * <p>The cookie of an entry is that of its name, so it is the same for both procedures and on every
 * gateway, and stays good whatever else happens in the directory; {@code .} has 1 and {@code ..}
 * has 2. Hence the cookie verifier never changes, and a cookie whose entry is gone is as good as
 * any.
 */
final class DirectoryProcedures {
    private static final long DOT = 1;
    private static final long DOT_DOT = 2;
    private static final int VERIFIER_BYTES = 8;
    private static final int MAX_PAGE_ENTRIES = 4096;

    /** The smallest size of an entry: follows, fileid, name of up to 4 bytes, cookie. */
    private static final int ENTRY_BYTES = 4 + 8 + 4 + 4 + 8;

    /**
     * The addition of READDIRPLUS: attributes and handle, each with a flag that says that they are
     * there.
     */
    private static final int PLUS_BYTES =
            4 + AttributeCodec.FATTR_BYTES + 4 + 4 + HandleCodec.BYTES;

    /** The end of a listing: no entry follows, end. */
    private static final int TAIL_BYTES = 8;

    private final ServedVolume volume;
    private final FileSystem fs;
    private final int maxListingBytes;

    /**
     * Over a volume.
     *
     * @param maxListingBytes no answer is longer, whatever is asked for
     */
    DirectoryProcedures(ServedVolume volume, int maxListingBytes) {
        this.volume = volume;
        this.fs = volume.fs();
        this.maxListingBytes = maxListingBytes;
    }

    void readdir(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        long cookie = in.i64();
        in.fixed(VERIFIER_BYTES);
        long count = in.u32();
        list(call, handle, out, new Listing(out, false, cookie, count, count));
    }

    void readdirplus(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        long cookie = in.i64();
        in.fixed(VERIFIER_BYTES);
        long names = in.u32();
        long count = in.u32();
        list(call, handle, out, new Listing(out, true, cookie, names, count));
    }

    private void list(RpcCall call, byte[] handle, XdrWriter out, Listing listing) {
        volume.serve(
                call,
                handle,
                out,
                target -> listing.run(target),
                target -> volume.postOp(out, target));
    }

    /** One answer being filled. */
    private final class Listing {
        private final XdrWriter out;
        private final boolean plus;
        private final int maxBytes;
        private final long maxNameBytes;
        private long cookie;
        private long nameBytes;
        private int entries;
        private boolean details;

        Listing(XdrWriter out, boolean plus, long cookie, long maxNameBytes, long count) {
            this.out = out;
            this.plus = plus;
            this.cookie = cookie;
            this.maxNameBytes = maxNameBytes;
            this.maxBytes = (int) Math.min(count, maxListingBytes);
        }

        void run(Target directory) {
            Attributes here = volume.attributes(directory);
            if (!here.isDirectory()) {
                throw new NfsException(NfsStatus.NOTDIR);
            }
            fs.access(directory.caller(), directory.ino(), FileSystem.ACCESS_READ);
            details = plus && maySearch(directory);
            out.i32(NfsStatus.OK);
            volume.postOp(out, here);
            out.i64(0);
            boolean end = fillDots(directory, here) && fill(directory);
            if (!end && entries == 0) {
                throw new NfsException(NfsStatus.TOOSMALL);
            }
            out.bool(false).bool(end);
        }

        /** A caller that may read a directory but not search it gets names only. */
        private boolean maySearch(Target directory) {
            try {
                fs.access(directory.caller(), directory.ino(), FileSystem.ACCESS_EXECUTE);
                return true;
            } catch (FsException e) {
                return false;
            }
        }

        private boolean fillDots(Target directory, Attributes here) {
            if (cookie < DOT && cookie >= 0) {
                if (!add(directory, dots("."), DOT, here.ino(), here)) {
                    return false;
                }
            }
            if (cookie >= 0 && cookie < DOT_DOT) {
                long parent = volume.parent(directory);
                Attributes above = details ? fs.getAttributes(directory.caller(), parent) : null;
                return add(directory, dots(".."), DOT_DOT, parent, above);
            }
            return true;
        }

        private static byte[] dots(String name) {
            return name.getBytes(StandardCharsets.US_ASCII);
        }

        /** Adds what fits; whether the directory ends. */
        private boolean fill(Target directory) {
            while (true) {
                int room = maxBytes - TAIL_BYTES - out.lengthBytes();
                int each = ENTRY_BYTES + 16 + (plus ? PLUS_BYTES : 0);
                int wanted = Math.clamp(room / each + 1, 1, MAX_PAGE_ENTRIES);
                long after = cookie <= DOT_DOT && cookie >= 0 ? 0 : cookie;
                if (after < 0) {
                    return true;
                }
                DirectoryPage page =
                        fs.readDirectory(
                                directory.caller(), directory.ino(), after, wanted, details);
                List<DirectoryEntry> found = page.entries();
                int fitting = addAll(directory, found);
                if (fitting < found.size()) {
                    return false;
                }
                if (page.end() || found.isEmpty()) {
                    return true;
                }
            }
        }

        /** Adds entries in groups with the same cookie, each as a whole; how many fit. */
        private int addAll(Target directory, List<DirectoryEntry> found) {
            int begin = 0;
            while (begin < found.size()) {
                int end = begin + 1;
                while (end < found.size() && found.get(end).cookie() == found.get(begin).cookie()) {
                    end++;
                }
                if (!fits(found.subList(begin, end))) {
                    return begin;
                }
                for (DirectoryEntry entry : found.subList(begin, end)) {
                    add(
                            directory,
                            entry.name().bytes(),
                            entry.cookie(),
                            entry.ino(),
                            entry.attributes());
                }
                begin = end;
            }
            return begin;
        }

        private boolean fits(List<DirectoryEntry> group) {
            long bytes = 0;
            long names = 0;
            for (DirectoryEntry entry : group) {
                bytes += sizeOf(entry.name().length());
                names += nameSizeOf(entry.name().length());
            }
            return hasRoom(bytes, names);
        }

        private boolean hasRoom(long bytes, long names) {
            return out.lengthBytes() + bytes + TAIL_BYTES <= maxBytes
                    && nameBytes + names <= maxNameBytes;
        }

        private int sizeOf(int nameLength) {
            return nameSizeOf(nameLength) + 4 + (plus ? PLUS_BYTES : 0);
        }

        private static int nameSizeOf(int nameLength) {
            return 8 + 4 + ((nameLength + 3) & ~3) + 8;
        }

        private boolean add(
                Target directory,
                byte[] name,
                long entryCookie,
                long ino,
                @Nullable Attributes attributes) {
            if (!hasRoom(sizeOf(name.length), nameSizeOf(name.length))) {
                return false;
            }
            out.bool(true).i64(ino).opaque(name).i64(entryCookie);
            if (plus) {
                boolean known = details && attributes != null && attributes.nlink() > 0;
                out.bool(known);
                if (known && attributes != null) {
                    volume.attributes(out, attributes);
                }
                out.bool(known);
                if (known && attributes != null) {
                    out.opaque(volume.handle(directory.export(), attributes));
                }
            }
            nameBytes += nameSizeOf(name.length);
            cookie = entryCookie;
            entries++;
            return true;
        }
    }
}
