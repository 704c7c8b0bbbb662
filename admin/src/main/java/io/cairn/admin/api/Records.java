package io.cairn.admin.api;

import io.cairn.base.Errno;
import io.cairn.master.MasterService;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of the administration in the replicated state: small documents with names and
 * versions. Changes block until they are on stable media of a majority. Thread-safe.
 */
public final class Records {
    private static final int ALL = 100_000;

    private final MasterService master;

    /** The records that a master keeps; only the leader's are the newest, and may be changed. */
    public Records(MasterService master) {
        this.master = master;
    }

    /** All records whose keys begin with a text, in the order of their keys. */
    public List<AdminRecord> all(String prefix) {
        return master.namespace().records(prefix, "", ALL);
    }

    /** Some of them: behind {@code after}, at most {@code max}. */
    public List<AdminRecord> some(String prefix, String after, int max) {
        return master.namespace().records(prefix, after, max);
    }

    /** The record of a key, or null. */
    public @Nullable AdminRecord get(String key) {
        List<AdminRecord> found = master.namespace().records(key, "", 1);
        return found.isEmpty() || !found.getFirst().key().equals(key) ? null : found.getFirst();
    }

    /** The version to expect in a change: 0 when there is no such record. */
    public long version(String key) {
        AdminRecord record = get(key);
        return record == null ? 0 : record.version();
    }

    /**
     * Makes all these changes or none.
     *
     * @throws Problem 412 when a record has another version than expected; 409 when it is too large
     *     or there are too many; 503 when the log does not answer
     */
    public void change(RecordChange... changes) {
        change(List.of(changes));
    }

    /** The same. */
    public void change(List<RecordChange> changes) {
        submit(new LeaderMutation.ChangeRecords(changes));
    }

    /**
     * The same for settings.
     *
     * @param standardReplicas copies of every chunk; 0 = as many as before
     */
    public void changeSettings(int standardReplicas, List<RecordChange> changes) {
        submit(new LeaderMutation.ChangeSettings(standardReplicas, changes));
    }

    private void submit(LeaderMutation mutation) {
        Reply reply = Log.await(master.submit(mutation));
        if (reply instanceof Reply.Failure failure) {
            throw failure.errno() == Errno.ESTALE
                    ? Problem.stale("Somebody else changed it meanwhile: read it again.")
                    : Problem.conflict(failure.message());
        }
    }
}
