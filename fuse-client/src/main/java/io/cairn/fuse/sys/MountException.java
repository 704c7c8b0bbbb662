package io.cairn.fuse.sys;

/** A mount that could not be made. The message is one line that names the thing and the remedy. */
public final class MountException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The person who must act, with the exit codes of {@code sysexits.h}. */
    public enum Category {
        /** The command line is wrong. */
        USAGE(64),
        /** The mountpoint is not there or not usable. */
        MOUNTPOINT(66),
        /** Something is not installed or not running. */
        UNAVAILABLE(69),
        /** The operating system refused. */
        SYSTEM(71),
        /** The user may not do it. */
        PERMISSION(77);

        private final int exitCode;

        Category(int exitCode) {
            this.exitCode = exitCode;
        }

        /** The exit code of a command that ends with this. */
        public int exitCode() {
            return exitCode;
        }
    }

    private final Category category;

    /** A failure of a category, explained in one line. */
    public MountException(Category category, String message) {
        super(message);
        this.category = category;
    }

    /** A failure with the error that caused it. */
    public MountException(Category category, String message, Throwable cause) {
        super(message, cause);
        this.category = category;
    }

    /** The person who must act. */
    public Category category() {
        return category;
    }
}
