package io.cairn.metadata.usage;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.LimitedAccount;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What accounts hold. Pure functions. */
public final class UsageQueries {
    private UsageQueries() {}

    /** What an account has; nothing when there is no such user, group or directory. */
    public static Sums sums(View view, Account account) {
        return UsageTable.decode(view.get(Family.USAGE, Keys.usage(account)));
    }

    /** An account with its quota; null when it has none. */
    public static @Nullable LimitedAccount limited(View view, Account account) {
        byte[] value = view.get(Family.META, Keys.quota(account));
        return value == null ? null : limited(view, account, value);
    }

    private static LimitedAccount limited(View view, Account account, byte[] value) {
        QuotaTable.Stored stored = QuotaTable.Stored.decode(value);
        return new LimitedAccount(account, stored.quota(), sums(view, account), stored.sinceNs());
    }

    /** All accounts with a quota. */
    public static List<LimitedAccount> limited(View view) {
        List<LimitedAccount> found = new ArrayList<>();
        byte[] all = Keys.quotas();
        view.scan(
                Family.META,
                all,
                all,
                (key, value) -> found.add(limited(view, Keys.quotaOf(key), value)));
        return found;
    }

    /** The quotas that an inode counts for: of the directories above it, and of its owners. */
    public static List<LimitedAccount> limiting(View view, long ino) {
        List<LimitedAccount> found = new ArrayList<>();
        Inode inode = view.inode(ino);
        if (inode == null) {
            return found;
        }
        addTo(found, view, Account.user(inode.attributes().uid()));
        addTo(found, view, Account.group(inode.attributes().gid()));
        long at = inode.attributes().isDirectory() ? ino : Charge.home(inode);
        while (at != Charge.NOWHERE) {
            addTo(found, view, Account.directory(at));
            at = Charge.home(view.inode(at));
        }
        return found;
    }

    /** Whether a user or a group has a quota. */
    public static boolean limitsOwners(View view) {
        boolean[] found = {false};
        // Their codes are above that of directories.
        view.scan(
                Family.META,
                Keys.quotas(),
                Keys.quota(Account.user(0)),
                (_, _) -> {
                    found[0] = true;
                    return false;
                });
        return found[0];
    }

    /** Whether a directory or one above it has a quota; false when there is none. */
    public static boolean isLimited(View view, long directory) {
        long at = directory;
        while (at != Charge.NOWHERE) {
            if (view.get(Family.META, Keys.quota(Account.directory(at))) != null) {
                return true;
            }
            at = Charge.home(view.inode(at));
        }
        return false;
    }

    private static void addTo(List<LimitedAccount> found, View view, Account account) {
        LimitedAccount limited = limited(view, account);
        if (limited != null) {
            found.add(limited);
        }
    }

    /** An inode with all that lies below it; nothing when there is none. */
    public static Sums total(View view, long ino, ClusterMap map) {
        Inode inode = view.inode(ino);
        Sums own = Charge.of(inode, map);
        return inode != null && inode.attributes().isDirectory()
                ? own.plus(sums(view, Account.directory(ino)))
                : own;
    }

    /** The sums of a kind, by id, at most {@code max} behind an id. */
    public static Map<Account, Sums> sums(View view, Account.Kind kind, long afterId, int max) {
        Map<Account, Sums> found = new LinkedHashMap<>();
        view.scan(
                Family.USAGE,
                new byte[] {(byte) kind.code()},
                Keys.usage(new Account(kind, afterId + 1)),
                (key, value) -> {
                    found.put(Keys.account(key), UsageTable.decode(value));
                    return found.size() < max;
                });
        return found;
    }
}
