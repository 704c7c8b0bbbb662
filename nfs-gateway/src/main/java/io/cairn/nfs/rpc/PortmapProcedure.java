package io.cairn.nfs.rpc;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;

/** The procedures of the port mapper that are served (RFC 1833, 2 and 3). */
enum PortmapProcedure implements Coded {
    NULL(0),
    SET(1),
    UNSET(2),
    /** Of rpcbind: GETADDR. */
    GETPORT(3),
    DUMP(4),
    /** Of rpcbind 4 alone. */
    GETVERSADDR(9);

    static final CodeTable<PortmapProcedure> CODES = new CodeTable<>(values());

    private final int code;

    PortmapProcedure(int code) {
        this.code = code;
    }

    @Override
    public int code() {
        return code;
    }
}
