package io.cairn.master.raft;

import io.cairn.base.FsException;
import io.cairn.metadata.Outcome;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.statemachine.TransactionContext;
import org.jspecify.annotations.Nullable;

/**
 * Operations that share one log entry.
 *
 * <pre>
 * +--------+----------+--------+----------+----
 * | length | envelope | length | envelope | ...
 * |   4    |  length  |   4    |  length  |
 * +--------+----------+--------+----------+----
 * </pre>
 */
public final class Group {
    /**
     * An operation on its way.
     *
     * @param frame holds the envelope from {@code offset} to the end
     * @param reply the caller waits for it
     * @param deadlineNs when the caller gets NOT_READY, in {@code Clock.nanoTime}
     */
    record Operation(byte[] frame, int offset, CompletableFuture<Outcome> reply, long deadlineNs) {
        int lengthBytes() {
            return frame.length - offset;
        }
    }

    private final long number;
    private final byte[] entry;
    private final List<Operation> operations;
    private final long proposedNs;
    private volatile @Nullable TransactionContext transaction;

    /** Written by the thread that applies it, before it is answered on the same thread. */
    private long applyingNs;

    /**
     * A group.
     *
     * @param proposedNs now, in {@code Clock.nanoTime}
     */
    Group(long number, byte[] entry, List<Operation> operations, long proposedNs) {
        this.number = number;
        this.entry = entry;
        this.operations = operations;
        this.proposedNs = proposedNs;
        this.applyingNs = proposedNs;
    }

    /** When it was given to the log. */
    long proposedNs() {
        return proposedNs;
    }

    /** Its entry is in the log of a majority, and is applied from now on. */
    void markApplying(long nowNs) {
        applyingNs = nowNs;
    }

    /** When that was. */
    long applyingNs() {
        return applyingNs;
    }

    List<Operation> operations() {
        return operations;
    }

    /** Number of the entry among those that this process proposed. */
    long number() {
        return number;
    }

    /** The bytes for the log. */
    public byte[] entry() {
        return entry;
    }

    /** How many replies are expected. */
    int size() {
        return operations.size();
    }

    /** When the first caller runs out of patience; the callers of a group came in order. */
    long deadlineNs() {
        return operations.getFirst().deadlineNs();
    }

    /** From here on it may be applied even if this master is deposed. */
    void markLogged(TransactionContext by) {
        transaction = by;
    }

    boolean logged() {
        return transaction != null;
    }

    /** The entry of the log, or null as long as it has no place there. */
    @Nullable LogEntryProto logEntry() {
        TransactionContext by = transaction;
        return by == null ? null : by.getLogEntry();
    }

    void complete(List<Outcome> replies) {
        for (int i = 0; i < operations.size(); i++) {
            operations.get(i).reply().complete(replies.get(i));
        }
    }

    void fail(FsException error) {
        for (Operation operation : operations) {
            operation.reply().completeExceptionally(error);
        }
    }
}
