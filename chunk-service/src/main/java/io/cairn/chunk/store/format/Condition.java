package io.cairn.chunk.store.format;

/** Whether a blob may be used. */
public enum Condition {
    /** There is none. */
    ABSENT,
    /** Whole. */
    GOOD,
    /** An unclean stop left its contents undecided; a peer's copy or settling makes it good. */
    DOUBTFUL,
    /** Its file is not what was written, and nothing explains why. */
    DAMAGED,
    /** A write or sync failed. */
    FENCED
}
