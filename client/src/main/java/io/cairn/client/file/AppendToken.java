package io.cairn.client.file;

import io.cairn.client.session.Promises;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The right of this mount to extend one file by O_APPEND writes: where it is, and what has to be
 * done about it. Taken from the master with the first such write and kept, so that later ones cost
 * nothing; given back, after the size was committed, when another client wants it or the file is
 * closed.
 *
 * <pre>
 *   None ---- fetch ---> Fetching ---- taken ---> Held ---- recall, close ---> Recalled
 *    ^  ^                  |  ^                                                   |
 *    |  +---- failed ------+  | fetched again                                     | no append
 *    |                        | meanwhile                                         v runs
 *    +------------------------+---------------- released ---------------------- Releasing
 * </pre>
 *
 * <p>The end of the session takes it away: Held and Recalled become None, or Fetching when the
 * master is being asked at that time. The events below say what happened; {@link #due} says what to
 * give back then. Nothing here waits, asks or locks: {@link OpenInode} guards it, {@link Appends}
 * does what it says.
 */
final class AppendToken {
    /** Where the token is. */
    sealed interface State {
        /** The promise for callers that need it while the master is asked for it; else null. */
        @Nullable CompletableFuture<Void> asked();
    }

    /** Not here, and nobody asks for it. */
    record None() implements State {
        @Override
        public @Nullable CompletableFuture<Void> asked() {
            return null;
        }
    }

    /**
     * The master is asked for it.
     *
     * @param recalled whether another client wants it already
     */
    record Fetching(CompletableFuture<Void> asked, boolean recalled) implements State {}

    /** Here. The master is asked nevertheless when the lease may be over. */
    record Held(@Nullable CompletableFuture<Void> asked) implements State {}

    /** Here until the append that runs is over. */
    record Recalled(@Nullable CompletableFuture<Void> asked) implements State {}

    /**
     * On its way back to the master.
     *
     * @param released when the master has it
     * @param asked of who waits for that to fetch it again
     */
    record Releasing(CompletableFuture<Void> released, @Nullable CompletableFuture<Void> asked)
            implements State {}

    /** The next step of a caller that needs the token. */
    sealed interface Fetch {}

    /** Nothing: it is here. */
    record Enough() implements Fetch {}

    /** Wait for who fetches it already. */
    record Share(CompletableFuture<Void> other) implements Fetch {}

    /** Wait for a release, then ask the master and keep the promise. */
    record Ask(CompletableFuture<Void> after, CompletableFuture<Void> promise) implements Fetch {}

    /** Each token is an owner of its own, so that a late release never frees its successor's. */
    private final long owner;

    private State state = new None();
    private boolean appending;

    /** Counts the tokens taken. */
    private long number;

    /** The last token that was lost with its session. */
    private long lostNumber;

    /** The last token under which nothing of another holder can land among our records. */
    private long fencedNumber;

    /** The last token since whose taking the inode was looked at. */
    private long seenNumber;

    private int losses;

    AppendToken(long owner) {
        this.owner = owner;
    }

    long owner() {
        return owner;
    }

    State state() {
        return state;
    }

    /** Whether it is here. */
    boolean isHeld() {
        return state instanceof Held || state instanceof Recalled;
    }

    /** Whether the master may have given it to this client and not got it back yet. */
    boolean mayBeOurs() {
        return isHeld() || state instanceof Releasing;
    }

    /**
     * Whether the master has given it to this client, and not got it back yet, and the inode was
     * looked at since: what others put into its chunks under the token before is known then.
     */
    boolean isOurs() {
        return mayBeOurs() && seenNumber == number && lostNumber != number;
    }

    /**
     * An append begins. Even a token that is recalled already stays for it.
     *
     * @return whether the token is here
     */
    boolean begin() {
        appending = true;
        return isHeld();
    }

    /** The bytes of the append are buffered, or it failed. */
    void end() {
        appending = false;
    }

    /** Somebody needs the token, unless what there is is enough. */
    Fetch fetch(boolean isEnough) {
        if (isEnough) {
            return new Enough();
        }
        CompletableFuture<Void> other = state.asked();
        if (other != null) {
            return new Share(other);
        }
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> after = Promises.DONE;
        switch (state) {
            case Releasing releasing -> {
                after = releasing.released;
                state = new Releasing(after, mine);
            }
            case Held _ -> state = new Held(mine);
            case Recalled _ -> state = new Recalled(mine);
            case None _, Fetching _ -> state = new Fetching(mine, false);
        }
        return new Ask(after, mine);
    }

    /** The master is about to be asked; how often the session was lost before. */
    int asking() {
        if (state instanceof Fetching fetching) {
            // Who recalled it until now meant the one before.
            state = new Fetching(fetching.asked, false);
        }
        return losses;
    }

    /** The master has given it; false when it was lost with the session since it was asked. */
    boolean taken(int lossesBefore) {
        if (losses != lossesBefore) {
            return false;
        }
        if (state instanceof Fetching(CompletableFuture<Void> asked, boolean recalled)) {
            number++;
            state = recalled ? new Recalled(asked) : new Held(asked);
        }
        return true;
    }

    /** The master is not asked any more, whether it has given the token or not. */
    void fetched() {
        state =
                switch (state) {
                    case None none -> none;
                    case Fetching _ -> new None();
                    case Held _ -> new Held(null);
                    case Recalled _ -> new Recalled(null);
                    case Releasing releasing -> new Releasing(releasing.released, null);
                };
    }

    /**
     * Another client wants a token; false when it is not this one. It asks again and again, also
     * while the release waits for the commit: only that release may give the token away.
     */
    boolean recall(long itsOwner) {
        if (itsOwner != owner) {
            return false;
        }
        switch (state) {
            case None _ -> {
                return false;
            }
            case Fetching fetching -> state = new Fetching(fetching.asked, true);
            case Held held -> state = new Recalled(held.asked);
            case Recalled _, Releasing _ -> {
                // It goes back anyway.
            }
        }
        return true;
    }

    /** The last open file is closed. */
    void closed() {
        appending = false;
        if (state instanceof Held held) {
            state = new Recalled(held.asked);
        }
    }

    /** The promise of giving the token back, if that has to begin now; else null. */
    @Nullable CompletableFuture<Void> due() {
        if (!(state instanceof Recalled recalled) || appending) {
            return null;
        }
        CompletableFuture<Void> released = new CompletableFuture<>();
        state = new Releasing(released, recalled.asked);
        return released;
    }

    /** The master has it back. */
    void released() {
        if (state instanceof Releasing releasing) {
            state = without(releasing.asked);
        }
    }

    /** The session is gone, and with it the token; whether it was ours. */
    boolean dropped() {
        boolean ours = mayBeOurs();
        if (isHeld()) {
            state = without(state.asked());
        }
        lostNumber = number;
        losses++;
        return ours;
    }

    private static State without(@Nullable CompletableFuture<Void> asked) {
        return asked == null ? new None() : new Fetching(asked, false);
    }

    /** The number of the token that is here. */
    long number() {
        return number;
    }

    /** Whether nothing of another holder can land among records appended now. */
    boolean isFenced() {
        return fencedNumber == number;
    }

    /** From this token on what the holder before has still on its way lands elsewhere. */
    void fenced(long token) {
        fencedNumber = token;
    }

    /** The inode was looked at under a token. */
    void seen(long token) {
        seenNumber = token;
    }
}
