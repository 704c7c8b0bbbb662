package io.cairn.metadata.usage;

import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;

/** What accounts hold. Pure functions. */
public final class UsageQueries {
    private UsageQueries() {}

    /** What an account has; nothing when there is no such user, group or directory. */
    public static Sums sums(View view, Account account) {
        return UsageTable.decode(view.get(Family.USAGE, Keys.usage(account)));
    }
}
