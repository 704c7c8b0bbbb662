package io.cairn.net;

import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Timers of one event loop or other owner, for timeouts that are set often and hardly ever expire:
 * arming and disarming link an entry into a list. A timer expires up to two ticks late, never
 * early. The owner is woken only when a bucket with entries is due. For its owner only.
 */
public final class TimerWheel {
    static final int TICK_MS = 16;

    private static final long TICK_NS = TICK_MS * 1_000_000L;
    private static final int BUCKETS = 512;

    /** Something that expires. Belongs to one wheel. */
    public abstract static class Entry {
        private @Nullable Entry previous;
        private @Nullable Entry next;
        private long deadlineTick;

        /** The time is over; the entry is disarmed and may be armed again. */
        public abstract void expire();

        private void unlink() {
            Entry before = previous;
            Entry after = next;
            if (before != null && after != null) {
                before.next = after;
                after.previous = before;
            }
            previous = null;
            next = null;
        }
    }

    /** A ring of entries, beginning and ending with this one. */
    private static final class Ring extends Entry {
        Ring() {
            super.previous = this;
            super.next = this;
        }

        private Entry first() {
            Entry first = super.next;
            return first == null ? this : first;
        }

        private boolean isEmpty() {
            return super.next == this;
        }

        private void append(Entry entry) {
            Entry last = super.previous == null ? this : super.previous;
            entry.previous = last;
            entry.next = this;
            last.next = entry;
            super.previous = entry;
        }

        @Override
        public void expire() {}
    }

    /** Wakes the owner. */
    public interface Alarm {
        /** Runs a task as the owner after a delay; taken back when it is not needed any more. */
        Scheduler.Timer set(Runnable task, long delayMs);
    }

    private final Alarm alarm;
    private final Clock clock;
    private final long originNs;
    private final Ring[] buckets = new Ring[BUCKETS];
    private long doneTick;
    private long wakeTick = Long.MAX_VALUE;
    private Scheduler.@Nullable Timer wake;

    public TimerWheel(Alarm alarm, Clock clock) {
        this.alarm = alarm;
        this.clock = clock;
        this.originNs = clock.nanoTime();
        for (int i = 0; i < BUCKETS; i++) {
            buckets[i] = new Ring();
        }
    }

    private long tick() {
        return (clock.nanoTime() - originNs) / TICK_NS;
    }

    /** Lets an entry expire after a delay, counted from now; replaces an earlier delay. */
    public void arm(Entry entry, long delayMs) {
        entry.unlink();
        long now = tick();
        entry.deadlineTick = now + Math.max(delayMs, 0) / TICK_MS + 2;
        buckets[(int) (entry.deadlineTick % BUCKETS)].append(entry);
        if (entry.deadlineTick < wakeTick) {
            wakeAt(entry.deadlineTick, now);
        }
    }

    /** Keeps an entry from expiring. Idempotent. */
    public void disarm(Entry entry) {
        entry.unlink();
    }

    private void wakeAt(long wantedTick, long now) {
        if (wake != null) {
            wake.cancel();
        }
        wakeTick = wantedTick;
        long delayMs = Math.max(0, wantedTick - now) * TICK_MS;
        wake = alarm.set(this::turn, delayMs);
    }

    private void turn() {
        wake = null;
        wakeTick = Long.MAX_VALUE;
        long now = tick();
        Ring expired = new Ring();
        long first = Math.max(doneTick + 1, now - BUCKETS + 1);
        for (long tick = first; tick <= now; tick++) {
            collect(buckets[(int) (tick % BUCKETS)], now, expired);
        }
        doneTick = now;
        while (!expired.isEmpty()) {
            Entry entry = expired.first();
            entry.unlink();
            entry.expire();
        }
        for (long tick = now + 1; tick <= now + BUCKETS; tick++) {
            if (!buckets[(int) (tick % BUCKETS)].isEmpty()) {
                if (tick < wakeTick) {
                    wakeAt(tick, now);
                }
                return;
            }
        }
    }

    private static void collect(Ring bucket, long now, Ring expired) {
        Entry entry = bucket.first();
        while (entry != bucket) {
            Entry next = entry.next == null ? bucket : entry.next;
            if (entry.deadlineTick <= now) {
                entry.unlink();
                expired.append(entry);
            }
            entry = next;
        }
    }
}
