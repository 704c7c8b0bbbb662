package io.cairn.verify.access;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** System calls on a mount. */
public record MountAccess(String name, Path mountpoint) implements FileAccess {
    private static final Set<OpenOption> NEW =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private Path at(String path) {
        return mountpoint.resolve(path);
    }

    @Override
    public void createDirectory(String path) throws IOException {
        Files.createDirectory(at(path));
    }

    @Override
    public void createNew(String path) throws IOException {
        Files.createFile(at(path));
    }

    @Override
    public void store(String path, byte[] contents, boolean sync) throws IOException {
        put(path, 0, contents, sync, NEW);
    }

    @Override
    public Closeable storeOpen(String path, byte[] contents) throws IOException {
        FileChannel channel = FileChannel.open(at(path), NEW);
        try {
            put(channel, 0, contents, true);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        return channel;
    }

    @Override
    public byte[] load(String path) throws IOException {
        return Files.readAllBytes(at(path));
    }

    @Override
    public void write(String path, long offset, byte[] bytes, boolean sync) throws IOException {
        put(path, offset, bytes, sync, Set.of(StandardOpenOption.WRITE));
    }

    private void put(
            String path, long offset, byte[] bytes, boolean sync, Set<? extends OpenOption> how)
            throws IOException {
        try (FileChannel channel = FileChannel.open(at(path), how)) {
            put(channel, offset, bytes, sync);
        }
    }

    private static void put(FileChannel channel, long offset, byte[] bytes, boolean sync)
            throws IOException {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
            channel.write(left, offset + left.position());
        }
        if (sync) {
            channel.force(true);
        }
    }

    @Override
    public byte[] read(String path, long offset, int length) throws IOException {
        try (FileChannel channel = FileChannel.open(at(path), StandardOpenOption.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            int read = 0;
            while (read >= 0 && bytes.hasRemaining()) {
                read = channel.read(bytes, offset + bytes.position());
            }
            return Arrays.copyOf(bytes.array(), bytes.position());
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(at(from), at(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void remove(String path) throws IOException {
        Files.delete(at(path));
    }

    @Override
    public SortedSet<String> list(String path) throws IOException {
        SortedSet<String> names = new TreeSet<>();
        try (Stream<Path> entries = Files.list(at(path))) {
            entries.forEach(each -> names.add(String.valueOf(each.getFileName())));
        } catch (UncheckedIOException e) {
            throw new IOException(e.getCause());
        }
        return names;
    }
}
