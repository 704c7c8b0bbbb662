package io.cairn.nfs.rpc;

import io.cairn.runtime.Clock;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The answers to calls that must not be done twice (RFC 1813, 4.5). A client that got none sends
 * the same call again, perhaps over another connection; it gets the first answer, at once or, when
 * the call is still being done, as soon as there is one.
 *
 * <p>A call is known by the client's address, its xid, and the checksum of the whole record, so
 * that several connections of one host do not take each other's answers. Bounded in entries, bytes
 * and age. Thread-safe.
 */
final class ReplyCache {
    private static final int MAX_ENTRIES = 16_384;
    private static final long MAX_BYTES = 16L << 20;
    private static final long MAX_AGE_MS = 600_000;
    private static final int MAX_WAITERS = 4;

    /** The identity of a call. */
    record Key(InetAddress host, int xid, int checksum, int lengthBytes) {
        static Key of(InetAddress host, int xid, ByteBuf record) {
            CRC32C crc = new CRC32C();
            int length = record.writerIndex();
            crc.update(record.nioBuffer(0, length));
            return new Key(host, xid, (int) crc.getValue(), length);
        }
    }

    private static final class Entry {
        byte @Nullable [] reply;
        long doneMs;
        final List<Consumer<byte[]>> waiters = new ArrayList<>(0);
    }

    /** The state of a call that came in. */
    enum Found {
        /** Nothing: it has to be done, and {@link #finish} called. */
        NEW,
        /** It is answered now or will be. */
        REPEATED,
        /** It is being done and enough others wait for it: it is to be dropped. */
        DROPPED
    }

    private final Clock clock;
    private final Map<Key, Entry> entries = new HashMap<>();
    private final Deque<Key> done = new ArrayDeque<>();
    private long bytes;

    ReplyCache(Clock clock) {
        this.clock = clock;
    }

    /**
     * Looks a call up.
     *
     * @param answer gets the first answer, without mark, if the call is a repeated one; on this
     *     thread or the one that finishes the call
     */
    Found begin(Key key, Consumer<byte[]> answer) {
        byte[] reply;
        synchronized (this) {
            Entry entry = entries.get(key);
            if (entry == null) {
                entries.put(key, new Entry());
                return Found.NEW;
            }
            reply = entry.reply;
            if (reply == null) {
                if (entry.waiters.size() >= MAX_WAITERS) {
                    return Found.DROPPED;
                }
                entry.waiters.add(answer);
                return Found.REPEATED;
            }
        }
        answer.accept(reply);
        return Found.REPEATED;
    }

    /** The answer of a call that was {@link Found#NEW}. */
    void finish(Key key, byte[] reply) {
        List<Consumer<byte[]>> waiters;
        synchronized (this) {
            Entry entry = entries.get(key);
            if (entry == null) {
                return;
            }
            entry.reply = reply;
            entry.doneMs = clock.millis();
            waiters = List.copyOf(entry.waiters);
            entry.waiters.clear();
            done.add(key);
            bytes += reply.length;
            evict(entry.doneMs);
        }
        waiters.forEach(waiter -> waiter.accept(reply));
    }

    /** A call that was {@link Found#NEW} was not done. */
    synchronized void forget(Key key) {
        Entry entry = entries.get(key);
        if (entry != null && entry.reply == null) {
            entries.remove(key);
        }
    }

    private void evict(long nowMs) {
        while (!done.isEmpty()) {
            Entry eldest = entries.get(done.element());
            if (eldest != null
                    && done.size() <= MAX_ENTRIES
                    && bytes <= MAX_BYTES
                    && nowMs - eldest.doneMs < MAX_AGE_MS) {
                return;
            }
            entries.remove(done.remove());
            if (eldest != null && eldest.reply != null) {
                bytes -= eldest.reply.length;
            }
        }
    }

    /** Calls known. */
    synchronized int size() {
        return entries.size();
    }
}
