package io.cairn.metadata.usage;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Computes all sums anew. That of a directory is right when it is what its entries hold and what
 * their sums say: if that is so everywhere, all sums are exact. So no tree is kept in memory.
 */
public final class UsageCheck {
    private final View view;
    private final ClusterMap map;
    private final Consumer<String> violated;
    private final Map<Account, Sums> owners = new HashMap<>();

    /** A check of a state with this cluster map. */
    public UsageCheck(View view, ClusterMap map, Consumer<String> violated) {
        this.view = view;
        this.map = map;
        this.violated = violated;
    }

    /** Counts an inode for its owners. */
    public void count(Inode inode) {
        Sums own = Charge.of(inode, map);
        owners.merge(Account.user(inode.attributes().uid()), own, Sums::plus);
        owners.merge(Account.group(inode.attributes().gid()), own, Sums::plus);
    }

    /** What an inode adds to the directory of its first name. */
    public Sums total(Inode inode) {
        Sums own = Charge.of(inode, map);
        return inode.attributes().isDirectory()
                ? own.plus(UsageQueries.sums(view, Account.directory(inode.ino())))
                : own;
    }

    /** Compares the sum of a directory with that of its entries. */
    public void compare(long directory, Sums entries) {
        compare(Account.directory(directory), entries);
    }

    private void compare(Account account, Sums right) {
        Sums stored = UsageQueries.sums(view, account);
        if (!stored.equals(right)) {
            violated.accept("I11 %s holds %s, its sum says %s".formatted(account, right, stored));
        }
    }

    /** Checks owners, and that all sums are of something; after all inodes. */
    public void finish() {
        owners.forEach(this::compare);
        checkQuotas();
        view.each(
                Family.USAGE,
                (key, value) -> {
                    Account account = Keys.account(key);
                    if (UsageTable.decode(value).isZero()) {
                        violated.accept("I11 the sum of " + account + " is kept and is nothing");
                    } else if (!isThere(account)) {
                        violated.accept("I11 there is a sum of " + account + ", who is not there");
                    }
                });
    }

    private void checkQuotas() {
        byte[] all = Keys.quotas();
        view.scan(
                Family.META,
                all,
                all,
                (key, value) -> {
                    Account account = Keys.quotaOf(key);
                    if (account.kind() == Account.Kind.DIRECTORY && !isThere(account)) {
                        violated.accept("I11 there is a quota of " + account + ", and it is not");
                    }
                    return true;
                });
    }

    private boolean isThere(Account account) {
        return switch (account.kind()) {
            case USER, GROUP -> owners.containsKey(account);
            case DIRECTORY -> {
                Inode inode = view.inode(account.id());
                yield inode != null && inode.attributes().isDirectory();
            }
        };
    }
}
