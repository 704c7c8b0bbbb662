package io.cairn.fuse.sys;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one place where what went wrong becomes an error number for the kernel. */
public final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    private Failures() {}

    /** The negated error number; a defect is logged and becomes EIO. */
    public static int errno(Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : null;
        Throwable failure = cause == null ? thrown : cause;
        if (failure instanceof FsException e) {
            if (e.errno().isPosix()) {
                return -e.errno().number();
            }
            LOG.warn("an error that no application may see: {} {}", e.errno(), e.getMessage());
            return -Errno.EIO.number();
        }
        LOG.error("defect in a filesystem operation", failure);
        return -Errno.EIO.number();
    }
}
