package io.cairn.master.access;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.net.Connection;
import io.cairn.net.Principal;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.TicketClaim;
import io.cairn.wire.chunk.TicketKey;
import io.cairn.wire.chunk.TicketKeys;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signs tickets for chunks, and tells chunk servers the keys. The secret from which keys come is
 * random and a record of the state, so every leader has the same ones. The first leader that needs
 * it makes it. Thread-safe; never blocks.
 */
public final class TicketDesk {
    /** How long a ticket is good, in milliseconds. */
    public static final long LIFE_MS = 600_000;

    private static final Logger LOG = LoggerFactory.getLogger(TicketDesk.class);
    private static final String RECORD = "tickets/secret";
    private static final int SECRET_BYTES = 32;
    private static final byte[] NONE = {};

    private final RecordBook<byte[]> book;
    private final LogWriter log;
    private final Clock clock;
    private final RandomGenerator random;
    private volatile @Nullable Derived derived;
    private boolean founding;

    /** The keys of the hours before, now and after. */
    private record Derived(byte[] secret, int hour, List<TicketKey> keys) {}

    /**
     * A desk.
     *
     * @param namespace the state with the secret
     * @param log keeps a new secret, if this master leads
     * @param random for a secret that nobody can guess; all uses synchronize on it
     */
    public TicketDesk(
            Supplier<Namespace> namespace, LogWriter log, Clock clock, RandomGenerator random) {
        this.book = new RecordBook<>(namespace, RECORD, NONE, value -> value);
        this.log = log;
        this.clock = clock;
        this.random = random;
    }

    private long nowMs() {
        return clock.wallNs() / 1_000_000;
    }

    /**
     * The ticket of a session, for all that its mount rules let it do.
     *
     * @param visit the decisions of the rules; null when there are none
     * @throws FsException NO_SESSION without a session; NOT_READY while there is no secret yet
     */
    public Reply answer(long session, Connection from, @Nullable Visit visit) {
        if (session == 0) {
            throw new FsException(Errno.NO_SESSION, "tickets are for sessions");
        }
        Principal holder = from.principal();
        if (holder.isAnonymous()) {
            return new Reply.TicketReply(NONE, LIFE_MS);
        }
        long nowMs = nowMs();
        Derived now = derived(nowMs);
        if (now == null) {
            throw new FsException(Errno.NOT_READY, "the secret of tickets is being made");
        }
        TicketClaim claim =
                TicketClaim.ofAll(
                        now.hour, session, visit == null || visit.mayWrite(), nowMs + LIFE_MS);
        byte[] ticket = claim.sign(now.keys.get(1), holder.id()).bytes();
        return new Reply.TicketReply(ticket, LIFE_MS);
    }

    /** The keys, for a chunk server: none without certificates, or while there is no secret yet. */
    public TicketKeys keys(Principal asker) {
        long nowMs = nowMs();
        Derived now = asker.isAnonymous() ? null : derived(nowMs);
        return now == null ? TicketKeys.NONE : new TicketKeys(nowMs, now.keys);
    }

    private @Nullable Derived derived(long nowMs) {
        byte[] secret = book.value();
        if (secret == null) {
            return null;
        }
        if (secret.length == 0) {
            found();
            return null;
        }
        int hour = TicketKey.hourOf(nowMs);
        Derived known = derived;
        if (known == null || known.hour != hour || !Arrays.equals(known.secret, secret)) {
            known =
                    new Derived(
                            secret,
                            hour,
                            List.of(
                                    TicketKey.derive(secret, hour - 1),
                                    TicketKey.derive(secret, hour),
                                    TicketKey.derive(secret, hour + 1)));
            derived = known;
        }
        return known;
    }

    /** Makes the secret, unless somebody else does. */
    private void found() {
        synchronized (this) {
            if (founding) {
                return;
            }
            founding = true;
        }
        byte[] secret = new byte[SECRET_BYTES];
        synchronized (random) {
            random.nextBytes(secret);
        }
        RecordChange fresh = new RecordChange(RECORD, 0, secret);
        var _ =
                log.submit(new LeaderMutation.ChangeRecords(List.of(fresh)))
                        .whenComplete(
                                (reply, error) -> {
                                    synchronized (this) {
                                        founding = false;
                                    }
                                    if (error != null) {
                                        LOG.info("no secret of tickets yet: {}", error.toString());
                                    } else if (reply instanceof Reply.Failure refused) {
                                        LOG.info("the secret of tickets: {}", refused.message());
                                    }
                                });
    }
}
