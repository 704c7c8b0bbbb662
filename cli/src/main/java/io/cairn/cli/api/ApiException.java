package io.cairn.cli.api;

import io.cairn.node.ExitCode;
import org.jspecify.annotations.Nullable;

/** The API has refused a request, or nobody has answered it. The message is one line. */
public final class ApiException extends RuntimeException {
    /** Nobody has answered. */
    public static final int UNANSWERED = 0;

    /** The server that answers cannot prove its identity. */
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

    /** The exit code of a command that ends because of it. */
    public int exitCode() {
        return switch (status) {
            case UNTRUSTED, 421 -> ExitCode.CONFIG;
            case UNANSWERED -> ExitCode.UNAVAILABLE;
            case 400 -> ExitCode.USAGE;
            case 401, 403 -> ExitCode.NO_PERMISSION;
            case 404 -> ExitCode.NO_INPUT;
            case 409 -> ExitCode.CANNOT_CREATE;
            case 412, 429, 503 -> ExitCode.TEMPORARY;
            default -> ExitCode.SOFTWARE;
        };
    }
}
