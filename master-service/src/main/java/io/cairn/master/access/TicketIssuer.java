package io.cairn.master.access;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.net.Connection;
import io.cairn.net.Principal;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.TicketClaim;
import io.cairn.wire.chunk.TicketKey;
import io.cairn.wire.chunk.TicketKeys;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signs tickets for chunks, and tells chunk servers the keys. The secrets from which keys come are
 * random and a record of the state, so every leader has the same ones. The leader that needs the
 * first one makes it, and another one each week. Thread-safe; never blocks.
 */
public final class TicketIssuer {
    /** How long a ticket is good, in milliseconds. */
    public static final long LIFE_MS = 600_000;

    private static final Logger LOG = LoggerFactory.getLogger(TicketIssuer.class);
    private static final String RECORD = "tickets/secret";
    private static final int SECRET_BYTES = 32;
    private static final byte[] NONE = {};

    private final RecordBook<TicketSecrets> book;
    private final Supplier<Namespace> namespace;
    private final LogWriter log;
    private final Clock clock;
    private final RandomGenerator random;
    private volatile @Nullable Derived derived;
    private boolean replacing;

    /** The keys of the hours before, now and after. */
    private record Derived(TicketSecrets secrets, int hour, List<TicketKey> keys) {}

    /**
     * An issuer.
     *
     * @param namespace the state with the secret
     * @param log keeps a new secret, if this master leads
     * @param random for a secret that nobody can guess; all uses synchronize on it
     */
    public TicketIssuer(
            Supplier<Namespace> namespace, LogWriter log, Clock clock, RandomGenerator random) {
        this.namespace = namespace;
        this.book = new RecordBook<>(namespace, RECORD, TicketSecrets.NONE, TicketSecrets::decode);
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
        TicketSecrets secrets = book.value();
        if (secrets == null) {
            return null;
        }
        int hour = TicketKey.hourOf(nowMs);
        if (secrets.isDue(hour)) {
            replace(hour);
        }
        if (secrets.isEmpty()) {
            return null;
        }
        Derived known = derived;
        if (known == null || known.hour != hour || !known.secrets.equals(secrets)) {
            known =
                    new Derived(
                            secrets,
                            hour,
                            List.of(
                                    key(secrets, hour - 1),
                                    key(secrets, hour),
                                    key(secrets, hour + 1)));
            derived = known;
        }
        return known;
    }

    private static TicketKey key(TicketSecrets secrets, int hour) {
        return TicketKey.derive(secrets.of(hour), hour);
    }

    /** Makes a secret, unless somebody else does or has. */
    private void replace(int hour) {
        synchronized (this) {
            if (replacing) {
                return;
            }
            replacing = true;
        }
        CompletableFuture<Reply> stored;
        try {
            RecordChange change = change(hour);
            stored =
                    change == null
                            ? CompletableFuture.completedFuture(new Reply.Done())
                            : log.submit(new LeaderMutation.ChangeRecords(List.of(change)));
        } catch (RuntimeException e) {
            stored = CompletableFuture.failedFuture(e);
        }
        var _ =
                stored.whenComplete(
                        (reply, error) -> {
                            replaced();
                            if (error != null) {
                                LOG.info("no new secret of tickets: {}", error.toString());
                            } else if (reply instanceof Reply.Failure refused) {
                                LOG.info("the secret of tickets: {}", refused.message());
                            }
                        });
    }

    private synchronized void replaced() {
        replacing = false;
    }

    /** What the record becomes; null when it is not due any more. */
    private @Nullable RecordChange change(int hour) {
        List<AdminRecord> found = namespace.get().records(RECORD, "", 1);
        boolean isThere = !found.isEmpty() && found.getFirst().key().equals(RECORD);
        TicketSecrets now =
                isThere ? TicketSecrets.decode(found.getFirst().value()) : TicketSecrets.NONE;
        if (!now.isDue(hour)) {
            return null;
        }
        byte[] secret = new byte[SECRET_BYTES];
        synchronized (random) {
            random.nextBytes(secret);
        }
        return new RecordChange(
                RECORD, isThere ? found.getFirst().version() : 0, now.with(secret, hour).encode());
    }
}
