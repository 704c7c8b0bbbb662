package io.cairn.client;

/**
 * How many of the errors of a file one open file has told, and in which call. Errors befall data
 * after its writer heard that all is well; they are counted by the file.
 *
 * <p>A write or a close tells an error that no call told before. An fsync tells every error that no
 * fsync told before: the close may have been that of a copy of the descriptor in another process,
 * and the caller of fsync relies on its answer alone. Thread-safe.
 */
final class ReportedErrors {
    private long byWrite;
    private long byClose;
    private long bySync;

    /** The calls that tell errors. */
    enum Call {
        /** write(2) and its like. */
        WRITE,

        /** close(2), and what is done for it. */
        CLOSE,

        /** fsync(2), fdatasync(2), and writes that are synced. */
        SYNC
    }

    /**
     * Tells none of the errors that there were before the file was opened.
     *
     * @param before their number
     */
    ReportedErrors(long before) {
        byWrite = before;
        byClose = before;
        bySync = before;
    }

    /**
     * Whether a call has to tell the last error; then it counts as told.
     *
     * @param count errors of the file so far
     */
    synchronized boolean isDue(Call call, long count) {
        return switch (call) {
            case WRITE -> {
                boolean due = count > Math.max(byWrite, Math.max(byClose, bySync));
                byWrite = due ? count : byWrite;
                yield due;
            }
            case CLOSE -> {
                boolean due = count > Math.max(byClose, bySync);
                byClose = due ? count : byClose;
                yield due;
            }
            case SYNC -> {
                boolean due = count > bySync;
                bySync = due ? count : bySync;
                yield due;
            }
        };
    }
}
