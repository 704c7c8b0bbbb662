package io.cairn.admin.watch;

import io.cairn.admin.api.EventLog;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.LimitedAccount;
import io.cairn.master.MasterService;
import io.cairn.runtime.Clock;
import java.util.HashMap;
import java.util.Map;

/** Makes events of quotas whose limits are passed. Used by one thread at a time. */
final class QuotaWatch {
    private static final String OK = "ok";

    private final MasterService master;
    private final EventLog events;
    private final Clock clock;
    private Map<Account, String> before = Map.of();

    QuotaWatch(MasterService master, EventLog events, Clock clock) {
        this.master = master;
        this.events = events;
        this.clock = clock;
    }

    /**
     * Looks at all quotas.
     *
     * @param first whether what holds already is no news
     */
    void look(boolean first) {
        Map<Account, String> now = new HashMap<>();
        if (master.namespace().accounts().quotaVersion() != 0) {
            long nowNs = clock.now().toEpochMilli() * 1_000_000;
            for (LimitedAccount each : master.namespace().accounts().limited()) {
                now.put(each.account(), each.state(nowNs));
            }
        }
        if (!first) {
            now.forEach(this::compare);
        }
        before = now;
    }

    private void compare(Account account, String state) {
        String was = before.getOrDefault(account, OK);
        if (was.equals(state)) {
            return;
        }
        String sentence =
                switch (state) {
                    case "soft" -> "has passed a soft limit: its grace time runs";
                    case "graceOver" -> "is above a soft limit, and its grace time is over";
                    case "full" -> "has reached a hard limit";
                    default -> "is below its limits again";
                };
        events.add(
                state.equals(OK) ? "info" : "warning",
                "quota",
                account.toString(),
                "The quota of %s %s; see cairn quota report.".formatted(account, sentence));
    }
}
