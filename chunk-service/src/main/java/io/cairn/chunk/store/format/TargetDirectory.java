package io.cairn.chunk.store.format;

import io.cairn.runtime.Disk;
import java.io.IOException;
import java.nio.file.Path;

/** Facts of a storage directory that are known before it is opened. */
public final class TargetDirectory {
    private TargetDirectory() {}

    /**
     * Whether a directory is a target already, so that opening it formats nothing.
     *
     * @throws TargetException when it is none and holds other things, so that opening it would fail
     */
    public static boolean isFormatted(Disk disk, Path directory) throws IOException {
        return disk.exists(directory) && TargetFormat.isFormatted(disk, new TargetPaths(directory));
    }
}
