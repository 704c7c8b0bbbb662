package io.cairn.master.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a second process out of a directory while this one lives. The lock is the kernel's: it ends
 * with the process, however that ends. The file {@code LOCK} holds the number of the process, for
 * people.
 */
public final class DirectoryLock implements AutoCloseable {
    static final String NAME = "LOCK";

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Takes the lock of an existing directory, or fails at once, naming the directory. */
    public static DirectoryLock take(Path directory) throws IOException {
        Path file = directory.resolve(NAME);
        FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        try {
            if (tryLock(channel) == null) {
                throw new IOException(
                        "%s is in use by another process (%s); stop it first"
                                .formatted(directory, holder(channel)));
            }
            channel.truncate(0);
            String pid = "pid " + ProcessHandle.current().pid();
            channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
            return new DirectoryLock(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // held by this very process
        }
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(32);
        int length = Math.max(0, channel.read(text, 0));
        String holder = new String(text.array(), 0, length, StandardCharsets.US_ASCII);
        return holder.startsWith("pid ") ? holder : "pid unknown";
    }

    /** Gives the directory free. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
