package io.cairn.master.access;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import java.util.ArrayList;
import java.util.List;

/**
 * The secrets from which the keys of tickets come, each for the hours from its first one on. Chunk
 * servers hear the key of an hour one hour before, so a new secret begins two hours later. Nobody
 * notices when it does. One that begins later than that was made while the clock of a leader was
 * wrong, and is replaced. Immutable; the arrays are not to be changed.
 *
 * @param all oldest first; none as long as nobody has made one
 */
record TicketSecrets(List<Since> all) {
    static final TicketSecrets NONE = new TicketSecrets(List.of());

    /** A secret is used for a week: a reader of an old backup can do nothing with it. */
    static final int LIFE_HOURS = 168;

    private static final int LEAD_HOURS = 2;

    /** Leaders whose clocks differ a little, at the turn of an hour, replace no secret in turns. */
    private static final int SLACK_HOURS = 1;

    private static final int SECRET_BYTES = 32;

    /**
     * A secret.
     *
     * @param hour its first one, in hours since 1970 by the clock of the leading master
     * @param secret random bytes
     */
    record Since(int hour, byte[] secret) {}

    /** Takes a copy. */
    TicketSecrets {
        all = List.copyOf(all);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Whether it is time for another one. */
    boolean isDue(int hour) {
        if (all.isEmpty()) {
            return true;
        }
        long last = all.getLast().hour;
        return hour - last >= LIFE_HOURS || last - hour > LEAD_HOURS + SLACK_HOURS;
    }

    /** The secret of an hour; there must be one at all. */
    byte[] of(int hour) {
        byte[] found = all.getFirst().secret;
        for (Since each : all) {
            if (each.hour <= hour) {
                found = each.secret;
            }
        }
        return found;
    }

    /**
     * With one more, and without those that are not used any more or begin too late. The one that
     * is used now stays.
     */
    TicketSecrets with(byte[] fresh, int hour) {
        List<Since> kept = new ArrayList<>(all);
        kept.removeIf(each -> each.hour - (long) hour > LEAD_HOURS);
        if (kept.isEmpty() && !all.isEmpty()) {
            kept.add(new Since(hour, all.getFirst().secret));
        }
        while (kept.size() > 1 && kept.get(1).hour < hour) {
            kept.removeFirst();
        }
        kept.add(new Since(kept.isEmpty() ? hour : hour + LEAD_HOURS, fresh));
        return new TicketSecrets(kept);
    }

    byte[] encode() {
        return new Encoder()
                .list(all, (out, each) -> out.i32(each.hour).bytes(each.secret))
                .toBytes();
    }

    /**
     * Reads {@link #encode}, or the one secret for all hours that releases before had.
     *
     * @throws IllegalArgumentException when it is neither
     */
    static TicketSecrets decode(byte[] value) {
        if (value.length == SECRET_BYTES) {
            return new TicketSecrets(List.of(new Since(0, value)));
        }
        try {
            return new TicketSecrets(
                    new Decoder(value).list(in -> new Since(in.i32(), in.bytes())));
        } catch (MalformedMessageException e) {
            throw new IllegalArgumentException("no secrets of tickets", e);
        }
    }

    /** Without the secrets. */
    @Override
    public String toString() {
        return all.size() + " secrets of tickets";
    }
}
