package io.cairn.nfs.lock;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;

/** The procedures of NSM version 1 (X/Open, XNFS, chapter 11). */
enum NsmProcedure implements Coded {
    NULL(0),
    STAT(1),
    MON(2),
    UNMON(3),
    UNMON_ALL(4),
    SIMU_CRASH(5),
    NOTIFY(6);

    static final CodeTable<NsmProcedure> CODES = new CodeTable<>(values());

    private final int code;

    NsmProcedure(int code) {
        this.code = code;
    }

    @Override
    public int code() {
        return code;
    }
}
