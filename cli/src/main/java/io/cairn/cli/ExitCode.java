package io.cairn.cli;

import io.cairn.base.Errno;
import io.cairn.cli.api.ApiException;
import io.cairn.master.store.FormatException;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.FileSystemException;

/** Exit codes, as in BSD's {@code sysexits.h}. */
final class ExitCode {
    static final int OK = 0;

    /** Wrong options or arguments. */
    static final int USAGE = 64;

    /** The data is corrupt or of another format. */
    static final int DATA = 65;

    /** A file or directory named does not exist. */
    static final int NO_INPUT = 66;

    /** A service or a system package is not there. */
    static final int UNAVAILABLE = 69;

    /** A defect of Cairn. */
    static final int SOFTWARE = 70;

    /** The operating system refused. */
    static final int OS_ERROR = 71;

    /** Something cannot be made, for instance a data directory. */
    static final int CANNOT_CREATE = 73;

    /** Input or output failed. */
    static final int IO_ERROR = 74;

    /** Try again later. */
    static final int TEMPORARY = 75;

    /** Not permitted. */
    static final int NO_PERMISSION = 77;

    /** Bad settings. */
    static final int CONFIG = 78;

    private ExitCode() {}

    /** The exit code for a failed use of local files. */
    static int of(IOException error) {
        return switch (error) {
            case FormatException e when e.fault() == FormatException.Fault.FOREIGN -> CANNOT_CREATE;
            case FileSystemException _ -> CANNOT_CREATE;
            case BindException _ -> TEMPORARY;
            default -> DATA;
        };
    }

    /** The exit code for a failed request to the admin API. */
    static int of(ApiException error) {
        return switch (error.status()) {
            case ApiException.UNTRUSTED, 421 -> CONFIG;
            case ApiException.UNANSWERED -> UNAVAILABLE;
            case 400 -> USAGE;
            case 401, 403 -> NO_PERMISSION;
            case 404 -> NO_INPUT;
            case 409 -> CANNOT_CREATE;
            case 412, 429, 503 -> TEMPORARY;
            default -> SOFTWARE;
        };
    }

    /** The exit code for a failed filesystem operation. */
    static int of(Errno errno) {
        return switch (errno) {
            case ENOENT, ENOTDIR, ENODATA -> NO_INPUT;
            case EACCES, EPERM -> NO_PERMISSION;
            case EINVAL -> USAGE;
            case EBADMSG, WRONG_CLUSTER, EPROTO -> DATA;
            case ETIMEDOUT, DISCONNECTED, NOT_LEADER, NO_SESSION, ENXIO -> UNAVAILABLE;
            case EBUSY, EAGAIN, NOT_READY, WRONG_EPOCH -> TEMPORARY;
            case EEXIST, ENOSPC, EROFS -> CANNOT_CREATE;
            default -> IO_ERROR;
        };
    }
}
