package io.cairn.master;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.master.load.SlowMutation;
import io.cairn.runtime.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The masters that keep the log together, for operators. Thread-safe. */
public interface MasterGroup {
    /** How a master takes part. */
    enum Share {
        /** It has a vote. */
        FULL,
        /** Its directory was empty; it has no vote before it holds everything. */
        CATCHING_UP,
        /** It belongs to another cluster, and neither takes anything from the other. */
        FOREIGN,
        /** Its state is another one than that of the others. */
        DIFFERING,
        /** It was not heard yet, or not since it went. */
        UNKNOWN
    }

    /**
     * A master as the one that was asked sees it.
     *
     * @param id its name
     * @param raft where the other masters reach it
     * @param client where clients reach it; null when it has not led yet
     * @param leads whether it leads
     * @param commitIndex entries of the log that it knows to be committed
     * @param silentMs since the leader heard it last; 0 for the leader, -1 when that is not known
     * @param share how it takes part
     */
    record Standing(
            String id,
            Endpoint raft,
            @Nullable Endpoint client,
            boolean leads,
            long commitIndex,
            long silentMs,
            Share share) {
        private static final int SILENT_MS = 3_000;

        /** All that {@link #state} may be. */
        public static List<String> states() {
            return List.of("up", "catching up", "other cluster", "differs", "down", "unknown");
        }

        /**
         * In the eyes of the leader: up, down (silent for three seconds), unknown, or why it does
         * not take part although it is there.
         */
        public String state() {
            if (isDown()) {
                return "down";
            }
            return switch (share) {
                case CATCHING_UP -> "catching up";
                case FOREIGN -> "other cluster";
                case DIFFERING -> "differs";
                case UNKNOWN -> "unknown";
                case FULL -> silentMs < 0 ? "unknown" : "up";
            };
        }

        /** Whether the leader does not hear it. */
        public boolean isDown() {
            return silentMs >= SILENT_MS;
        }

        /** Whether it has no part in what the masters decide now. */
        public boolean isAbsent() {
            return isDown()
                    || share == Share.CATCHING_UP
                    || share == Share.FOREIGN
                    || share == Share.DIFFERING;
        }

        /** When one that is down was heard last, {@code 2026-01-31T12:00:00Z}; else null. */
        public @Nullable String silentSince(Clock clock) {
            return isDown()
                    ? clock.now().minusMillis(silentMs).truncatedTo(ChronoUnit.SECONDS).toString()
                    : null;
        }
    }

    /**
     * A master that is to become one of the group.
     *
     * @param id its name
     * @param raft where the other masters reach it
     */
    record Newcomer(String id, Endpoint raft) {}

    /**
     * A change of who the masters are: one comes, one goes, or one takes the place of another.
     *
     * @param joins who comes; null when nobody does
     * @param leaves the name of who goes; null when nobody does
     */
    record Change(@Nullable Newcomer joins, @Nullable String leaves) {}

    /** The slowest mutations of the last five minutes that this master has logged. */
    default List<SlowMutation> slow() {
        return List.of();
    }

    /** All of them, by name. */
    List<Standing> masters();

    /** Where clients reach the masters, as far as that is known. */
    default List<Endpoint> endpoints() {
        return masters().stream()
                .map(Standing::client)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
    }

    /**
     * Why a change is refused now, with the remedy, or null when it is not. Asks the newcomer:
     * blocks for two seconds at most. For the leader.
     */
    default @Nullable String refusal(Change change) {
        return "these masters do not change";
    }

    /** What an operator should know before a change: sentences. */
    default List<String> warnings(Change change) {
        return List.of();
    }

    /**
     * Changes who the masters are. A newcomer gets the whole state first, and a vote when it has
     * caught up.
     *
     * @return completes when the masters agree on it, and the newcomer votes; fails with an {@code
     *     FsException}: NOT_LEADER, or NOT_READY with the reason; then the change may still happen
     */
    default CompletableFuture<Void> change(Change change) {
        return CompletableFuture.failedFuture(
                new FsException(Errno.ENOSYS, "these masters do not change"));
    }

    /** Why this master has no vote among them yet, or null when it has one. */
    default @Nullable String waiting() {
        return null;
    }

    /** The term that this master is in. */
    long term();

    /**
     * Makes another master lead, if this one does.
     *
     * @return completes when it leads; fails with an {@code FsException}: NOT_LEADER, EINVAL when
     *     there is no such master, NOT_READY when it did not take over in time
     */
    CompletableFuture<Void> lead(String id);
}
