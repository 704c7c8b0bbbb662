package io.cairn.metadata.usage;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.TrashPlace;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.LimitedAccount;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Push;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The quotas, all of them in memory: without one nothing is looked up. A mutation asks before it
 * changes anything. Belongs to the apply thread.
 */
public final class QuotaTable {
    /** How many quotas there may be. */
    static final int MAX_QUOTAS = 1 << 16;

    /** A quota, and when its account passed a soft limit; 0 when it is below all. */
    record Stored(Quota quota, long sinceNs) {
        static Stored decode(byte[] value) {
            Decoder in = Keys.open(Family.META, value);
            return new Stored(Codecs.quota(in), in.i64());
        }

        byte[] encode() {
            Encoder out = Keys.value(65);
            Codecs.quota(out, quota);
            return out.i64(sinceNs).toBytes();
        }
    }

    private final Transaction transaction;
    private final UsageTable usage;
    private final Map<Account, Stored> quotas = new HashMap<>();
    private volatile long version;

    /** Reads all quotas of a store. */
    public QuotaTable(Store store, Transaction transaction, UsageTable usage) {
        this.transaction = transaction;
        this.usage = usage;
        byte[] all = Keys.quotas();
        store.scan(
                Family.META,
                all,
                all,
                (key, value) -> {
                    quotas.put(Keys.quotaOf(key), Stored.decode(value));
                    return true;
                });
        version = quotas.isEmpty() ? 0 : Math.max(1, store.appliedIndex());
        usage.limitedBy(this);
    }

    /** Changes with each change of a quota; 0 when there is none. For any thread. */
    public long version() {
        return version;
    }

    /**
     * Sets or removes a quota.
     *
     * @throws FsException as told by the mutation; then nothing has changed
     */
    public void set(LeaderMutation.SetQuota m) {
        Account account = m.account();
        Quota quota = m.quota();
        if (!quota.isPossible()) {
            throw new FsException(
                    Errno.EINVAL,
                    "a limit is not negative, and a soft one not above its hard one: " + quota);
        }
        if (quota.isNone()) {
            remove(account);
            return;
        }
        if (account.kind() == Account.Kind.DIRECTORY && !isDirectory(account.id())) {
            throw new FsException(Errno.ENOENT, "there is no directory " + account.id());
        }
        if (!quotas.containsKey(account) && quotas.size() >= MAX_QUOTAS) {
            throw new FsException(Errno.ENOSPC, "there are " + MAX_QUOTAS + " quotas: remove some");
        }
        Sums used = usage.sums(account);
        if (m.strict() && Quota.isAbove(used, quota.hard())) {
            throw new FsException(
                    Errno.EDQUOT, "%s holds more than that: %s".formatted(account, used));
        }
        Stored before = quotas.get(account);
        long since = before == null ? 0 : before.sinceNs;
        put(account, new Stored(quota, since(used, quota, since)));
        changed();
    }

    private boolean isDirectory(long ino) {
        Inode inode = transaction.inode(ino);
        return inode != null && inode.attributes().isDirectory() && inode.attributes().nlink() > 0;
    }

    private void put(Account account, Stored stored) {
        quotas.put(account, stored);
        transaction.records().put(Family.META, Keys.quota(account), stored.encode());
    }

    /** Forgets the quota of an account, if it has one. */
    void remove(Account account) {
        if (quotas.remove(account) != null) {
            transaction.records().delete(Family.META, Keys.quota(account));
            changed();
        }
    }

    private void changed() {
        version = quotas.isEmpty() ? 0 : transaction.version();
        transaction.notify(0, new Push.QuotasChanged(version));
    }

    /** An inode changes: who may write there asks again when it counts for other quotas then. */
    void moved(Inode before, Inode after) {
        if (quotas.isEmpty() || !mayBeWritten(after)) {
            return;
        }
        if (isUnderOthers(Charge.home(before), Charge.home(after))
                || after.attributes().isFile() && hasOtherOwner(before, after)) {
            transaction.notifyWriters(after.ino(), new Push.QuotasChanged(version));
        }
    }

    /** Whether quotas hold at one place that did not at another one. */
    private boolean isUnderOthers(long before, long after) {
        if (before == after || after == Charge.NOWHERE) {
            return false;
        }
        List<Account> known = before == Charge.NOWHERE ? List.of() : above(before);
        return above(after).stream()
                .anyMatch(each -> quotas.containsKey(each) && !known.contains(each));
    }

    /** A file, or a directory that may have some below it. */
    private static boolean mayBeWritten(Inode inode) {
        return inode.attributes().isFile()
                || inode.attributes().isDirectory() && inode.entryCount() > 0;
    }

    private boolean hasOtherOwner(Inode before, Inode after) {
        int uid = after.attributes().uid();
        int gid = after.attributes().gid();
        return uid != before.attributes().uid() && quotas.containsKey(Account.user(uid))
                || gid != before.attributes().gid() && quotas.containsKey(Account.group(gid));
    }

    private long since(Sums used, Quota quota, long before) {
        if (!Quota.isAbove(used, quota.soft())) {
            return 0;
        }
        return before == 0 ? Math.max(1, transaction.nowNs()) : before;
    }

    /** Notes which of these accounts are above their soft limits now. */
    void follow(Collection<Account> accounts) {
        if (quotas.isEmpty()) {
            return;
        }
        for (Account account : accounts) {
            Stored stored = quotas.get(account);
            if (stored != null) {
                long since = since(usage.sums(account), stored.quota, stored.sinceNs);
                if (since != stored.sinceNs) {
                    put(account, new Stored(stored.quota, since));
                }
            }
        }
    }

    /**
     * Makes sure that a directory, all above it, and the owners may hold what gets its first name.
     *
     * @param home the directory of that name
     * @throws FsException EDQUOT
     */
    public void require(long home, Inode made) {
        if (!quotas.isEmpty()) {
            Sums more = usage.held(made);
            require(Account.user(made.attributes().uid()), more);
            require(Account.group(made.attributes().gid()), more);
            for (Account account : above(home)) {
                require(account, more);
            }
        }
    }

    /** The same for a change of an inode that stays where it is, of its contents or its owner. */
    public void requireChange(Inode inode, int uid, int gid, Sums more) {
        if (quotas.isEmpty() || inode.attributes().nlink() == 0) {
            return;
        }
        Sums all = usage.own(inode).plus(more);
        require(Account.user(uid), uid == inode.attributes().uid() ? more : all);
        require(Account.group(gid), gid == inode.attributes().gid() ? more : all);
        for (Account account : above(Charge.home(inode))) {
            require(account, more);
        }
    }

    /** The same for an inode that moves, with all below it; its owners stay. */
    public void requireMove(Inode inode, long fromHome, long toHome) {
        if (quotas.isEmpty() || fromHome == toHome || Charge.home(inode) != fromHome) {
            return;
        }
        Sums all = usage.total(inode);
        Set<Account> already = new HashSet<>(above(fromHome));
        for (Account account : above(toHome)) {
            if (!already.contains(account)) {
                require(account, all);
            }
        }
    }

    /** The same for two files that exchange their contents: what an account has of both stays. */
    public void requireSwap(Inode one, Inode oneAfter, Inode other, Inode otherAfter) {
        if (quotas.isEmpty()) {
            return;
        }
        Map<Account, Sums> more = new LinkedHashMap<>();
        addDifference(more, one, oneAfter);
        addDifference(more, other, otherAfter);
        more.forEach(this::require);
    }

    private void addDifference(Map<Account, Sums> more, Inode before, Inode after) {
        Sums difference = usage.own(after).minus(usage.own(before));
        more.merge(Account.user(before.attributes().uid()), difference, Sums::plus);
        more.merge(Account.group(before.attributes().gid()), difference, Sums::plus);
        for (Account account : above(Charge.home(before))) {
            more.merge(account, difference, Sums::plus);
        }
    }

    /** What an inode counts for, wherever it is. */
    public Sums held(Inode inode) {
        return usage.held(inode);
    }

    /** The accounts of a directory and of all above it, up to the root or the trash. */
    public List<Account> above(long home) {
        List<Account> accounts = new ArrayList<>();
        long at = home;
        while (at != Charge.NOWHERE && at != TrashPlace.INO) {
            accounts.add(Account.directory(at));
            Inode inode = at == FileSystem.ROOT_INO ? null : transaction.inode(at);
            at = inode == null ? Charge.NOWHERE : inode.parentIno();
        }
        return accounts;
    }

    private void require(Account account, Sums more) {
        Excess excess = excess(account, more);
        if (excess != null) {
            throw new FsException(
                    Errno.EDQUOT,
                    "the quota of %s is used up: %d of %d %s"
                            .formatted(account, excess.used, excess.limit, excess.what));
        }
    }

    /**
     * A limit that would be passed.
     *
     * @param what the unit, for people
     * @param more how much is to be added
     */
    public record Excess(Account account, String what, long used, long more, long limit) {}

    /** The first limit that an account would pass with more; null when it may have that. */
    public @Nullable Excess excess(Account account, Sums more) {
        Stored stored = quotas.get(account);
        if (stored == null) {
            return null;
        }
        Sums used = usage.sums(account);
        LimitedAccount limited = new LimitedAccount(account, stored.quota, used, stored.sinceNs);
        Sums limits = limited.limits(transaction.nowNs());
        if (isExcess(used.inodes(), more.inodes(), limits.inodes())) {
            return new Excess(account, "inodes", used.inodes(), more.inodes(), limits.inodes());
        }
        if (isExcess(used.lengthBytes(), more.lengthBytes(), limits.lengthBytes())) {
            return new Excess(
                    account,
                    "bytes of length",
                    used.lengthBytes(),
                    more.lengthBytes(),
                    limits.lengthBytes());
        }
        return isExcess(used.spaceBytes(), more.spaceBytes(), limits.spaceBytes())
                ? new Excess(
                        account,
                        "bytes of space",
                        used.spaceBytes(),
                        more.spaceBytes(),
                        limits.spaceBytes())
                : null;
    }

    private static boolean isExcess(long used, long more, long limit) {
        return more > 0 && Quota.isAbove(used + more, limit);
    }
}
