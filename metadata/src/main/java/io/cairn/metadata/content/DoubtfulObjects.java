package io.cairn.metadata.content;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Decoder;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Files whose contents are in the inode, but whose object may have chunks: a client that was lost
 * had them open, and it may have written chunks and not come to tell (Spill). Removing such a file
 * queues its object as garbage; that of any other file in its inode has no chunks. Belongs to the
 * apply thread; readers look into the store.
 *
 * <p>Of a client that was lost together with the leader nobody knows what it had open: then all
 * objects there are count as such.
 */
public final class DoubtfulObjects {
    private final Transaction transaction;
    private final Set<Long> inos = new HashSet<>();
    private long unknownBefore;

    /** Reads them from the store. */
    public DoubtfulObjects(Store store, Transaction transaction) {
        this.transaction = transaction;
        byte[] prefix = Keys.doubtful();
        store.scan(
                Family.META,
                prefix,
                prefix,
                (key, value) -> {
                    if (key.length == prefix.length) {
                        unknownBefore = Keys.open(Family.META, value).i64();
                    } else {
                        inos.add(Keys.numberAt(key, prefix.length));
                    }
                    return true;
                });
    }

    /** When the client of a file was lost, in nanoseconds of wall time. */
    public static long sinceNs(byte[] value) {
        Decoder in = Keys.open(Family.META, value);
        return in.i64();
    }

    /** A client that is no more had a file open. */
    public void add(Inode inode) {
        Layout layout = inode.layout();
        if (inode.inline() != null && layout != null && layout.hasPool()) {
            put(inode.ino());
        }
    }

    private void put(long ino) {
        inos.add(ino);
        byte[] value = Keys.value(9).i64(transaction.nowNs()).toBytes();
        transaction.records().put(Family.META, Keys.doubtful(ino), value);
    }

    /** A client is no more, and nobody knows what it had open. */
    public void addAll() {
        unknownBefore = transaction.counters().nextOid();
        byte[] value = Keys.value(9).i64(unknownBefore).toBytes();
        transaction.records().put(Family.META, Keys.doubtful(), value);
    }

    /** Whether a file is one of those, be it by itself or with all others. */
    boolean has(long ino, @Nullable Layout layout) {
        return inos.contains(ino) || (layout != null && layout.oidAtEnd(0) < unknownBefore);
    }

    /** Whether a client that was lost is known to have had a file open. */
    public boolean names(long ino) {
        return inos.contains(ino);
    }

    /** The file refers to its object now, or to another one, or is no more. */
    public void remove(long ino) {
        if (inos.remove(ino)) {
            transaction.records().delete(Family.META, Keys.doubtful(ino));
        }
    }

    /** Two files have exchanged their contents. */
    public void swap(long ino, long otherIno) {
        boolean had = names(ino);
        if (had != names(otherIno)) {
            remove(had ? ino : otherIno);
            put(had ? otherIno : ino);
        }
    }
}
