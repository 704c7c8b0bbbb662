package io.cairn.master.access;

import io.cairn.metadata.Namespace;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.seal.WrappedKey;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.RecordChange;
import java.util.List;

/**
 * Which numbers of keys of storage classes were given. None is given twice: chunk servers keep what
 * they know of a number, and files have it. A state that is recovered, such as one of a backup, may
 * have forgotten the last ones, so that some are passed over then. Thread-safe.
 */
public final class KeyNumbers {
    /** The record of the largest number that was passed over. */
    private static final String FLOOR = "class-key-floor";

    private static final int VERSION = 1;

    /** More than are made between two backups. */
    private static final int PASSED_OVER = 1024;

    private KeyNumbers() {}

    /**
     * The largest number that may have been given, from 0.
     *
     * @throws IllegalArgumentException when a newer release has written a record of it
     */
    public static int last(Namespace state) {
        List<AdminRecord> keys = state.records(ClassKey.PREFIX, "", WrappedKey.MAX_NUMBER);
        int known = keys.isEmpty() ? 0 : ClassKey.of(keys.getLast()).wrapped().number();
        return Math.max(known, floor(state));
    }

    private static int floor(Namespace state) {
        List<AdminRecord> found = state.records(FLOOR, "", 1);
        if (found.isEmpty()) {
            return 0;
        }
        try {
            Decoder in = new Decoder(found.getFirst().value());
            int version = in.u8();
            if (version != VERSION) {
                throw new IllegalArgumentException(FLOOR + " has version " + version);
            }
            return in.i32();
        } catch (MalformedMessageException e) {
            throw new IllegalArgumentException(FLOOR + " is damaged", e);
        }
    }

    /** The change after which no number is given that a recovered state may have forgotten. */
    public static LeaderMutation.ChangeRecords passOver(Namespace state) {
        int floor = Math.min(WrappedKey.MAX_NUMBER, last(state) + PASSED_OVER);
        byte[] value = new Encoder().u8(VERSION).i32(floor).toBytes();
        return new LeaderMutation.ChangeRecords(
                List.of(new RecordChange(FLOOR, RecordChange.ANY, value)));
    }
}
