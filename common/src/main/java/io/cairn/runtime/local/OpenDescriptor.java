package io.cairn.runtime.local;

import io.cairn.os.SystemCalls;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * An open file that is given from one process to another over a {@link LocalSocket}. For one thread
 * at a time.
 */
public final class OpenDescriptor implements AutoCloseable {
    private static final SystemCalls CALLS = new SystemCalls();

    private int fd;

    /** Takes over an open descriptor. */
    OpenDescriptor(int fd) {
        this.fd = fd;
    }

    /** Opens a file to be read. */
    public static OpenDescriptor reading(Path path) throws IOException {
        int fd = CALLS.open(path.toString(), SystemCalls.O_RDONLY);
        if (fd < 0) {
            throw new FileSystemException(path.toString(), null, "error number " + -fd);
        }
        return new OpenDescriptor(fd);
    }

    /** Its number in this process; -1 when it is closed or was taken over. */
    int number() {
        return fd;
    }

    /** Its number, for an owner who closes it. */
    int release() {
        int number = fd;
        fd = -1;
        return number;
    }

    /** Idempotent. */
    @Override
    public void close() {
        int number = release();
        if (number >= 0) {
            int _ = CALLS.close(number);
        }
    }
}
