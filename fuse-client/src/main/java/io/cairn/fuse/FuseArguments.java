package io.cairn.fuse;

import java.util.ArrayList;
import java.util.List;

/** The options that libfuse hands to the kernel, the same for every driver. */
final class FuseArguments {
    private FuseArguments() {}

    /** A list to add to. */
    static List<String> common(MountOptions options) {
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
        words.addAll(options.kernelFlags());
        return words;
    }
}
