package io.cairn.nfs.v3;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;

/** The procedures of MOUNT version 3 (RFC 1813, 5). */
enum MountProcedure implements Coded {
    NULL(0, "null"),
    MNT(1, "mount"),
    DUMP(2, "mounts"),
    UMNT(3, "unmount"),
    UMNTALL(4, "unmountall"),
    EXPORT(5, "exports");

    static final CodeTable<MountProcedure> CODES = new CodeTable<>(values());

    private final int code;
    private final String title;

    MountProcedure(int code, String title) {
        this.code = code;
        this.title = title;
    }

    @Override
    public int code() {
        return code;
    }

    /** Its name in metrics and in the log. */
    String title() {
        return title;
    }
}
