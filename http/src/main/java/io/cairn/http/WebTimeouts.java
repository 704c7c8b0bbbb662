package io.cairn.http;

/**
 * How long a {@link HttpServer} waits, in milliseconds, 1 or more.
 *
 * @param requestMs for the head of a request, then for its body, then for its answer to be taken
 * @param sinkMs how long the client of a feed may take nothing
 * @param certificateMs between two looks at the files of the certificate
 */
record WebTimeouts(int requestMs, int sinkMs, int certificateMs) {
    /** That of every door but those of tests. */
    static final WebTimeouts STANDARD = new WebTimeouts(HttpServer.REQUEST_MS, 15_000, 10_000);
}
