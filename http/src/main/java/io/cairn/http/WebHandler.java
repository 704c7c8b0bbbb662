package io.cairn.http;

/** Answers HTTP requests. */
@FunctionalInterface
public interface WebHandler {
    /**
     * Answers one request. Called on a thread that may block, of several requests at a time; what
     * it throws becomes 500.
     */
    WebAnswer answer(WebRequest request);
}
