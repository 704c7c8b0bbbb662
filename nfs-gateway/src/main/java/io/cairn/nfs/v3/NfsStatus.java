package io.cairn.nfs.v3;

import io.cairn.base.Errno;
import io.cairn.base.FsException;

/** The values of {@code nfsstat3} (RFC 1813, 2.6). */
final class NfsStatus {
    static final int OK = 0;
    static final int PERM = 1;
    static final int NOENT = 2;
    static final int IO = 5;
    static final int NXIO = 6;
    static final int ACCES = 13;
    static final int EXIST = 17;
    static final int XDEV = 18;
    static final int NODEV = 19;
    static final int NOTDIR = 20;
    static final int ISDIR = 21;
    static final int INVAL = 22;
    static final int FBIG = 27;
    static final int NOSPC = 28;
    static final int ROFS = 30;
    static final int MLINK = 31;
    static final int NAMETOOLONG = 63;
    static final int NOTEMPTY = 66;
    static final int DQUOT = 69;
    static final int STALE = 70;
    static final int BADHANDLE = 10001;
    static final int NOT_SYNC = 10002;
    static final int BAD_COOKIE = 10003;
    static final int NOTSUPP = 10004;
    static final int TOOSMALL = 10005;
    static final int SERVERFAULT = 10006;
    static final int BADTYPE = 10007;

    /** Try again later; clients wait and do so without failing the program. */
    static final int JUKEBOX = 10008;

    private NfsStatus() {}

    /**
     * The status for a failure. An error that only means that the cluster did not answer in time
     * reaches the doors as EIO, with the true reason as its cause; an NFS client may try again.
     */
    static int of(FsException e) {
        boolean hidden =
                e.errno() == Errno.EIO
                        && e.getCause() instanceof FsException cause
                        && !cause.errno().isPosix();
        return hidden ? JUKEBOX : of(e.errno());
    }

    /** The status for an error of the filesystem. */
    static int of(Errno errno) {
        return switch (errno) {
            case EPERM -> PERM;
            case ENOENT -> NOENT;
            case EIO, EBADMSG -> IO;
            case ENXIO -> NXIO;
            case EACCES, BAD_TICKET -> ACCES;
            case EEXIST -> EXIST;
            case EXDEV -> XDEV;
            case ENODEV -> NODEV;
            case ENOTDIR -> NOTDIR;
            case EISDIR -> ISDIR;
            case EINVAL, ELOOP -> INVAL;
            case EFBIG, EOVERFLOW -> FBIG;
            case ENOSPC -> NOSPC;
            case EROFS -> ROFS;
            case EMLINK -> MLINK;
            case ENAMETOOLONG -> NAMETOOLONG;
            case ENOTEMPTY -> NOTEMPTY;
            case EDQUOT -> DQUOT;
            case ECANCELED -> NOT_SYNC;
            case ESTALE -> STALE;
            case EOPNOTSUPP, ENOSYS -> NOTSUPP;
            case EAGAIN, EBUSY, EINTR, ENOMEM, ETIMEDOUT -> JUKEBOX;
            case NOT_LEADER, WRONG_EPOCH, NOT_HEAD, NO_SESSION, NOT_READY, DISCONNECTED -> JUKEBOX;
            case E2BIG, EBADF, ENOTTY, ERANGE, EDEADLK, ENOLCK, ENODATA, EPROTO, WRONG_CLUSTER ->
                    SERVERFAULT;
        };
    }
}
