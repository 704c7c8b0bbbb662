package io.cairn.verify.access;

import java.io.Closeable;
import java.io.IOException;
import java.util.SortedSet;

/**
 * A way to the files of the cluster: a mount, or a gateway. Paths are relative to the root, with
 * slashes.
 *
 * <p>An operation that failed with {@link java.nio.file.NoSuchFileException} or {@link
 * java.nio.file.FileAlreadyExistsException} changed nothing. With any other error it may have
 * happened, wholly or in part, or may still happen. Safe for several threads.
 */
public interface FileAccess {
    /** The process behind it. */
    String name();

    /** Makes a directory. */
    void createDirectory(String path) throws IOException;

    /** Makes an empty file under a name that must not be there. */
    void createNew(String path) throws IOException;

    /**
     * Makes a new file with contents and closes it.
     *
     * @param sync whether it is on stable media afterwards
     */
    void store(String path, byte[] contents, boolean sync) throws IOException;

    /**
     * Makes a new file with contents, puts it on stable media, and leaves it open: its name is
     * promised by the sync alone.
     *
     * @return what closes it
     */
    Closeable storeOpen(String path, byte[] contents) throws IOException;

    /** All of a file. */
    byte[] load(String path) throws IOException;

    /** Opens a file, writes bytes into it, and closes it. */
    void write(String path, long offset, byte[] bytes, boolean sync) throws IOException;

    /** Opens a file, reads bytes, fewer only at its end, and closes it. */
    byte[] read(String path, long offset, int length) throws IOException;

    /** Renames a file; one that has the new name is replaced. */
    void rename(String from, String to) throws IOException;

    /** Removes a file. */
    void remove(String path) throws IOException;

    /** The names in a directory. */
    SortedSet<String> list(String path) throws IOException;
}
