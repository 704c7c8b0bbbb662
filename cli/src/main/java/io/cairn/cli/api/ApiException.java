package io.cairn.cli.api;

import org.jspecify.annotations.Nullable;

/** The API has refused a request, or nobody has answered it. The message is one line. */
public final class ApiException extends RuntimeException {
    /** Nobody has answered. */
    public static final int UNANSWERED = 0;

    /** Whoever answers cannot prove that it is the one. */
    public static final int UNTRUSTED = -1;

    private static final long serialVersionUID = 1L;

    private final int status;

    /**
     * A failed request.
     *
     * @param status of HTTP, {@link #UNANSWERED} or {@link #UNTRUSTED}
     * @param message names the thing and the remedy
     */
    public ApiException(int status, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /** The status of HTTP, {@link #UNANSWERED} or {@link #UNTRUSTED}. */
    public int status() {
        return status;
    }
}
