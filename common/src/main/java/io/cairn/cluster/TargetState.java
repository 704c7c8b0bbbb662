package io.cairn.cluster;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;

/** What an administrator wants of a target. */
public enum TargetState implements Coded {
    /** It holds data. */
    IN_USE(0),
    /** What it holds moves to other targets, and no group takes it as a new member. */
    DRAINING(1);

    /** All by their codes. */
    public static final CodeTable<TargetState> CODES = new CodeTable<>(values());

    private final int code;

    TargetState(int code) {
        this.code = code;
    }

    @Override
    public int code() {
        return code;
    }
}
