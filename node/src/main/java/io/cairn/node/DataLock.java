package io.cairn.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One {@code cairn up} a data directory: the locked file {@code DIR/lock}, which tells its pid. */
final class DataLock implements AutoCloseable {
    private static final String NAME = "lock";

    private final FileChannel channel;

    private DataLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Locks a directory.
     *
     * @throws CommandException with TEMPORARY when another process has it
     */
    static DataLock take(Path data) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        data.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() == null) {
                throw taken(data);
            }
            channel.truncate(0);
            byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
            channel.write(ByteBuffer.wrap(pid));
            return new DataLock(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Looks whether a directory is free; it may not exist. Not for who has locked it: the lock
     * would be lost.
     *
     * @throws CommandException with TEMPORARY when another process has it
     */
    static void requireFree(Path data) throws IOException {
        Path file = data.resolve(NAME);
        if (!Files.isWritable(file)) {
            return;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            if (channel.tryLock() == null) {
                throw taken(data);
            }
        }
    }

    private static CommandException taken(Path data) throws IOException {
        String pid = Files.readString(data.resolve(NAME)).strip();
        return new CommandException(
                ExitCode.TEMPORARY,
                "cairn up runs already on "
                        + data
                        + (pid.isEmpty() ? "" : ", pid " + pid)
                        + "; stop it with '"
                        + Program.name()
                        + " down --data "
                        + data
                        + "'");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
