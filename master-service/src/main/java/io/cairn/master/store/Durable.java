package io.cairn.master.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What the file operations of the JDK leave out: durable and recursive ones. */
public final class Durable {
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
