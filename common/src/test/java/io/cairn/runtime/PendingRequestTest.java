package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What a request of a door waited for. */
class PendingRequestTest {
    private static final long MS = 1_000_000;

    private final PendingRequest request = new PendingRequest();

    /** Lets time pass by the clock that is counted. */
    private static void pass(long ms) {
        long end = System.nanoTime() + ms * MS;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void nestedWaitsCountOnce() {
        long beganNs = System.nanoTime();
        request.run(
                () -> {
                    long outer = PendingRequest.waitClockNs();
                    pass(2);
                    long inner = PendingRequest.waitClockNs();
                    pass(3);
                    PendingRequest.waitedFor(WaitCause.CHUNKS, inner);
                    PendingRequest.waitedFor(WaitCause.MASTER, outer);
                });
        long tookNs = System.nanoTime() - beganNs;
        long chunks = request.waitedNs(WaitCause.CHUNKS);
        long master = request.waitedNs(WaitCause.MASTER);
        assertTrue(chunks >= 3 * MS, "" + chunks);
        assertTrue(master >= 2 * MS, "" + master);
        assertTrue(chunks + master <= tookNs, "not more than there was");
        assertEquals(0, request.waitedNs(WaitCause.BUFFERS));
    }

    @Test
    void aLaterStepCountsForItsRequestOnAnyThread() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        CompletableFuture<?>[] begun = new CompletableFuture<?>[1];
        Function<Integer, CompletableFuture<String>>[] step = steps();
        request.run(() -> step[0] = PendingRequest.counted(WaitCause.OTHERS, () -> answer));
        begun[0] = step[0].apply(1);
        pass(2);
        answer.complete("done");
        assertEquals("done", begun[0].join());
        assertTrue(request.waitedNs(WaitCause.OTHERS) >= 2 * MS);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Function<Integer, CompletableFuture<String>>[] steps() {
        return new Function[1];
    }

    @Test
    void withoutARequestNothingIsCounted() {
        PendingRequest.waitedFor(WaitCause.MASTER, PendingRequest.waitClockNs());
        CompletableFuture<String> answer = new CompletableFuture<>();
        assertSame(answer, PendingRequest.counted(null, WaitCause.MASTER, () -> answer));
    }
}
