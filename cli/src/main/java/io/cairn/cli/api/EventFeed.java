package io.cairn.cli.api;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads server-sent events from a stream until it ends, or is silent for too long. For one thread.
 */
public final class EventFeed {
    private final Duration silence;

    /** Takes an event. */
    @FunctionalInterface
    public interface Listener {
        /**
         * Called for every event.
         *
         * @param event its kind
         * @param id as sent, or null
         * @param data its lines
         */
        void event(String event, @Nullable String id, String data);
    }

    /**
     * Feeds that may be silent for so long, no longer.
     *
     * @param silence the server sends something more often
     */
    public EventFeed(Duration silence) {
        this.silence = silence;
    }

    /** Reads to the end, which is also that of a broken connection. */
    public void read(InputStream stream, Listener listener) {
        AtomicLong heardNs = new AtomicLong(System.nanoTime());
        Thread watch =
                Thread.ofVirtual()
                        .name("event-feed-watch")
                        .start(() -> closeWhenSilent(stream, heardNs));
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            read(lines, heardNs, listener);
        } catch (IOException e) {
            // The end, too: the caller decides whether to come back.
        } finally {
            watch.interrupt();
        }
    }

    private void closeWhenSilent(InputStream stream, AtomicLong heardNs) {
        try {
            while (System.nanoTime() - heardNs.get() < silence.toNanos()) {
                TimeUnit.SECONDS.sleep(1);
            }
            stream.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void read(BufferedReader lines, AtomicLong heardNs, Listener listener)
            throws IOException {
        String event = "message";
        String id = null;
        StringBuilder data = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            heardNs.set(System.nanoTime());
            if (line.isEmpty()) {
                if (!data.isEmpty()) {
                    listener.event(event, id, data.toString());
                }
                event = "message";
                data.setLength(0);
            } else if (line.startsWith("event:")) {
                event = line.substring(6).strip();
            } else if (line.startsWith("id:")) {
                id = line.substring(3).strip();
            } else if (line.startsWith("data:")) {
                data.append(data.isEmpty() ? "" : "\n").append(line.substring(5).strip());
            }
        }
    }
}
