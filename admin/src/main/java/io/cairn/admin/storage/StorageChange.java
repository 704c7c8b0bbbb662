package io.cairn.admin.storage;

import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Problem;
import io.cairn.master.MasterService;
import io.cairn.wire.master.LeaderMutation.StorageMutation;
import io.cairn.wire.master.Reply;

/** Carries out changes of servers and targets. */
final class StorageChange {
    private StorageChange() {}

    /**
     * Does it.
     *
     * @throws Problem 409 when it is not possible now
     */
    static Outcome done(MasterService master, StorageMutation mutation) {
        if (Log.await(master.submit(mutation)) instanceof Reply.Failure failure) {
            throw Problem.conflict(failure.message() + ".");
        }
        return Outcome.done();
    }
}
