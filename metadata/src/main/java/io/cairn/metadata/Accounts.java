package io.cairn.metadata;

import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.LimitedAccount;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.cluster.MapHistory;
import io.cairn.metadata.state.View;
import io.cairn.metadata.usage.QuotaTable;
import io.cairn.metadata.usage.UsageQueries;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/**
 * What directories, users and groups hold, and how much they may hold, in the committed state. Any
 * thread may ask.
 */
public final class Accounts {
    private final View view;
    private final Lock lock;
    private final MapHistory maps;
    private final QuotaTable quotas;

    /** Those of a namespace; the lock keeps its state as it is. */
    Accounts(View view, Lock lock, MapHistory maps, QuotaTable quotas) {
        this.view = view;
        this.lock = lock;
        this.maps = maps;
        this.quotas = quotas;
    }

    private <T> T reading(Supplier<T> reader) {
        lock.lock();
        try {
            return reader.get();
        } finally {
            lock.unlock();
        }
    }

    /** What lies below a directory, or what a user or a group owns: one read. */
    public Sums sums(Account account) {
        return reading(() -> UsageQueries.sums(view, account));
    }

    /** What accounts of a kind hold, at most {@code max} of them, with ids behind this one. */
    public Map<Account, Sums> sums(Account.Kind kind, long afterId, int max) {
        return reading(() -> UsageQueries.sums(view, kind, afterId, max));
    }

    /** An inode with all that lies below it; nothing when there is none. */
    public Sums total(long ino) {
        return reading(() -> UsageQueries.total(view, ino, maps.youngest()));
    }

    /** Changes with each change of a quota; 0 when there is none. */
    public long quotaVersion() {
        return quotas.version();
    }

    /** All accounts with a quota. */
    public List<LimitedAccount> limited() {
        return reading(() -> UsageQueries.limited(view));
    }

    /** The quotas that an inode counts for: of the directories above it, and of its owners. */
    public List<LimitedAccount> limiting(long ino) {
        return reading(() -> UsageQueries.limiting(view, ino));
    }

    /** Whether a user or a group has a quota. */
    public boolean limitsOwners() {
        return quotas.version() != 0 && reading(() -> UsageQueries.limitsOwners(view));
    }

    /** Whether a directory or one above it has a quota; false when there is none. */
    public boolean isLimited(long directory) {
        return quotas.version() != 0 && reading(() -> UsageQueries.isLimited(view, directory));
    }
}
