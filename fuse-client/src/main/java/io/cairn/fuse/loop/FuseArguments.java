package io.cairn.fuse.loop;

import io.cairn.fuse.sys.MountException;
import io.cairn.fuse.sys.MountException.Category;
import io.cairn.os.MountCalls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The options that libfuse hands to the kernel, the same for every driver. */
public final class FuseArguments {
    private FuseArguments() {}

    /** A list to add to. */
    public static List<String> common(MountOptions options) {
        List<String> words = new ArrayList<>();
        words.add("default_permissions");
        words.add("fsname=" + options.fsName().replace("\\", "\\\\").replace(",", "\\,"));
        words.add("subtype=cairn");
        if (options.allowOther()) {
            words.add("allow_other");
        }
        if (options.readOnly()) {
            words.add("ro");
        }
        if (options.nonEmpty()) {
            words.add("nonempty");
        }
        for (String flag : options.kernelFlags()) {
            if (!flag.endsWith("symfollow")) {
                words.add(flag.replace("\\", "\\\\").replace(",", "\\,"));
            }
        }
        return words;
    }

    /** The error of a mount that libfuse or the kernel refused. */
    public static MountException refused(Path path) {
        return new MountException(
                MountCalls.isRoot() ? Category.SYSTEM : Category.PERMISSION,
                "cannot mount on %s: libfuse said why on stderr; it takes root with CAP_SYS_ADMIN,"
                                .formatted(path)
                        + " or an own directory and fusermount (package fuse3), and for allow_other"
                        + " 'user_allow_other' in /etc/fuse.conf");
    }
}
