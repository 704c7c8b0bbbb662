package io.cairn.runtime.file;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Operations that the JDK leaves out: durable and recursive ones. */
public final class Durable {
    private static final Logger LOG = LoggerFactory.getLogger(Durable.class);
    private static final int BUFFER_BYTES = 1 << 18;

    /** What is older than that beside a new one was left by a writer that has crashed. */
    private static final long LEFT_MS = 600_000;

    private Durable() {}

    /** Makes the contents of a file, or the entries of a directory, durable. */
    public static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Makes the entry of a file or directory in its parent durable. */
    public static void forceEntry(Path path) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (parent != null) {
            force(parent);
        }
    }

    /** What a file will hold. */
    @FunctionalInterface
    public interface Contents<T> {
        /** Writes all of it; what the caller wants to know of it. The stream is buffered. */
        T write(OutputStream out) throws IOException;
    }

    /**
     * Makes a file, readable for its owner only, in the place of an earlier one. Its contents are
     * durable afterwards; its name is only after {@link #rename}.
     */
    public static <T> T create(Path file, Contents<T> contents) throws IOException {
        Files.deleteIfExists(file);
        FileAttribute<?>[] ownerOnly =
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        try (FileChannel channel =
                        FileChannel.open(
                                file,
                                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                                ownerOnly);
                OutputStream out =
                        new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES)) {
            T told = contents.write(out);
            out.flush();
            channel.force(true);
            return told;
        }
    }

    /** Gives a file another name in its directory, in the place of an earlier one, durably. */
    public static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        forceEntry(to);
    }

    /**
     * Replaces a small file as a whole, readable for its owner only: after a power cut the old or
     * the new one is there. Of several writers at once, also in other processes, each writes a file
     * of its own beside it, {@code NAME.ANYTHING.new}, and the last one to rename it prevails.
     */
    public static void replace(Path file, byte[] contents) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + ".new");
        try {
            var _ =
                    create(
                            next,
                            out -> {
                                out.write(contents);
                                return contents;
                            });
            deleteLeft(file, Files.getLastModifiedTime(next).toMillis());
            rename(next, file);
        } finally {
            Files.deleteIfExists(next);
        }
    }

    /** What cannot be deleted stays: nobody's file is kept from being written by that. */
    private static void deleteLeft(Path file, long nowMs) {
        Path parent = file.toAbsolutePath().getParent();
        if (parent == null) {
            return;
        }
        try (DirectoryStream<Path> others =
                Files.newDirectoryStream(parent, other -> isLeft(file, other, nowMs))) {
            for (Path other : others) {
                Files.deleteIfExists(other);
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("what was left beside {} is not deleted: {}", file, e.toString());
        }
    }

    private static boolean isLeft(Path file, Path other, long nowMs) throws IOException {
        String name = String.valueOf(other.getFileName());
        if (!name.startsWith(file.getFileName() + ".") || !name.endsWith(".new")) {
            return false;
        }
        try {
            return nowMs - Files.getLastModifiedTime(other).toMillis() > LEFT_MS;
        } catch (NoSuchFileException e) {
            return false; // its writer has renamed it
        }
    }

    /** Makes a directory and those above it that are missing, with their names durable. */
    public static void makeDirectories(Path directory) throws IOException {
        List<Path> changed = new ArrayList<>();
        Path path = directory.toAbsolutePath();
        for (Path parent = path.getParent();
                parent != null && !Files.exists(path);
                parent = path.getParent()) {
            changed.add(parent);
            path = parent;
        }
        Files.createDirectories(directory);
        for (Path parent : changed) {
            force(parent);
        }
    }

    /** Makes a directory and everything below it durable. */
    public static void forceTree(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
                for (Path entry : entries) {
                    forceTree(entry);
                }
            }
        }
        force(path);
    }

    /** Removes a file, or a directory with everything below it; nothing when it is absent. */
    public static void deleteTree(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
                for (Path entry : entries) {
                    deleteTree(entry);
                }
            }
        }
        try {
            Files.deleteIfExists(path);
        } catch (NoSuchFileException e) {
            return; // somebody else removed its directory
        }
    }
}
