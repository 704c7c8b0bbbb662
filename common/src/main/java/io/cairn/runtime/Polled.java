package io.cairn.runtime;

/**
 * Answers that a thread looks for between other work, so that no thread has to be woken for each of
 * them. The continuation of an answer runs on the thread that found it. Thread-safe.
 */
public interface Polled {
    /** Nothing to look for, ever. */
    Polled NOTHING =
            new Polled() {
                @Override
                public void enter() {}

                @Override
                public int descriptor() {
                    return -1;
                }

                @Override
                public int expected() {
                    return 0;
                }

                @Override
                public void flush() {}

                @Override
                public boolean poll() {
                    return false;
                }

                @Override
                public void leave() {}
            };

    /** Somebody is going to look from now on; gets ready for it, which may take a while. */
    void enter();

    /**
     * The file descriptor that can be read when an answer may have come, for poll(2); negative
     * while there is none. It may be closed by another thread at any time.
     */
    int descriptor();

    /** How many answers are to come. */
    int expected();

    /** Sends the requests that were collected; never waits. */
    void flush();

    /**
     * Takes the answers that have come, and gives up those that are late; never waits. Requests
     * that were collected are sent before.
     *
     * @return whether there was any
     */
    boolean poll();

    /** Nobody will look any more: what was asked is answered on other threads from now on. */
    void leave();
}
