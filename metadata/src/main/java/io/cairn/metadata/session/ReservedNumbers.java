package io.cairn.metadata.session;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The inode numbers that a session has reserved, and which of them it has used: each makes one file
 * at most. A range goes when all its numbers are used. Belongs to the apply thread.
 *
 * <pre>
 *   | ranges 4 | { firstIno 8 | used (longs) } ... | rightsEndIno 8, unless it is 0 |
 * </pre>
 */
final class ReservedNumbers {
    /** Numbers that are reserved at a time. */
    static final int RANGE = 256;

    /** Ranges with unused numbers. */
    static final int MAX_RANGES = 32;

    private static final int WORDS = RANGE / Long.SIZE;

    /** Numbers that follow each other, with a bit for each that is used. */
    private record Range(long first, long[] used) {
        boolean has(long ino) {
            return ino >= first && ino - first < RANGE;
        }

        boolean isUsed(long ino) {
            int at = (int) (ino - first);
            return (used[at / Long.SIZE] & 1L << at % Long.SIZE) != 0;
        }

        void use(long ino) {
            int at = (int) (ino - first);
            used[at / Long.SIZE] |= 1L << at % Long.SIZE;
        }

        long last() {
            return first + RANGE - 1;
        }

        boolean isUsedUp() {
            for (long word : used) {
                if (word != -1L) {
                    return false;
                }
            }
            return true;
        }

        void encode(Encoder out) {
            out.i64(first).longs(used);
        }

        static Range decode(Decoder in) {
            return new Range(in.i64(), in.longs());
        }
    }

    private final List<Range> ranges;

    /** Ranges up to this number serve no rights any more; 0 while all do. */
    private long rightsEndIno;

    ReservedNumbers() {
        this(new ArrayList<>(1), 0);
    }

    private ReservedNumbers(List<Range> ranges, long rightsEndIno) {
        this.ranges = ranges;
        this.rightsEndIno = rightsEndIno;
    }

    boolean isEmpty() {
        return ranges.isEmpty();
    }

    /**
     * Whether another range may be added. When not, some numbers were lost on their way: none is
     * forgotten, as the session may have answered others with it. It gives all of them back.
     */
    boolean hasRoom() {
        return ranges.size() < MAX_RANGES;
    }

    /** Adds a range, above all others. */
    void add(long first) {
        ranges.add(new Range(first, new long[WORDS]));
    }

    private boolean servesRights(Range range) {
        return range.last() > rightsEndIno && !range.isUsed(range.last());
    }

    /**
     * Whether the session may have rights to change names alone: it keeps the last number of some
     * range unused while it has.
     */
    boolean servesRights() {
        return ranges.stream().anyMatch(this::servesRights);
    }

    /** No range of before serves rights; files may still be made with its numbers. */
    void endRights() {
        for (Range range : ranges) {
            rightsEndIno = Math.max(rightsEndIno, range.last());
        }
    }

    /** None is reserved any more. */
    void clear() {
        ranges.clear();
    }

    private @Nullable Range of(long ino) {
        for (Range range : ranges) {
            if (range.has(ino)) {
                return range;
            }
        }
        return null;
    }

    /** EINVAL unless a number is reserved and unused. */
    void require(long ino) {
        Range range = of(ino);
        if (range == null || range.isUsed(ino)) {
            throw new FsException(Errno.EINVAL, "the session has not reserved inode number " + ino);
        }
    }

    /** EINVAL unless a number is the last one of a range that serves rights. */
    void requireRights(long ino) {
        Range range = of(ino);
        if (range == null || ino != range.last() || !servesRights(range)) {
            throw new FsException(Errno.EINVAL, "the rights with number " + ino + " have ended");
        }
    }

    /** A number that was required is used now. */
    void use(long ino) {
        Range range = of(ino);
        if (range != null) {
            range.use(ino);
            if (range.isUsedUp()) {
                ranges.remove(range);
            }
        }
    }

    void encode(Encoder out) {
        out.list(ranges, (o, range) -> range.encode(o));
        if (rightsEndIno != 0) {
            out.i64(rightsEndIno);
        }
    }

    static ReservedNumbers decode(Decoder in) {
        List<Range> ranges = new ArrayList<>(in.list(Range::decode));
        return new ReservedNumbers(ranges, in.remaining() == 0 ? 0 : in.i64());
    }
}
