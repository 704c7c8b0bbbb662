package io.cairn.nfs.v3;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.fs.Acl;
import java.util.Locale;

/** The procedures of NFS_ACL version 3. */
enum AclProcedure implements Coded {
    NULL(0, 0),
    GETACL(1, 2 * (Acl.MAX_ENTRIES + 1)),
    SETACL(2, 0);

    static final CodeTable<AclProcedure> CODES = new CodeTable<>(values());

    private final int code;
    private final int maxEntries;
    private final String title = name().toLowerCase(Locale.ROOT);

    AclProcedure(int code, int maxEntries) {
        this.code = code;
        this.maxEntries = maxEntries;
    }

    @Override
    public int code() {
        return code;
    }

    /** How many entries of lists are in an answer at most. */
    int maxEntries() {
        return maxEntries;
    }

    /** Its name in metrics and in the log. */
    String title() {
        return title;
    }
}
