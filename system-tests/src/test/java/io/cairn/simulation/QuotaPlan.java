package io.cairn.simulation;

import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Sets and removes quotas in some seeds, for a directory that {@link QuotaWork} fills, for its
 * users and for its group, while servers fail and masters change.
 */
final class QuotaPlan {
    private static final int LEAST_PAUSE_MS = 200;
    private static final int MOST_PAUSE_MS = 3_000;
    private static final int MOST_INODES = 6;
    private static final int MOST_BYTES = 300_000;
    private static final int MOST_GRACE_MS = 4_000;

    private final SimulatedCluster cluster;
    private final Oracle oracle;
    private final SimulatedScheduler time;
    private final Random random;

    /** The plan of a seed; it draws nothing from the simulation's own numbers. */
    QuotaPlan(SimulatedCluster cluster, Oracle oracle) {
        this.cluster = cluster;
        this.oracle = oracle;
        time = new SimulatedScheduler(cluster.simulation);
        random = new Random(cluster.simulation.seed() * 0xd6e8feb86659fd93L);
    }

    /** Begins, if there are quotas in this seed. */
    void begin(boolean hasTrash) {
        if (random.nextInt(3) == 0) {
            cluster.history.fault("quotas are set");
            oracle.quotas = new QuotaModel(cluster.simulation::millis, hasTrash);
            later();
        }
    }

    private void later() {
        time.schedule(this::next, LEAST_PAUSE_MS + random.nextInt(MOST_PAUSE_MS));
    }

    private void next() {
        later();
        QuotaModel model = oracle.quotas;
        if (model == null || model.directory() == 0 || cluster.masters.leader() == null) {
            return;
        }
        Account account = Oracle.pick(random, model.accounts());
        Quota quota = random.nextInt(4) == 0 ? Quota.NONE : draw();
        cluster.history.note("quota of " + account + ": " + quota);
        model.asked(account, quota);
        long number = model.changes(account);
        // Without an answer it may hold or not.
        var _ =
                submit(account, quota)
                        .thenAccept(
                                reply -> {
                                    if (reply instanceof Reply.Done) {
                                        model.told(account, quota, number);
                                    } else {
                                        cluster.history.violate("I3 a quota is refused: " + reply);
                                    }
                                });
    }

    private Quota draw() {
        int inodes = random.nextInt(MOST_INODES);
        int bytes = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(MOST_BYTES);
        Sums soft = new Sums(inodes, bytes, 0);
        Sums room = new Sums(random.nextInt(3), random.nextInt(MOST_BYTES / 4), 0);
        return switch (random.nextInt(3)) {
            case 0 -> new Quota(soft, Sums.ZERO, random.nextInt(MOST_GRACE_MS));
            case 1 -> new Quota(Sums.ZERO, soft.plus(room), 0);
            default -> new Quota(soft, soft.plus(room), random.nextInt(MOST_GRACE_MS));
        };
    }

    private CompletableFuture<Reply> submit(Account account, Quota quota) {
        return cluster.masters.service().submit(new LeaderMutation.SetQuota(account, quota, false));
    }

    /** Sets a quota when nothing fails any more; returns when it holds. Blocks. */
    void set(Account account, Quota quota) {
        Reply reply = submit(account, quota).join();
        if (!(reply instanceof Reply.Done)) {
            cluster.history.violate("I3 a quota is refused at the end: " + reply);
        }
    }

    /** Removes all quotas when nothing fails any more. Blocks. */
    void removeAll(List<Account> accounts) {
        accounts.forEach(account -> set(account, Quota.NONE));
    }

    /** No more are set. */
    void end() {
        time.stop();
    }
}
