package io.cairn.runtime;

import io.cairn.os.SystemCalls;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The disks of a Linux machine. Files are read and written with system calls of their own rather
 * than through a FileChannel, because that one is closed for all users when one of their threads is
 * interrupted, and because holes and reflinks need the file descriptor.
 *
 * <p>Errors are {@link NoSuchFileException} for what does not exist, {@link DiskFullException}, and
 * {@link FileSystemException} for the rest; each names the path. Operations that may find no room
 * are called directly, because the JDK tells a full disk by a text in the language of the user.
 * Thread-safe.
 */
public final class FileDisk implements Disk {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    private final SystemCalls calls = new SystemCalls();

    // Whether files can be read past the cache: tried once, for all files of a disk are alike.
    private volatile boolean readsMedium = true;
    private volatile boolean tried;

    @Override
    public DiskFile open(Path path) throws IOException {
        return new LinuxFile(calls, path, SystemCalls.O_RDWR);
    }

    /** On filesystems without such reads, as tmpfs in old kernels, the cached bytes are read. */
    @Override
    public DiskFile openUncached(Path path) throws IOException {
        if (readsMedium && !tried) {
            readsMedium = LinuxFile.readsMedium(calls, path);
            tried = true;
        }
        int way = readsMedium ? SystemCalls.O_DIRECT : 0;
        return new LinuxFile(calls, path, SystemCalls.O_RDONLY | way);
    }

    @Override
    public DiskFile openOrCreate(Path path) throws IOException {
        return new LinuxFile(calls, path, SystemCalls.O_RDWR | SystemCalls.O_CREAT);
    }

    @Override
    public AutoCloseable lock(Path path) throws IOException {
        if (!Files.exists(path)) {
            openOrCreate(path).close(); // Which tells a full disk.
        }
        FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // Held by this process.
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        throw new FileSystemException(path.toString(), null, "locked by another user");
    }

    @Override
    public void makeDirectories(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            return;
        }
        Path parent = path.toAbsolutePath().getParent();
        if (parent != null) {
            makeDirectories(parent);
        }
        int result = calls.mkdir(path.toString());
        if (result == -SystemCalls.EEXIST && !Files.isDirectory(path)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        if (result != -SystemCalls.EEXIST) {
            LinuxFile.check(result, path);
        }
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                names.add(String.valueOf(entry.getFileName()));
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        }
        return names;
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public long modifiedMs(Path path) throws IOException {
        return Files.getLastModifiedTime(path).toMillis();
    }

    @Override
    public void allocate(Path path, long lengthBytes) throws IOException {
        try (LinuxFile file =
                new LinuxFile(calls, path, SystemCalls.O_RDWR | SystemCalls.O_CREAT)) {
            if (file.allocate(lengthBytes)) {
                return;
            }
        } catch (IOException e) {
            delete(path);
            throw e;
        }
        Disk.super.allocate(path, lengthBytes);
    }

    @Override
    public boolean delete(Path path) throws IOException {
        return Files.deleteIfExists(path);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        LinuxFile.check(calls.rename(from.toString(), to.toString()), from);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        try (LinuxFile file = new LinuxFile(calls, directory, SystemCalls.O_RDONLY)) {
            file.force(true);
        }
    }

    @Override
    public void forceNames(Path directory) throws IOException {
        try (LinuxFile file = new LinuxFile(calls, directory, SystemCalls.O_RDONLY)) {
            file.forceFilesystem();
        }
    }

    @Override
    public void copyPrefix(Path from, Path to, long lengthBytes) throws IOException {
        try (LinuxFile source = new LinuxFile(calls, from, SystemCalls.O_RDONLY);
                LinuxFile target =
                        new LinuxFile(calls, to, SystemCalls.O_RDWR | SystemCalls.O_CREAT)) {
            target.copyFrom(source, lengthBytes);
        }
    }

    /** Without what the filesystem keeps for root (ext4: 5 % by itself): nobody stores there. */
    @Override
    public long totalBytes(Path path) throws IOException {
        File file = existing(path);
        long keptBytes = Math.max(0, file.getFreeSpace() - file.getUsableSpace());
        return file.getTotalSpace() - keptBytes;
    }

    @Override
    public long usableBytes(Path path) throws IOException {
        return existing(path).getUsableSpace();
    }

    /**
     * From the device number and the number that the kernel drew at its start: two machines never
     * share one, containers of one machine do.
     */
    @Override
    public long filesystem(Path path) throws IOException {
        if (!Files.isReadable(BOOT)) {
            return 0;
        }
        UUID boot = UUID.fromString(Files.readString(BOOT).strip());
        long device = (Long) Files.getAttribute(path, "unix:dev");
        return boot.getMostSignificantBits() ^ (device * 0x9e3779b97f4a7c15L) | 1;
    }

    /** File, not FileStore: asks the kernel at once, without reading the table of mounts. */
    private static File existing(Path path) throws IOException {
        File file = path.toFile();
        if (!file.exists()) {
            throw new NoSuchFileException(path.toString());
        }
        return file;
    }
}
