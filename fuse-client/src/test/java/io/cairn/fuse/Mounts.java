package io.cairn.fuse;

import io.cairn.fuse.sys.MountTable;
import io.cairn.os.MountCalls;
import java.nio.file.Path;

/** Leaves no mount behind, whatever a test did. */
public final class Mounts {
    private Mounts() {}

    /** Takes away all mounts on a directory. */
    public static void clean(Path directory) {
        for (int i = 0; i < 10 && MountTable.find(directory) != null; i++) {
            MountCalls.umount(directory, MountCalls.MNT_FORCE | MountCalls.MNT_DETACH);
        }
    }
}
