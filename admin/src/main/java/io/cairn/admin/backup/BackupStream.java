package io.cairn.admin.backup;

import io.cairn.admin.api.AddressText;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Router;
import io.cairn.http.WebAnswer;
import io.cairn.http.WebFeed;
import io.cairn.http.WebHandler;
import io.cairn.http.WebRequest;
import io.cairn.master.MasterService;
import io.cairn.master.backup.BackupWriter;
import io.cairn.metadata.state.StoredState;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * {@code /backup/stream}: the state of whichever master is asked, once it has applied everything
 * that the leader had at that time. So a follower can bear the work. Thread-safe.
 */
public final class BackupStream {
    /** Backups at a time on this master. */
    static final int MAX_STREAMS = 2;

    private static final String TYPE = "application/octet-stream";
    private static final long CATCH_UP_MS = 10_000;
    private static final long LOOK_MS = 5;

    private final MasterService master;
    private final WebHandler api;
    private final Clock clock;
    private final String release;
    private final AtomicInteger streams = new AtomicInteger();

    /**
     * Streams of a master.
     *
     * @param api answers requests, wherever the leader is
     * @param release told in the file
     */
    public BackupStream(MasterService master, WebHandler api, Clock clock, String release) {
        this.master = master;
        this.api = api;
        this.clock = clock;
        this.release = release;
    }

    /** Begins a stream, or answers why not. */
    public WebAnswer open(WebRequest request) {
        String accept = request.header("accept");
        if (accept != null && !accept.contains(TYPE) && !accept.contains("*/*")) {
            throw Problem.notAcceptable("A backup is " + TYPE + ", not " + accept + ".");
        }
        for (String name : AddressText.parameters(request.query()).keySet()) {
            throw Problem.unknown(
                    name, "A backup has no parameter '" + name + "'; leave it out.", List.of());
        }
        // The leader knows the caller, and how far a backup has to be.
        WebAnswer state = api.answer(stateRequest(request));
        if (state.status() != 200) {
            return state;
        }
        awaitApplied(
                Json.stored(state.body()).get("index") instanceof Number n ? n.longValue() : 0);
        if (streams.get() >= MAX_STREAMS) {
            throw Problem.tooMany(
                    "%d backups are being read from this master; ask another one, or wait."
                            .formatted(MAX_STREAMS),
                    10);
        }
        return WebAnswer.of(TYPE, this::feed);
    }

    private static WebRequest stateRequest(WebRequest request) {
        String token = request.header("authorization");
        return new WebRequest(
                "GET",
                Router.PREFIX + BackupResource.STATE,
                "",
                token == null ? Map.of() : Map.of("authorization", token),
                new byte[0],
                request.remote());
    }

    private void awaitApplied(long index) {
        long endNs = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CATCH_UP_MS);
        while (master.namespace().appliedIndex() < index) {
            if (clock.nanoTime() > endNs) {
                throw Problem.unavailable(
                        "Master %s lags behind the leader; ask another one."
                                .formatted(master.settings().id()));
            }
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw Problem.unavailable("The master stops; ask another one.");
            }
        }
    }

    private void feed(WebFeed.Sink out) throws IOException, InterruptedException {
        streams.incrementAndGet();
        try (StoredState state = master.namespace().snapshot()) {
            BackupWriter.write(
                    state,
                    BackupResource.head(master, state, clock.wallNs() / 1_000_000, release),
                    new Pieces(out));
        } catch (InterruptedIOException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedException("the door closes");
        } finally {
            streams.decrementAndGet();
        }
    }

    /** Hands each piece on as it comes. */
    private static final class Pieces extends OutputStream {
        private final WebFeed.Sink out;

        Pieces(WebFeed.Sink out) {
            this.out = out;
        }

        @Override
        public void write(int single) throws IOException {
            write(new byte[] {(byte) single});
        }

        @Override
        public void write(byte[] piece) throws IOException {
            try {
                out.write(piece);
            } catch (InterruptedException e) {
                throw new InterruptedIOException("the door closes");
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            write(Arrays.copyOfRange(bytes, offset, offset + count));
        }
    }
}
