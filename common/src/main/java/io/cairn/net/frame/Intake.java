package io.cairn.net.frame;

import io.cairn.net.ReceiveBudget;
import io.cairn.wire.Limits;

/**
 * The debts of a channel to the other side, and whether it may take more. It may not while too many
 * requests are unanswered (count or bytes), nor while answers pile up, nor while the next request
 * does not fit into the {@link ReceiveBudget}. Requests of this side that pile up do not stop
 * reading: else two sides that both send much would wait for each other for ever. For the owner
 * only.
 */
final class Intake {
    /** Bytes of unanswered requests of one peer, beyond which it is not read. */
    static final int MAX_UNANSWERED_BYTES = 32 << 20;

    /** Bytes of answers not yet given to the wire, beyond which the peer is not read. */
    static final int MAX_UNSENT_ANSWER_BYTES = 4 << 20;

    /** Requests of up to this size are not worth a reservation. */
    static final int SMALL_REQUEST_BYTES = 16 << 10;

    private final ReceiveBudget budget;
    private final Runnable retry;
    private boolean waits;
    private long reservedBytes;
    private int unanswered;
    private long unansweredBytes;

    /**
     * Nothing is owed.
     *
     * @param retry run once, on any thread, when a refused request may fit
     */
    Intake(ReceiveBudget budget, Runnable retry) {
        this.budget = budget;
        this.retry = retry;
    }

    /** Reserves memory for a request; false when it must wait, and {@link #retry} follows. */
    boolean reserve(int bodyBytes) {
        if (bodyBytes <= SMALL_REQUEST_BYTES) {
            return true;
        }
        if (budget.reserve(bodyBytes, retry)) {
            reservedBytes = bodyBytes;
            return true;
        }
        waits = true;
        return false;
    }

    /** It may fit now. */
    void retry() {
        waits = false;
    }

    /** A request has come in; its reservation is the answer's, see {@link #answering}. */
    void begin(int bytes) {
        unanswered++;
        unansweredBytes += bytes;
        reservedBytes = 0;
    }

    /** An answer is on its way: its request needs no memory. From any thread. */
    static void answering(ReceiveBudget budget, int requestBytes) {
        if (requestBytes > SMALL_REQUEST_BYTES) {
            budget.release(requestBytes);
        }
    }

    /** The answer is in the outbox: the request no longer counts. */
    void end(int requestBytes) {
        unanswered--;
        unansweredBytes -= requestBytes;
    }

    /** A message has no answer: its reservation, to be given back when it is handled. */
    long takeReservation() {
        long reserved = reservedBytes;
        reservedBytes = 0;
        return reserved;
    }

    /** The channel has ended. */
    void dispose() {
        budget.release(takeReservation());
    }

    /** Whether a channel that is read should pause. */
    boolean isFull(long unsentAnswerBytes) {
        return unanswered >= Limits.MAX_IN_FLIGHT
                || unansweredBytes >= MAX_UNANSWERED_BYTES
                || unsentAnswerBytes >= MAX_UNSENT_ANSWER_BYTES;
    }

    /** Whether a channel that has paused should be read again. */
    boolean hasRoom(long unsentAnswerBytes) {
        return !waits
                && unanswered <= Limits.MAX_IN_FLIGHT / 2
                && unansweredBytes <= MAX_UNANSWERED_BYTES / 2
                && unsentAnswerBytes <= MAX_UNSENT_ANSWER_BYTES / 2;
    }
}
