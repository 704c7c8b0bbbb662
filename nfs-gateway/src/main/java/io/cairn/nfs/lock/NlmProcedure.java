package io.cairn.nfs.lock;

import static io.cairn.nfs.lock.NlmProcedure.Repetition.ONCE;
import static io.cairn.nfs.lock.NlmProcedure.Repetition.REPEATABLE;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;

/**
 * The procedures of NLM version 4 (RFC 1813, 6). Those of the form {@code _MSG} are answered with a
 * call of the form {@code _RES}.
 */
enum NlmProcedure implements Coded {
    NULL(0, REPEATABLE),
    TEST(1, REPEATABLE),
    LOCK(2, ONCE),
    CANCEL(3, ONCE),
    UNLOCK(4, ONCE),
    GRANTED(5, REPEATABLE),
    TEST_MSG(6, REPEATABLE),
    LOCK_MSG(7, ONCE),
    CANCEL_MSG(8, ONCE),
    UNLOCK_MSG(9, ONCE),
    GRANTED_MSG(10, REPEATABLE),
    TEST_RES(11, REPEATABLE),
    LOCK_RES(12, REPEATABLE),
    CANCEL_RES(13, REPEATABLE),
    UNLOCK_RES(14, REPEATABLE),
    GRANTED_RES(15, REPEATABLE),
    SHARE(20, ONCE),
    UNSHARE(21, ONCE),
    NM_LOCK(22, ONCE),
    FREE_ALL(23, ONCE);

    /** Whether the answer to a repeated call has to be the first one's. */
    enum Repetition {
        ONCE,
        REPEATABLE
    }

    static final CodeTable<NlmProcedure> CODES = new CodeTable<>(values());

    private final int code;
    private final Repetition repetition;

    NlmProcedure(int code, Repetition repetition) {
        this.code = code;
        this.repetition = repetition;
    }

    @Override
    public int code() {
        return code;
    }

    /** What it did may have been undone by another call, so that it must not be done again. */
    boolean isOnce() {
        return repetition == ONCE;
    }
}
