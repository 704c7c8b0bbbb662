package io.cairn.base;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The only vocabulary of failure in Cairn. Values below 2000 are Linux error numbers (asm-generic);
 * values from 2000 are spoken only between Cairn services and never reach an application.
 */
public enum Errno {
    EPERM(1, "operation not permitted"),
    ENOENT(2, "no such file or directory"),
    EINTR(4, "interrupted"),
    EIO(5, "input/output error"),
    ENXIO(6, "no such device or address"),
    E2BIG(7, "argument list too long"),
    EBADF(9, "bad file descriptor"),
    EAGAIN(11, "resource temporarily unavailable"),
    ENOMEM(12, "out of memory"),
    EACCES(13, "permission denied"),
    EBUSY(16, "device or resource busy"),
    EEXIST(17, "file exists"),
    EXDEV(18, "cross-device link"),
    ENODEV(19, "no such device"),
    ENOTDIR(20, "not a directory"),
    EISDIR(21, "is a directory"),
    EINVAL(22, "invalid argument"),
    ENOTTY(25, "inappropriate ioctl"),
    EFBIG(27, "file too large"),
    ENOSPC(28, "no space left on device"),
    EROFS(30, "read-only file system"),
    EMLINK(31, "too many links"),
    ERANGE(34, "result too large for the buffer"),
    EDEADLK(35, "deadlock avoided"),
    ENAMETOOLONG(36, "name too long"),
    ENOLCK(37, "no locks available"),
    ENOSYS(38, "not implemented"),
    ENOTEMPTY(39, "directory not empty"),
    ELOOP(40, "too many symbolic links"),
    ENODATA(61, "no such attribute"),
    EPROTO(71, "protocol error"),
    EBADMSG(74, "checksum mismatch"),
    EOVERFLOW(75, "value too large"),
    EOPNOTSUPP(95, "operation not supported"),
    ETIMEDOUT(110, "timed out"),
    ESTALE(116, "stale file handle"),
    EDQUOT(122, "quota exceeded"),
    /** The condition under which it was to be done does not hold; nothing was changed. */
    ECANCELED(125, "changed meanwhile"),

    /** The master asked is not the leader; the message may hold the leader's {@code host:port}. */
    NOT_LEADER(2001, "not the leader"),
    /** The placement group has another epoch than the request or the server thinks. */
    WRONG_EPOCH(2002, "wrong placement group epoch"),
    /** The session is unknown or its lease has ended. */
    NO_SESSION(2003, "no such session"),
    /** A fresh leader or chunk server is not ready; try again after a moment. */
    NOT_READY(2004, "not ready"),
    /** The connection broke; whether the request was executed is unknown. */
    DISCONNECTED(2005, "connection lost"),
    /** The peer belongs to another cluster or speaks another protocol version. */
    WRONG_CLUSTER(2006, "other cluster or protocol version"),
    /** A member of the group cannot tell by itself whether a write is settled: the head can. */
    NOT_HEAD(2007, "ask the head"),
    /** A chunk server does not take this ticket; another one may be good. */
    BAD_TICKET(2008, "ticket refused");

    private static final Map<Integer, Errno> BY_NUMBER = new HashMap<>();

    static {
        for (Errno errno : values()) {
            BY_NUMBER.put(errno.number, errno);
        }
    }

    private final int number;
    private final String text;

    Errno(int number, String text) {
        this.number = number;
        this.text = text;
    }

    /** The positive number: a Linux errno, or 2000 and above between services. */
    public int number() {
        return number;
    }

    /** A short English phrase, without a full stop. */
    public String text() {
        return text;
    }

    /** Whether an application may see this value. */
    public boolean isPosix() {
        return number < 2000;
    }

    /**
     * Whether the same request may succeed when sent again after refreshing what the sender knows.
     */
    public boolean isTransient() {
        return switch (this) {
            case NOT_LEADER, WRONG_EPOCH, NOT_HEAD, NOT_READY, DISCONNECTED, ETIMEDOUT -> true;
            default -> false;
        };
    }

    /** The constant for a number, or null when the number is unknown. */
    public static @Nullable Errno ofNumber(int number) {
        return BY_NUMBER.get(number);
    }
}
