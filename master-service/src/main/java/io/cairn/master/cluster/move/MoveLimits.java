package io.cairn.master.cluster.move;

import io.cairn.metadata.Namespace;
import io.cairn.metadata.cluster.AdminRecord;
import java.util.List;
import java.util.Map;
import tools.jackson.jr.ob.JSON;

/**
 * How eagerly members move.
 *
 * @param graceMs how long a server may be away before its copies are made anew elsewhere
 * @param parallel groups that a target copies at a time, from it and to it together
 * @param repairShare percent of the time that copying takes while a copy is missing, 1 to 100
 * @param moveBytes bytes per second and target when chunks only move; 0 = as many as there are
 */
public record MoveLimits(long graceMs, int parallel, int repairShare, long moveBytes) {
    /** The standard: ten minutes; four groups; 80 %; 64 MiB/s. */
    public static final MoveLimits STANDARD = new MoveLimits(600_000, 4, 80, 64L << 20);

    /** The record of the administration that changes the standard: a JSON object. */
    public static final String RECORD = "setting/moves";

    /** Its field for {@link #graceMs}. */
    public static final String GRACE = "repairGraceMs";

    /** Its field for {@link #repairShare}. */
    public static final String SHARE = "repairSharePercent";

    /** Its field for {@link #moveBytes}. */
    public static final String MOVE_BYTES = "moveBytesPerSecond";

    /** Those that a state tells. */
    public static MoveLimits of(Namespace state) {
        List<AdminRecord> found = state.records(RECORD, "", 1);
        if (found.isEmpty() || !found.getFirst().key().equals(RECORD)) {
            return STANDARD;
        }
        Map<String, Object> fields = JSON.std.mapFrom(found.getFirst().value());
        return new MoveLimits(
                number(fields, GRACE, STANDARD.graceMs),
                STANDARD.parallel,
                (int) number(fields, SHARE, STANDARD.repairShare),
                number(fields, MOVE_BYTES, STANDARD.moveBytes));
    }

    private static long number(Map<String, Object> fields, String name, long standard) {
        return fields.get(name) instanceof Number number ? number.longValue() : standard;
    }
}
