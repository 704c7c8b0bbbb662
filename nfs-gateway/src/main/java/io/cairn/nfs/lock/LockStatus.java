package io.cairn.nfs.lock;

import io.cairn.base.Errno;

/** The values of {@code nlm4_stats} (RFC 1813, 6.1.1). */
final class LockStatus {
    static final int GRANTED = 0;
    static final int DENIED = 1;
    static final int DENIED_NOLOCKS = 2;
    static final int BLOCKED = 3;

    /** Clients ask again after some seconds. */
    static final int DENIED_GRACE_PERIOD = 4;

    static final int DEADLCK = 5;
    static final int ROFS = 6;
    static final int STALE_FH = 7;
    static final int FBIG = 8;
    static final int FAILED = 9;

    private LockStatus() {}

    /** The status for an error of the filesystem. */
    static int of(Errno errno) {
        return switch (errno) {
            case ENOLCK, ENOMEM, ENOSPC -> DENIED_NOLOCKS;
            case EDEADLK -> DEADLCK;
            case EROFS -> ROFS;
            case ESTALE, ENOENT -> STALE_FH;
            case EFBIG, EOVERFLOW -> FBIG;
            case EAGAIN, EBUSY, EINTR, ETIMEDOUT -> DENIED_GRACE_PERIOD;
            case NOT_LEADER, WRONG_EPOCH, NOT_HEAD, NO_SESSION, NOT_READY, DISCONNECTED ->
                    DENIED_GRACE_PERIOD;
            default -> FAILED;
        };
    }
}
