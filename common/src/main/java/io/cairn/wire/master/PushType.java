package io.cairn.wire.master;

import io.cairn.wire.Decoder;
import io.cairn.wire.MessageType;
import io.cairn.wire.TypeTable;
import java.util.function.Function;

/** The types of pushes. */
public enum PushType implements MessageType {
    LOCK_GRANTED(1, Push.LockGranted::decode),
    RECALL_LOCK(2, Push.RecallLock::decode),
    INVALIDATE(3, Push.Invalidate::decode),
    MAP_CHANGED(4, Push.MapChanged::decode),
    CHANGED(5, Push.Changed::decode),
    HOLD_STILL(6, Push.HoldStill::decode),
    QUOTAS_CHANGED(20, Push.QuotasChanged::decode),
    COMMIT_FILES(22, Push.CommitFiles::decode),
    MASTERS_CHANGED(23, Push.MastersChanged::decode),
    REVOKED(27, Push.Revoked::decode),
    RECALL_NAMES(30, Push.RecallNames::decode),
    AUTHORITIES_CHANGED(74, Push.AuthoritiesChanged::decode);

    static final TypeTable<PushType> TABLE = new TypeTable<>("push", values());

    private final int code;

    @SuppressWarnings("ImmutableEnumChecker") // a reference to a static method
    private final Function<Decoder, Push> decoder;

    PushType(int code, Function<Decoder, Push> decoder) {
        this.code = code;
        this.decoder = decoder;
    }

    @Override
    public int code() {
        return code;
    }

    /** Reads the fields. */
    Push decode(Decoder in) {
        return decoder.apply(in);
    }
}
