package io.cairn.nfs;

import io.cairn.base.Errno;

/** A procedure answered with a status other than OK. */
public final class NfsError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    NfsError(int status) {
        super("NFS status " + status);
        this.status = status;
    }

    /** The {@code nfsstat3}. */
    public int status() {
        return status;
    }

    static void check(int status) {
        if (status != 0) {
            throw new NfsError(status);
        }
    }

    /** What a kernel makes of it. */
    public Errno errno() {
        return switch (status) {
            case 63 -> Errno.ENAMETOOLONG;
            case 66 -> Errno.ENOTEMPTY;
            case 69 -> Errno.EDQUOT;
            case 70, 10001 -> Errno.ESTALE;
            case 10004 -> Errno.EOPNOTSUPP;
            default -> {
                Errno same = status < 63 ? Errno.ofNumber(status) : null;
                yield same == null ? Errno.EIO : same;
            }
        };
    }
}
