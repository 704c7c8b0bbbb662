package io.cairn.http;

/**
 * How long a {@link WebDoor} waits for its clients, in milliseconds, 1 or more.
 *
 * @param requestMs for a request to arrive whole, and for an answer to be taken
 * @param sinkMs how long the client of a feed may take nothing
 */
record WebPatience(int requestMs, int sinkMs) {
    /** That of every door but those of tests. */
    static final WebPatience STANDARD = new WebPatience(WebDoor.REQUEST_MS, 15_000);
}
