package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.master.MasterService;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.testkit.posix.Administration;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Orders of an administrator, given to a master in this process. */
record ServiceAdministration(MasterService master) implements Administration {
    private static final long WAIT_S = 60;

    private static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(WAIT_S, TimeUnit.SECONDS).join();
    }

    private void submit(LeaderMutation mutation) {
        assertInstanceOf(Reply.Done.class, await(master.submit(mutation)));
    }

    @Override
    public void keepRemoved(long directory, long seconds) {
        submit(new TrashMutation.SetRetention(directory, seconds));
    }

    @Override
    public void limit(long directory, Sums hard) {
        Quota quota = new Quota(Sums.ZERO, hard, 0);
        submit(new LeaderMutation.SetQuota(Account.directory(directory), quota, false));
    }

    @Override
    public void takeSnapshot(long directory, String name) {
        await(master.snapshots().take(directory, Name.of(name)));
    }

    @Override
    public void dropSnapshot(long directory, String name) {
        for (SnapshotRecord snapshot : master.namespace().snapshots()) {
            if (snapshot.root() == directory
                    && snapshot.isLive()
                    && snapshot.name().equals(Name.of(name))) {
                await(master.snapshots().drop(snapshot));
            }
        }
    }
}
