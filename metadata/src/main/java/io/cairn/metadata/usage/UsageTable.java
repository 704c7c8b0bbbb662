package io.cairn.metadata.usage;

import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.TrashPlace;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.state.InodeWatch;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Decoder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sums of all accounts. Changes of one log entry are collected at the directories where they
 * happen; they go up to the root once, when the entry is complete or the tree changes its shape. So
 * an entry writes each sum once. Belongs to the apply thread.
 */
public final class UsageTable implements InodeWatch {
    /** Sums that are kept decoded, a power of two. */
    private static final int SLOTS = 1 << 13;

    /** A sum as the last entry left it. */
    private record Known(Account account, Sums sums) {}

    private final Store store;
    private final Transaction transaction;
    private final Cluster cluster;
    private @Nullable QuotaTable quotas;
    private final @Nullable Known[] known = new Known[SLOTS];

    /** By directory: what neither its sum nor those above it have yet. */
    private final Map<Long, Sums> pending = new HashMap<>();

    /** Sums that this entry has changed. */
    private final Map<Account, Sums> changed = new HashMap<>();

    /** The sums of a store. */
    public UsageTable(Store store, Transaction transaction, Cluster cluster) {
        this.store = store;
        this.transaction = transaction;
        this.cluster = cluster;
    }

    /** From now on quotas follow the sums. */
    void limitedBy(QuotaTable table) {
        quotas = table;
    }

    /** What an inode itself holds. */
    public Sums own(Inode inode) {
        return Charge.of(inode, cluster.map());
    }

    /** What an inode holds, as if it had a name. */
    Sums held(Inode inode) {
        return Charge.held(inode, cluster.map());
    }

    /** What an inode holds with all below it. */
    Sums total(Inode inode) {
        return own(inode).plus(below(inode));
    }

    /** Reads a stored sum; that of an account without a record is nothing. */
    static Sums decode(byte @Nullable [] value) {
        if (value == null) {
            return Sums.ZERO;
        }
        Decoder in = Keys.open(Family.USAGE, value);
        return new Sums(in.i64(), in.i64(), in.i64());
    }

    @Override
    public void changing(@Nullable Inode before, @Nullable Inode after) {
        Sums was = Charge.of(before, cluster.map());
        Sums is = Charge.of(after, cluster.map());
        long from = Charge.home(before);
        long to = Charge.home(after);
        if (from == to) {
            charge(to, is.minus(was));
        } else {
            Sums below = before == null ? Sums.ZERO : below(before);
            charge(from, Sums.ZERO.minus(was.plus(below)));
            charge(to, is.plus(below));
        }
        chargeOwners(before, was, after, is);
        QuotaTable limits = quotas;
        boolean isGone = from != to && to == Charge.NOWHERE;
        if (isGone && limits != null && before != null && before.attributes().isDirectory()) {
            limits.remove(Account.directory(before.ino()));
        }
        if (limits != null && before != null && after != null) {
            limits.moved(before, after);
        }
    }

    /** What lies below an inode that leaves its place. */
    private Sums below(Inode inode) {
        if (!inode.attributes().isDirectory()) {
            return Sums.ZERO;
        }
        settle();
        return sums(Account.directory(inode.ino()));
    }

    private void charge(long directory, Sums more) {
        if (directory != Charge.NOWHERE && !more.isZero()) {
            pending.merge(directory, more, Sums::plus);
        }
    }

    private void chargeOwners(@Nullable Inode before, Sums was, @Nullable Inode after, Sums is) {
        if (before != null
                && after != null
                && before.attributes().uid() == after.attributes().uid()
                && before.attributes().gid() == after.attributes().gid()) {
            chargeOwners(after, is.minus(was));
            return;
        }
        if (before != null) {
            chargeOwners(before, Sums.ZERO.minus(was));
        }
        if (after != null) {
            chargeOwners(after, is);
        }
    }

    private void chargeOwners(Inode inode, Sums more) {
        if (!more.isZero()) {
            add(Account.user(inode.attributes().uid()), more);
            add(Account.group(inode.attributes().gid()), more);
        }
    }

    /** Brings all sums up to date with the changes so far. */
    private void settle() {
        pending.forEach(this::climb);
        pending.clear();
    }

    private void climb(long directory, Sums more) {
        if (more.isZero()) {
            return;
        }
        long at = directory;
        add(Account.directory(at), more);
        while (at != FileSystem.ROOT_INO && at != TrashPlace.INO) {
            Inode inode = transaction.inode(at);
            if (inode == null) {
                throw new IllegalStateException(
                        "I11 reachability: directory " + directory + " hangs on no directory");
            }
            at = inode.parentIno();
            add(Account.directory(at), more);
        }
    }

    private void add(Account account, Sums more) {
        changed.put(account, stored(account).plus(more));
    }

    /** What an account has now, the changes of this entry included. */
    public Sums sums(Account account) {
        settle();
        return stored(account);
    }

    private Sums stored(Account account) {
        Sums sums = changed.get(account);
        if (sums != null) {
            return sums;
        }
        Known slot = known[slot(account)];
        if (slot != null && slot.account.equals(account)) {
            return slot.sums;
        }
        Sums read = decode(store.get(Family.USAGE, Keys.usage(account)));
        known[slot(account)] = new Known(account, read);
        return read;
    }

    private static int slot(Account account) {
        return (int) (account.id() * 4 + account.kind().code()) & (SLOTS - 1);
    }

    @Override
    public void finish(List<Change> changes) {
        settle();
        QuotaTable limits = quotas;
        if (limits != null) {
            limits.follow(List.copyOf(changed.keySet()));
        }
        changed.forEach(
                (account, sums) -> {
                    known[slot(account)] = new Known(account, sums);
                    changes.add(new Change(Family.USAGE, Keys.usage(account), encode(sums)));
                });
        changed.clear();
    }

    private static byte @Nullable [] encode(Sums sums) {
        return sums.isZero()
                ? null
                : Keys.value(25)
                        .i64(sums.inodes())
                        .i64(sums.lengthBytes())
                        .i64(sums.spaceBytes())
                        .toBytes();
    }
}
