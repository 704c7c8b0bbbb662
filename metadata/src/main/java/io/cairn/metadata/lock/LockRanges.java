package io.cairn.metadata.lock;

import io.cairn.fs.Lock;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ranges that one owner holds on one inode: in order, disjoint, neighbours merged. Immutable;
 * the rules of fcntl(2) for one owner.
 *
 * @param list the ranges
 */
public record LockRanges(List<LockRange> list) {
    public static final LockRanges NONE = new LockRanges(List.of());

    private static final int RANGE_BYTES = 29;

    /** Reads the value of a held lock. */
    public static LockRanges decode(byte[] value) {
        Decoder in = Keys.open(Store.Family.LOCK, value);
        return new LockRanges(in.list(LockRanges::range));
    }

    private static LockRange range(Decoder in) {
        return new LockRange(in.coded(Lock.Mode.CODES), in.i64(), in.i64(), in.i32(), in.i64());
    }

    private static void range(Encoder out, LockRange r) {
        out.u8(r.mode().code()).i64(r.startByte()).i64(r.endByte()).i32(r.pid());
        out.i64(r.requestId());
    }

    public byte[] encode() {
        return Keys.value(5 + list.size() * RANGE_BYTES).list(list, LockRanges::range).toBytes();
    }

    boolean isEmpty() {
        return list.isEmpty();
    }

    /** The first range that keeps another owner from getting a lock, or null. */
    public @Nullable LockRange conflict(Lock wanted) {
        for (LockRange range : list) {
            if (range.conflicts(wanted)) {
                return range;
            }
        }
        return null;
    }

    /** Whether a range was set by a blocking request. */
    boolean wasSetBy(long requestId) {
        for (LockRange range : list) {
            if (range.requestId() == requestId) {
                return true;
            }
        }
        return false;
    }

    /** The same after a lock or an unlock: what it covers is replaced, the rest stays. */
    public LockRanges with(Lock lock, long requestId) {
        List<LockRange> result = new ArrayList<>(list.size() + 2);
        boolean isPlaced = lock.mode() == Lock.Mode.UNLOCK;
        for (LockRange range : list) {
            if (range.startByte() < lock.startByte()) {
                boolean isCut = range.endByte() >= lock.startByte();
                append(result, isCut ? range.withEnd(lock.startByte() - 1) : range);
            }
            if (range.endByte() > lock.endByte()) {
                if (!isPlaced) {
                    append(result, LockRange.of(lock, requestId));
                    isPlaced = true;
                }
                boolean isCut = range.startByte() <= lock.endByte();
                append(result, isCut ? range.withStart(lock.endByte() + 1) : range);
            }
        }
        if (!isPlaced) {
            append(result, LockRange.of(lock, requestId));
        }
        return new LockRanges(List.copyOf(result));
    }

    /** The same without the ranges that a blocking request set. */
    LockRanges without(long requestId) {
        return new LockRanges(
                list.stream().filter(range -> range.requestId() != requestId).toList());
    }

    private static void append(List<LockRange> result, LockRange range) {
        if (!result.isEmpty() && result.getLast().continuesIn(range)) {
            result.set(result.size() - 1, result.getLast().withEnd(range.endByte()));
        } else {
            result.add(range);
        }
    }
}
