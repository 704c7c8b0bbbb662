package io.cairn.node;

import org.jspecify.annotations.Nullable;

/** Ends a command with one line on standard error and an exit code of {@link ExitCode}. */
public final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /** The message names the thing and the remedy. */
    public CommandException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** The same with a cause for {@code --debug}. */
    public CommandException(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    public int exitCode() {
        return exitCode;
    }
}
