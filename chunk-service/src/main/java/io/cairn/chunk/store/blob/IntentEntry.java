package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.IntentRecord.Kind;

/** What the {@link IntentLog} knows of a blob. Guarded by the lock of the log. */
final class IntentEntry {
    Kind kind;

    /** Where its record ends. */
    long end;

    /** Changed since the last sync. */
    boolean dirty;

    /** Found here at the start: whether it was synced then is not known. */
    boolean recovered;

    /** Recovery could not decide on its contents. */
    boolean doubtful;

    /** Deleted, but power loss may bring it back as it was. */
    boolean deleted;

    IntentEntry(Kind kind, long end) {
        this.kind = kind;
        this.end = end;
    }

    boolean isLive() {
        return dirty || recovered || doubtful || deleted || kind == Kind.FENCE;
    }
}
