package io.cairn.node;

import io.cairn.base.Errno;
import io.cairn.master.store.FormatException;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.FileSystemException;

/** Exit codes, as in BSD's {@code sysexits.h}. */
public final class ExitCode {
    public static final int OK = 0;

    /** Wrong options or arguments. */
    public static final int USAGE = 64;

    /** The data is corrupt or of another format. */
    public static final int DATA = 65;

    /** A file or directory named does not exist. */
    public static final int NO_INPUT = 66;

    /** A service or a system package is not there. */
    public static final int UNAVAILABLE = 69;

    /** A defect of Cairn. */
    public static final int SOFTWARE = 70;

    /** The operating system refused. */
    public static final int OS_ERROR = 71;

    /** Something cannot be made, for instance a data directory. */
    public static final int CANNOT_CREATE = 73;

    /** Input or output failed. */
    public static final int IO_ERROR = 74;

    /** Try again later. */
    public static final int TEMPORARY = 75;

    /** Not permitted. */
    public static final int NO_PERMISSION = 77;

    /** Bad settings. */
    public static final int CONFIG = 78;

    private ExitCode() {}

    /** The exit code for a failed use of local files. */
    public static int of(IOException error) {
        return switch (error) {
            case FormatException e when e.fault() == FormatException.Fault.FOREIGN -> CANNOT_CREATE;
            case FileSystemException _ -> CANNOT_CREATE;
            case BindException _ -> TEMPORARY;
            default -> DATA;
        };
    }

    /** The exit code for a failed filesystem operation. */
    public static int of(Errno errno) {
        return switch (errno) {
            case ENOENT, ENOTDIR, ENODATA -> NO_INPUT;
            case EACCES, EPERM, BAD_TICKET -> NO_PERMISSION;
            case EINVAL -> USAGE;
            case EBADMSG, WRONG_CLUSTER, EPROTO -> DATA;
            case ETIMEDOUT, DISCONNECTED, NOT_LEADER, NO_SESSION, ENXIO -> UNAVAILABLE;
            case EBUSY, EAGAIN, NOT_READY, WRONG_EPOCH, NOT_HEAD -> TEMPORARY;
            case EEXIST, ENOSPC, EROFS -> CANNOT_CREATE;
            default -> IO_ERROR;
        };
    }
}
