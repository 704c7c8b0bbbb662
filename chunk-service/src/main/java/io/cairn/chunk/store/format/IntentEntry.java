package io.cairn.chunk.store.format;

import io.cairn.chunk.store.blob.IntentLog;
import io.cairn.chunk.store.format.IntentRecord.Kind;

/** The entry of a blob in the {@link IntentLog}. Guarded by the lock of the log. */
public final class IntentEntry {
    public Kind kind;

    /** Where its record ends. */
    public long end;

    /** Changed since the last sync. */
    public boolean dirty;

    /** Found here at the start: whether it was synced then is not known. */
    public boolean recovered;

    /** Recovery could not decide on its contents. */
    public boolean doubtful;

    /** Deleted, but power loss may bring it back as it was. */
    public boolean deleted;

    /** Which of its blocks were changed since the last sync. */
    public final ChangedBlocks changed = new ChangedBlocks();

    public IntentEntry(Kind kind, long end) {
        this.kind = kind;
        this.end = end;
    }

    public boolean isLive() {
        return dirty || recovered || doubtful || deleted || kind == Kind.FENCE;
    }
}
