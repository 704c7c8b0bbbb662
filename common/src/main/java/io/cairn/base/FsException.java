package io.cairn.base;

/**
 * A failed filesystem operation. Unchecked, because every door turns it into a reply in exactly one
 * place. Carries no stack trace: these are results, not defects, and occur on hot paths.
 */
public final class FsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;

    /** An error with its standard text. */
    public FsException(Errno errno) {
        this(errno, errno.text());
    }

    /** An error whose message names the thing and, where there is one, the remedy. */
    public FsException(Errno errno, String message) {
        super(message, null, false, false);
        this.errno = errno;
    }

    /** An error caused by another one, which is kept for the log. */
    public FsException(Errno errno, String message, Throwable cause) {
        super(message, cause, false, false);
        this.errno = errno;
    }

    /** The error number. */
    public Errno errno() {
        return errno;
    }
}
