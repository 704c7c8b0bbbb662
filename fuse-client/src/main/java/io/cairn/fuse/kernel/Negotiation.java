package io.cairn.fuse.kernel;

import static io.cairn.fuse.sys.RawMemory.getInt;
import static io.cairn.fuse.sys.RawMemory.putInt;
import static io.cairn.fuse.sys.RawMemory.putShort;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fuse.loop.KernelView;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.sys.RawMemory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The INIT request: what the kernel offers and what Cairn takes of it.
 *
 * <pre>
 *   fuse_init_in   +0 major +4 minor +8 max_readahead +12 flags +16 flags2
 *   fuse_init_out  +0 major +4 minor +8 max_readahead +12 flags +16 max_background (2)
 *                  +18 congestion_threshold (2) +20 max_write +24 time_gran +28 max_pages (2)
 *                  +30 map_alignment (2) +32 flags2 +36 unused to +64
 * </pre>
 *
 * Not taken: WRITEBACK_CACHE, which would delay writes that must be seen elsewhere after close;
 * AUTO_INVAL_DATA, which asks for attributes before every read (opens take care of that, see {@link
 * KernelView}). Symlinks are cached because the target of an inode never changes.
 */
final class Negotiation {
    /** Most bytes of one read or write. */
    static final int MAX_IO_BYTES = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(Negotiation.class);
    private static final int MAJOR = 7;
    private static final int LEAST_MINOR = 31;
    private static final int MINOR = 39;
    private static final int OUT_BYTES = 64;
    private static final int PAGE_BYTES = 4096;

    private static final int ASYNC_READ = 1;
    private static final int POSIX_LOCKS = 1 << 1;
    private static final int ATOMIC_O_TRUNC = 1 << 3;
    private static final int EXPORT_SUPPORT = 1 << 4;
    private static final int BIG_WRITES = 1 << 5;

    /** The kernel leaves the umask to who knows what is inherited. */
    private static final int DONT_MASK = 1 << 6;

    private static final int FLOCK_LOCKS = 1 << 10;
    private static final int DO_READDIRPLUS = 1 << 13;
    private static final int READDIRPLUS_AUTO = 1 << 14;
    private static final int ASYNC_DIO = 1 << 15;
    private static final int PARALLEL_DIROPS = 1 << 18;

    /** The kernel enforces access lists. */
    private static final int POSIX_ACL = 1 << 20;

    private static final int MAX_PAGES = 1 << 22;
    private static final int CACHE_SYMLINKS = 1 << 23;
    private static final int HANDLE_KILLPRIV_V2 = 1 << 28;
    private static final int INIT_EXT = 1 << 30;

    /** In flags2: memory maps of files that are opened past the page cache, for appending. */
    private static final int DIRECT_IO_ALLOW_MMAP = 1 << 4;

    private static final int WANTED =
            ASYNC_READ
                    | POSIX_LOCKS
                    | ATOMIC_O_TRUNC
                    | EXPORT_SUPPORT
                    | BIG_WRITES
                    | DONT_MASK
                    | FLOCK_LOCKS
                    | DO_READDIRPLUS
                    | READDIRPLUS_AUTO
                    | ASYNC_DIO
                    | PARALLEL_DIROPS
                    | MAX_PAGES
                    | CACHE_SYMLINKS
                    | HANDLE_KILLPRIV_V2
                    | INIT_EXT;

    private Negotiation() {}

    /**
     * Answers.
     *
     * @return length of the reply
     * @throws FsException EPROTO when the kernel is too old
     */
    static int answer(long in, long out, MountOptions options) {
        int major = getInt(in);
        int minor = getInt(in + 4);
        if (major != MAJOR || minor < LEAST_MINOR) {
            LOG.error(
                    "the kernel speaks FUSE {}.{}; driver=kernel needs 7.31 (Linux 5.4): use"
                            + " driver=jnr",
                    major,
                    minor);
            throw new FsException(Errno.EPROTO);
        }
        int offered = getInt(in + 12);
        boolean extended = (offered & INIT_EXT) != 0;
        RawMemory.zero(out, OUT_BYTES);
        putInt(out, MAJOR);
        putInt(out + 4, Math.min(minor, MINOR));
        putInt(out + 8, Math.max(getInt(in + 8), options.readAheadKb() << 10));
        int wanted = options.acl() ? WANTED | POSIX_ACL : WANTED;
        putInt(out + 12, offered & wanted);
        putShort(out + 16, options.maxBackground());
        putShort(out + 18, Math.max(1, options.maxBackground() * 3 / 4));
        putInt(out + 20, MAX_IO_BYTES);
        putInt(out + 24, 1);
        putShort(out + 28, MAX_IO_BYTES / PAGE_BYTES);
        putInt(out + 32, extended ? getInt(in + 16) & DIRECT_IO_ALLOW_MMAP : 0);
        LOG.debug("FUSE {}.{} offers {}", major, minor, Integer.toHexString(offered));
        return OUT_BYTES;
    }
}
