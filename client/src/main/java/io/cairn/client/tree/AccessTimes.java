package io.cairn.client.tree;

import io.cairn.client.cache.MetadataCache;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.MasterChannel;
import io.cairn.client.session.Promises;
import io.cairn.cluster.PastInode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Access times, relative as Linux keeps them: a read sets the time when it was not younger than the
 * last change, or a day old. Told to the master in the background, a little later; until then this
 * mount shows the new time already. Thread-safe; never blocks.
 */
public final class AccessTimes {
    private static final long DAY_NS = 86_400_000_000_000L;
    private static final long DELAY_MS = 1000;

    /** So many are told at the same time. */
    static final int PARALLEL = 8;

    /** Times waiting to be told; more are dropped, as the loss of an access time is harmless. */
    private static final int MAX_WAITING = 4096;

    private final MasterChannel master;
    private final ClientRuntime runtime;
    private final MetadataCache cache;
    private final Map<Long, Long> waiting = new ConcurrentHashMap<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    public AccessTimes(MasterChannel master, ClientRuntime runtime, MetadataCache cache) {
        this.master = master;
        this.runtime = runtime;
        this.cache = cache;
    }

    /**
     * An inode was read.
     *
     * @param inode its attributes as {@link #over} makes them
     */
    public void accessed(Attributes inode) {
        if (inode.hasFlag(Attributes.NOATIME)) {
            return;
        }
        long changedNs = Math.max(inode.mtimeNs(), inode.ctimeNs());
        long nowNs = master.session().masterClock().nowNs();
        boolean due = inode.atimeNs() <= changedNs || nowNs - inode.atimeNs() > DAY_NS;
        if (!due || waiting.size() >= MAX_WAITING || PastInode.isPast(inode.ino())) {
            return;
        }
        // The master's clock may be ahead of what is known of it: a read comes after the change.
        long atimeNs = Math.max(nowNs, changedNs + 1);
        if (waiting.put(inode.ino(), atimeNs) == null && scheduled.compareAndSet(false, true)) {
            runtime.scheduler().schedule(() -> Promises.whenDone(tell(), (_, _) -> {}), DELAY_MS);
        }
    }

    /** Attributes with the access time that is not told yet. */
    public Attributes over(Attributes known) {
        Long atimeNs = waiting.isEmpty() ? null : waiting.get(known.ino());
        return atimeNs == null || atimeNs <= known.atimeNs() ? known : withAtime(known, atimeNs);
    }

    private static Attributes withAtime(Attributes a, long atimeNs) {
        return new Attributes(
                a.ino(),
                a.generation(),
                a.type(),
                a.mode(),
                a.nlink(),
                a.uid(),
                a.gid(),
                a.rdev(),
                a.size(),
                a.usedBytes(),
                atimeNs,
                a.mtimeNs(),
                a.ctimeNs(),
                a.version(),
                a.acls(),
                a.birthNs(),
                a.flags());
    }

    /** The time is being set to another value, or the inode is gone: forgets it. */
    void forget(long ino) {
        waiting.remove(ino);
    }

    /** Tells all that wait, now; done when the master has answered, whatever it answered. */
    public CompletableFuture<Void> tell() {
        scheduled.set(false);
        Iterator<Map.Entry<Long, Long>> due = List.copyOf(waiting.entrySet()).iterator();
        CompletableFuture<?>[] told = new CompletableFuture<?>[PARALLEL];
        for (int i = 0; i < PARALLEL; i++) {
            CompletableFuture<Void> rest = new CompletableFuture<>();
            told[i] = rest;
            tellNext(due, rest);
        }
        return CompletableFuture.allOf(told);
    }

    /** Tells one after the other, so that background work never crowds the connection. */
    private void tellNext(Iterator<Map.Entry<Long, Long>> due, CompletableFuture<Void> rest) {
        Map.Entry<Long, Long> next = nextOf(due);
        if (next == null) {
            rest.complete(null);
            return;
        }
        long ino = next.getKey();
        long atimeNs = next.getValue();
        AttributeChange change =
                AttributeChange.NONE.withAtime(atimeNs).withBits(AttributeChange.KEEP_CTIME);
        Promises.whenDone(
                master.mutate(new TreeMutation.SetAttributes(ino, change)),
                (reply, _) -> {
                    told(ino, atimeNs, reply);
                    tellNext(due, rest);
                });
    }

    /** The next that was neither told nor forgotten meanwhile. */
    private Map.@Nullable Entry<Long, Long> nextOf(Iterator<Map.Entry<Long, Long>> due) {
        synchronized (due) {
            while (due.hasNext()) {
                Map.Entry<Long, Long> next = due.next();
                if (next.getValue().equals(waiting.get(next.getKey()))) {
                    return next;
                }
            }
            return null;
        }
    }

    private void told(long ino, long atimeNs, @Nullable Reply reply) {
        if (reply instanceof Reply.EntryReply entry) {
            cache.put(entry.inode().attributes());
        }
        waiting.remove(ino, atimeNs);
    }
}
