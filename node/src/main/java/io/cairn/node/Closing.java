package io.cairn.node;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Things to close in the reverse order of their making, each one even if another fails.
 * Thread-safe; closes everything once.
 */
public final class Closing implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

    private final Deque<AutoCloseable> things = new ArrayDeque<>();

    /** Adds a thing and returns it. */
    public synchronized <T extends AutoCloseable> T add(T thing) {
        things.push(thing);
        return thing;
    }

    @Override
    public synchronized void close() {
        while (!things.isEmpty()) {
            AutoCloseable thing = things.pop();
            try {
                thing.close();
            } catch (Exception e) {
                LOG.warn(
                        "{} did not close cleanly: {}",
                        thing.getClass().getSimpleName(),
                        e.toString());
            }
        }
    }
}
