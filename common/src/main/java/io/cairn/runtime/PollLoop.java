package io.cairn.runtime;

/**
 * An event loop without a thread of its own: a thread that has other work runs it in between, so
 * that none has to be woken for what comes in. Continuations run on that thread and must not wait.
 * One thread at a time owns the loop: what it sends is collected until it says {@link #flush}, and
 * goes together. Bytes that others send go at once. Thread-safe.
 */
public interface PollLoop {
    /** Nothing to look for, ever. */
    PollLoop NONE =
            new PollLoop() {
                @Override
                public void enter() {}

                @Override
                public boolean isEntered() {
                    return false;
                }

                @Override
                public void own() {}

                @Override
                public boolean isOwned() {
                    return false;
                }

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

    /** Somebody is going to run it, several times a second, from now on. */
    void enter();

    /** Whether somebody runs it. */
    boolean isEntered();

    /** The calling thread owns it, until another one does. */
    void own();

    /** Whether the calling thread owns it. */
    boolean isOwned();

    /**
     * The file descriptor that can be read when something has come in, for poll(2); negative while
     * there is none. It may be closed by another thread at any time.
     */
    int descriptor();

    /** How many answers are to come. */
    int expected();

    /** Sends what was collected; never waits. */
    void flush();

    /**
     * Sends what was collected, takes what has come in, and does what is due; never waits.
     *
     * @return whether anything had come in
     */
    boolean poll();

    /** Nobody runs it any more: its connections are closed. */
    void leave();
}
