package io.cairn.master;

import io.cairn.cluster.Endpoint;
import io.cairn.metadata.Outcome;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The consensus behind a master: Ratis in production, a simulated log in tests. Thread-safe. */
public interface ReplicatedLog extends MasterGroup, AutoCloseable {
    /**
     * Logs one mutation and applies it. The leader stamps its time into the envelope's bytes and
     * groups what waits into one log entry.
     *
     * @param frame holds the envelope from {@code offset} to its end; given away
     * @return what came of it; fails with an {@code FsException}: NOT_LEADER (message: the leader's
     *     client endpoint or empty; nothing was logged), NOT_READY (too much waits, or no majority
     *     within 10 s: whether it was logged is unknown)
     */
    CompletableFuture<Outcome> submit(byte[] frame, int offset);

    /**
     * Whether this master leads and holds the lease, so that its applied state is the newest. A
     * reader asks before <em>and after</em> the read.
     */
    boolean mayRead();

    /** The term in which this master leads since it became ready, or -1 when it does not lead. */
    long leaderTerm();

    /** Where clients find the leader, or null when it is unknown. */
    @Nullable Endpoint leader();

    /**
     * Whether this master leads, and its disk has so little room that changes are to be refused
     * with ENOSPC. Removals, and entries that keep the cluster together, are still taken.
     */
    default boolean isShortOfRoom() {
        return false;
    }

    /**
     * Whether this master is short of room and another one with room is about to lead: what is to
     * be refused may be tried again there.
     */
    default boolean isGivingWay() {
        return false;
    }

    /**
     * Whether an operator told this master to go on with what it holds, because the others have
     * lost their directories: they may have acknowledged what is not in this log.
     */
    default boolean isRecovering() {
        return false;
    }

    /** The state that this log has made is fit for that; see {@link #isRecovering}. */
    default void stateRecovered() {}

    @Override
    void close();
}
