package io.cairn.metadata.state;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.FileSystem;
import io.cairn.wire.Decoder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The numbers given next. Belongs to the apply thread; written with the batch of the entry that
 * changed them.
 */
public final class Counters {
    /** The upper 16 bits of inode numbers and object ids are the shard. */
    private static final long SHARD_LIMIT = 1L << 48;

    private static final long PASSED_OVER = 1L << 32;
    private static final long PASSING_BEGINS_S = 1_735_689_600L; // 2025
    private static final long GIVEN_PER_SECOND = 1 << 16;

    private long nextIno = FileSystem.ROOT_INO + 1;
    private long nextOid = 1;
    private long nextGarbage = 1;
    private long nextSession = 1;
    private long nextTicket = 1;
    private long inodeCount;
    private long firstSureOid;
    private final SortedMap<Integer, Long> poolUses = new TreeMap<>();
    private Set<Integer> usedPools = Set.of();
    private boolean changed;

    /** Reads them from a store. */
    public static Counters load(Store store) {
        return decode(store.get(Store.Family.META, Keys.counters()));
    }

    /** Reads those of a moment. */
    public static Counters load(View view) {
        return decode(view.get(Store.Family.META, Keys.counters()));
    }

    private static Counters decode(byte @Nullable [] value) {
        Counters counters = new Counters();
        if (value != null) {
            Decoder in = Keys.open(Store.Family.META, value);
            counters.nextIno = in.i64();
            counters.nextOid = in.i64();
            counters.nextGarbage = in.i64();
            counters.nextSession = in.i64();
            counters.nextTicket = in.i64();
            counters.inodeCount = in.i64();
            counters.firstSureOid = in.i64();
            in.list(i -> counters.poolUses.put(i.i32(), i.i64()));
            counters.usedPools = Set.copyOf(counters.poolUses.keySet());
        }
        return counters;
    }

    byte[] encode() {
        return Keys.value(61 + 12 * poolUses.size())
                .i64(nextIno)
                .i64(nextOid)
                .i64(nextGarbage)
                .i64(nextSession)
                .i64(nextTicket)
                .i64(inodeCount)
                .i64(firstSureOid)
                .list(
                        List.copyOf(poolUses.entrySet()),
                        (out, use) -> out.i32(use.getKey()).i64(use.getValue()))
                .toBytes();
    }

    /** Whether they changed since the last call. */
    boolean takeChanged() {
        boolean was = changed;
        changed = false;
        return was;
    }

    /** Fails with ENOSPC, before anything changed, when a shard has used up its numbers. */
    public void requireRoom() {
        if (nextIno >= SHARD_LIMIT || nextOid >= SHARD_LIMIT) {
            throw new FsException(Errno.ENOSPC, "all inode numbers of the shard have been used");
        }
    }

    public long takeIno() {
        changed = true;
        return nextIno++;
    }

    /** Takes some numbers that follow each other; the first of them. */
    public long takeInos(int count) {
        changed = true;
        long first = nextIno;
        nextIno += count;
        return first;
    }

    public long takeOid() {
        changed = true;
        return nextOid++;
    }

    /**
     * Passes over the numbers of objects up to one.
     *
     * @return false when it was given already: then nothing changes
     */
    public boolean skipOids(long firstOid) {
        if (nextOid > firstOid) {
            return false;
        }
        changed = true;
        nextOid = firstOid;
        return true;
    }

    public long takeGarbage() {
        changed = true;
        return nextGarbage++;
    }

    public long takeSession() {
        changed = true;
        return nextSession++;
    }

    public long takeTicket() {
        changed = true;
        return nextTicket++;
    }

    /**
     * Passes over numbers that may have been given unknown to this state. Whoever goes on twice
     * from one and the same state, as from a backup, must not give the same numbers both times: so
     * they also grow with the time, faster than they are ever given.
     *
     * @param timeNs wall time in nanoseconds since 1970
     */
    public void passOver(long timeNs) {
        changed = true;
        long least = passedUntil(timeNs, GIVEN_PER_SECOND);
        nextIno = Math.max(nextIno + PASSED_OVER, least);
        nextOid = Math.max(nextOid + PASSED_OVER, least);
        nextGarbage = Math.max(nextGarbage + PASSED_OVER, least);
        nextSession = Math.max(nextSession + PASSED_OVER, least);
        nextTicket = Math.max(nextTicket + PASSED_OVER, least);
        firstSureOid = nextOid;
    }

    /**
     * A number that is not given before a time where so many are given in a second since 2025. A
     * clock that is ahead by decades costs half of all numbers, not all.
     */
    public static long passedUntil(long timeNs, long perSecond) {
        long seconds = timeNs / 1_000_000_000L - PASSING_BEGINS_S;
        return Math.clamp(seconds, 0, SHARD_LIMIT / 2 / GIVEN_PER_SECOND) * perSecond;
    }

    /** There are so many inodes more. */
    void countInodes(int more) {
        changed = true;
        inodeCount += more;
    }

    /** So many files and entries of garbage more refer to a pool; 0 stands for none. */
    public void poolUsed(int pool, int more) {
        if (pool == 0) {
            return;
        }
        changed = true;
        Long uses = poolUses.merge(pool, (long) more, Long::sum);
        if (uses != null && uses == 0) {
            poolUses.remove(pool);
        }
        if (usedPools.contains(pool) != poolUses.containsKey(pool)) {
            usedPools = Set.copyOf(poolUses.keySet());
        }
    }

    /** The pools that a file or an entry of garbage refers to. */
    public Set<Integer> usedPools() {
        return usedPools;
    }

    /** How many files and entries of garbage refer to each pool. */
    public Map<Integer, Long> poolUses() {
        return Map.copyOf(poolUses);
    }

    /** All objects that exist now may hold bytes that a lost client never committed. */
    public void doubtObjects() {
        changed |= firstSureOid != nextOid;
        firstSureOid = nextOid;
    }

    /** The object given next. */
    public long nextOid() {
        return nextOid;
    }

    /** Objects with a smaller number are in doubt. */
    public long firstSureOid() {
        return firstSureOid;
    }

    public long inodeCount() {
        return inodeCount;
    }
}
