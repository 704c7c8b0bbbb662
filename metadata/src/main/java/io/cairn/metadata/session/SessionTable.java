package io.cairn.metadata.session;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Decoder;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.SessionMutation;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions and the replies remembered for their retries. Belongs to the apply thread; readers
 * look into the store.
 *
 * <p>How far a client has acknowledged is not written for itself: each remembered reply carries it,
 * and the reply stored last is never among those it acknowledges.
 */
public final class SessionTable {
    /** Open sessions. */
    static final int MAX_SESSIONS = 1 << 16;

    /** Bytes of the text that a client gives of itself. */
    static final int MAX_CLIENT_BYTES = 4096;

    private static final int REPLY_OFFSET = 9;

    private final Transaction transaction;
    private final Map<Long, Session> sessions = new TreeMap<>();
    private final Map<Long, Session> byOpeningSequence = new HashMap<>();

    /** Reads the sessions from the store. */
    public SessionTable(Store store, Transaction transaction) {
        this.transaction = transaction;
        byte[] all = {};
        store.scan(
                Family.SESSION,
                all,
                all,
                (key, value) -> {
                    add(new Session(SessionRecord.Stored.decode(key, value)));
                    return true;
                });
        sessions.values().forEach(session -> load(store, session));
    }

    private static void load(Store store, Session session) {
        byte[] prefix = Keys.of(session.number());
        store.scan(
                Family.REPLY,
                prefix,
                prefix,
                (key, value) -> {
                    Decoder in = Keys.open(Family.REPLY, value);
                    session.acknowledge(in.i64(), sequence -> {});
                    session.remember(Keys.numberAt(key, 8));
                    return true;
                });
    }

    private void add(Session session) {
        sessions.put(session.number(), session);
        byOpeningSequence.put(session.openingSequence(), session);
    }

    /** All sessions, in order. */
    public List<Long> numbers() {
        return List.copyOf(sessions.keySet());
    }

    /** A session, or null. */
    public @Nullable Session find(long number) {
        return sessions.get(number);
    }

    /** The session that was opened with a sequence number, or a new one. */
    public Session open(long openingSequence, String client) {
        Session existing = byOpeningSequence.get(openingSequence);
        if (existing != null) {
            return existing;
        }
        if (client.getBytes(StandardCharsets.UTF_8).length > MAX_CLIENT_BYTES) {
            throw new FsException(
                    Errno.EINVAL, "a client's name has at most " + MAX_CLIENT_BYTES + " bytes");
        }
        if (sessions.size() >= MAX_SESSIONS) {
            throw new FsException(
                    Errno.NOT_READY, MAX_SESSIONS + " sessions are open: close some mounts");
        }
        Session session =
                new Session(
                        new SessionRecord.Stored(
                                transaction.counters().takeSession(),
                                openingSequence,
                                transaction.nowNs(),
                                client,
                                new ReservedNumbers()));
        add(session);
        store(session);
        return session;
    }

    private void store(Session session) {
        byte[] value = session.stored().encode();
        transaction.records().put(Family.SESSION, Keys.of(session.number()), value);
    }

    private Session require(long number) {
        Session session = sessions.get(number);
        if (session == null) {
            throw new FsException(Errno.NO_SESSION, "session " + number + " is not open");
        }
        return session;
    }

    /** Reserves inode numbers for a session, or none when it has too many: ENOSPC. */
    public SessionMutation.Reserved reserve(long number) {
        Session session = require(number);
        if (!session.stored().numbers().hasRoom()) {
            return new SessionMutation.Reserved(0, 0, false);
        }
        transaction.counters().requireRoom();
        long first = transaction.counters().takeInos(ReservedNumbers.RANGE);
        session.stored().numbers().add(first);
        store(session);
        return new SessionMutation.Reserved(first, ReservedNumbers.RANGE, false);
    }

    /** A session uses none of its inode numbers any more. */
    public void giveNumbersBack(long number) {
        Session session = require(number);
        if (!session.stored().numbers().isEmpty()) {
            session.stored().numbers().clear();
            store(session);
        }
    }

    /** A session has no right to change names alone any more; nothing when it is unknown. */
    public void takeRights(long number) {
        Session session = sessions.get(number);
        if (session != null && session.stored().numbers().servesRights()) {
            session.stored().numbers().endRights();
            store(session);
        }
    }

    /** EINVAL unless a session has reserved an inode number and not used it. */
    public void requireReserved(long number, long ino) {
        require(number).stored().numbers().require(ino);
    }

    /** EINVAL unless a number goes along with removals that a session has answered itself. */
    public void requireRights(long number, long ino) {
        require(number).stored().numbers().requireRights(ino);
    }

    /** A session has used an inode number that was required. */
    public void used(long number, long ino) {
        Session session = require(number);
        session.stored().numbers().use(ino);
        store(session);
    }

    /** Forgets a session and its replies; nothing happens when it is unknown. */
    public void close(long number) {
        Session session = sessions.remove(number);
        if (session != null) {
            byOpeningSequence.remove(session.openingSequence());
            session.end(
                    sequence ->
                            transaction.records().delete(Family.REPLY, Keys.of(number, sequence)));
            transaction.records().delete(Family.SESSION, Keys.of(number));
        }
    }

    /** The bytes of the reply that was given to a mutation before, or null. */
    public byte @Nullable [] remembered(Session session, long sequence) {
        if (!session.remembers(sequence)) {
            return null;
        }
        byte[] value = transaction.get(Family.REPLY, Keys.of(session.number(), sequence));
        if (value == null) {
            throw new IllegalStateException(
                    "I3 once: reply " + sequence + " of session " + session.number() + " is lost");
        }
        Decoder in = Keys.open(Family.REPLY, value);
        in.i64();
        return in.raw(in.remaining());
    }

    /**
     * Whether a new mutation may be executed.
     *
     * @throws FsException EINVAL when its reply was acknowledged or its numbers are impossible,
     *     NOT_READY when it is too far ahead of what was acknowledged; these are not remembered
     */
    public void admit(Session session, Envelope envelope) {
        long sequence = envelope.sequence();
        if (sequence <= session.ackedUpTo()) {
            throw new FsException(
                    Errno.EINVAL,
                    "the reply to mutation " + sequence + " was acknowledged and is forgotten");
        }
        if (envelope.ackedUpTo() < 0 || envelope.ackedUpTo() >= sequence) {
            throw new FsException(
                    Errno.EINVAL,
                    "mutation " + sequence + " cannot acknowledge " + envelope.ackedUpTo());
        }
        if (!Session.fits(sequence, acked(session, envelope))) {
            throw new FsException(
                    Errno.NOT_READY,
                    "more than " + Limits.MAX_SESSION_WINDOW + " replies are unacknowledged");
        }
    }

    /** Remembers the reply to an executed mutation and forgets what the client acknowledges. */
    public void remember(Session session, Envelope envelope, byte[] reply) {
        long number = session.number();
        session.acknowledge(
                envelope.ackedUpTo(),
                sequence -> transaction.records().delete(Family.REPLY, Keys.of(number, sequence)));
        session.remember(envelope.sequence());
        byte[] value =
                Keys.value(REPLY_OFFSET + reply.length)
                        .i64(session.ackedUpTo())
                        .raw(reply, 0, reply.length)
                        .toBytes();
        transaction.records().put(Family.REPLY, Keys.of(number, envelope.sequence()), value);
    }

    private static long acked(Session session, Envelope envelope) {
        return Math.max(session.ackedUpTo(), envelope.ackedUpTo());
    }
}
