package io.cairn.metadata.usage;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.LinkedHashMap;
import java.util.Map;

/** What accounts hold. Pure functions. */
public final class UsageQueries {
    private UsageQueries() {}

    /** What an account has; nothing when there is no such user, group or directory. */
    public static Sums sums(View view, Account account) {
        return UsageTable.decode(view.get(Family.USAGE, Keys.usage(account)));
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
