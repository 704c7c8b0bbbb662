package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Lock;
import io.cairn.fs.Usage;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.LockOutcome;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A leading master that keeps everything in memory and does what the seam says: exactly-once
 * mutations, sessions, open files, whole-file locks with a queue. On the network's thread only.
 */
public final class FakeMaster implements Handler {
    /** Several masters can share this state: then one leads and the others say so. */
    public static final class Shared {
        final CoreNamespace namespace;
        public final Map<Long, Session> sessions = new TreeMap<>();
        final Map<Long, Long> byNonce = new HashMap<>();
        public final List<Held> locks = new ArrayList<>();
        public final List<Held> queue = new ArrayList<>();
        long lastSession;
        long clusterId = 77;
        public int executed;
        int requests;
        int lookups;
        int listings;
        public @Nullable FakeMaster leader;
        public String leaderHint = "";

        Shared(CoreNamespace namespace) {
            this.namespace = namespace;
        }
    }

    public static final class Session {
        public final Map<Long, Reply> replies = new HashMap<>();
        public final Map<Long, Integer> open = new HashMap<>();
        public long ackedUpTo;
        @Nullable Connection connection;
    }

    public record Held(long session, long ino, Lock lock, long requestId) {}

    private final Shared shared;

    public FakeMaster(Shared shared) {
        this.shared = shared;
    }

    @Override
    public void handle(Connection from, Message request, Answer answer) {
        byte[] frame = request.header();
        request.release();
        if (shared.leader != null && shared.leader != this) {
            answer.fail(new FsException(Errno.NOT_LEADER, shared.leaderHint));
            return;
        }
        shared.requests++;
        Decoder in = new Decoder(frame);
        Reply reply =
                in.u8() == MasterRequest.MUTATION
                        ? mutate(Envelope.decode(in))
                        : query(from, in.i64(), Query.decode(in));
        answer.send(Message.of(reply::toBytes));
    }

    private Reply mutate(Envelope envelope) {
        Mutation mutation = envelope.mutation();
        if (mutation instanceof SessionMutation.OpenSession) {
            long number =
                    shared.byNonce.computeIfAbsent(
                            envelope.sequence(),
                            nonce -> {
                                shared.sessions.put(++shared.lastSession, new Session());
                                return shared.lastSession;
                            });
            return sessionReply(number);
        }
        Session session = shared.sessions.get(envelope.session());
        if (session == null) {
            return new Reply.Failure(Errno.NO_SESSION, "session " + envelope.session());
        }
        session.ackedUpTo = Math.max(session.ackedUpTo, envelope.ackedUpTo());
        session.replies.keySet().removeIf(sequence -> sequence <= session.ackedUpTo);
        Reply stored = session.replies.get(envelope.sequence());
        if (stored == null && envelope.sequence() <= session.ackedUpTo) {
            return new Reply.Failure(Errno.EINVAL, "acknowledged already");
        }
        if (stored == null) {
            stored = execute(envelope.session(), mutation);
            tellOthers(envelope.session(), mutation, stored);
            shared.executed++;
            session.replies.put(envelope.sequence(), stored);
        }
        if (mutation instanceof TreeMutation.Create create
                && create.open()
                && stored instanceof Reply.EntryReply entry) {
            session.open.merge(entry.inode().ino(), 1, Integer::sum);
        }
        return stored;
    }

    /** Who holds a file open hears first that another has changed its size. */
    private void tellOthers(long session, Mutation mutation, Reply reply) {
        Mutation change = mutation instanceof TreeMutation.Witnessed w ? w.mutation() : mutation;
        boolean tells =
                change instanceof TreeMutation.SetAttributes set
                                && set.change().has(AttributeChange.SIZE)
                        || change instanceof ContentMutation;
        if (tells && reply instanceof Reply.EntryReply entry) {
            shared.sessions.forEach(
                    (other, each) -> {
                        if (other != session && each.open.containsKey(entry.inode().ino())) {
                            push(other, new Push.Changed(entry.inode()));
                        }
                    });
        }
    }

    private Reply execute(long session, Mutation mutation) {
        return switch (mutation) {
            case SessionMutation.CloseSession close -> {
                shared.sessions.remove(close.session());
                shared.locks.removeIf(each -> each.session == close.session());
                yield new Reply.Done();
            }
            case SessionMutation.SetLock set -> setLock(session, set);
            case SessionMutation.CancelLock cancel -> {
                shared.queue.removeIf(each -> isRequest(each, session, cancel.requestId()));
                release(each -> isRequest(each, session, cancel.requestId()));
                yield new Reply.Done();
            }
            case SessionMutation.ReleaseLocks free -> {
                release(
                        each ->
                                each.session == session
                                        && each.ino == free.ino()
                                        && each.lock.kind() == free.kind()
                                        && each.lock.owner() == free.owner());
                yield new Reply.Done();
            }
            default -> shared.namespace.apply(mutation);
        };
    }

    private static boolean conflict(Held a, Held b) {
        return a.ino == b.ino
                && a.lock.kind() == b.lock.kind()
                && (a.session != b.session || a.lock.owner() != b.lock.owner())
                && a.lock.overlaps(b.lock)
                && (a.lock.mode() == Lock.Mode.EXCLUSIVE || b.lock.mode() == Lock.Mode.EXCLUSIVE);
    }

    private Reply setLock(long session, SessionMutation.SetLock set) {
        Held wanted = new Held(session, set.ino(), set.lock(), set.requestId());
        if (set.lock().mode() == Lock.Mode.UNLOCK) {
            release(
                    each ->
                            each.session == session
                                    && each.ino == set.ino()
                                    && each.lock.kind() == set.lock().kind()
                                    && each.lock.owner() == set.lock().owner());
            return new Reply.LockReply(LockOutcome.GRANTED, null);
        }
        for (Held held : shared.locks) {
            if (conflict(held, wanted)) {
                if (!set.queue()) {
                    return new Reply.LockReply(LockOutcome.CONFLICT, held.lock);
                }
                if (shared.queue.stream()
                        .noneMatch(each -> isRequest(each, session, set.requestId()))) {
                    shared.queue.add(wanted);
                }
                if (set.lock().kind() == Lock.Kind.APPEND) {
                    push(
                            held.session,
                            new Push.RecallLock(held.ino, held.lock.kind(), held.lock.owner()));
                }
                return new Reply.LockReply(LockOutcome.QUEUED, held.lock);
            }
        }
        shared.queue.removeIf(each -> isRequest(each, session, set.requestId()));
        shared.locks.add(wanted);
        return new Reply.LockReply(LockOutcome.GRANTED, null);
    }

    private static boolean isRequest(Held held, long session, long requestId) {
        return held.session == session && held.requestId == requestId;
    }

    /** Takes locks away and grants what waited for them, in the order of the queue. */
    public void release(Predicate<Held> which) {
        shared.locks.removeIf(which);
        for (Held waiting : List.copyOf(shared.queue)) {
            if (shared.locks.stream().noneMatch(held -> conflict(held, waiting))) {
                shared.queue.remove(waiting);
                shared.locks.add(waiting);
                push(waiting.session, new Push.LockGranted(waiting.ino, waiting.requestId));
                shared.queue.stream()
                        .filter(next -> conflict(next, waiting))
                        .filter(next -> next.lock.kind() == Lock.Kind.APPEND)
                        .findFirst()
                        .ifPresent(
                                next ->
                                        push(
                                                waiting.session,
                                                new Push.RecallLock(
                                                        waiting.ino,
                                                        waiting.lock.kind(),
                                                        waiting.lock.owner())));
            }
        }
    }

    void push(long session, Push push) {
        Session known = shared.sessions.get(session);
        if (known != null && known.connection != null) {
            known.connection.send(Message.of(v -> MasterRequest.push(push, v)));
        }
    }

    private Reply sessionReply(long session) {
        return new Reply.SessionReply(
                session,
                shared.clusterId,
                15_000,
                CoreNamespace.INLINE_LIMIT_BYTES,
                shared.namespace.map().epoch());
    }

    private Reply query(Connection from, long number, Query query) {
        Session session = shared.sessions.get(number);
        shared.lookups += query instanceof Query.Lookup ? 1 : 0;
        shared.listings += query instanceof Query.ReadDirectory ? 1 : 0;
        switch (query) {
            case Query.GetMap q -> {
                return shared.namespace.read(q);
            }
            case Query.GetUsage ignored -> {
                return new Reply.UsageReply(new Usage(1 << 30, 1 << 29, 1 << 29, 10, 1000));
            }
            case Query.TestLock q -> {
                Held wanted = new Held(number, q.ino(), q.wanted(), 0);
                for (Held held : shared.locks) {
                    if (conflict(held, wanted)) {
                        return new Reply.LockReply(LockOutcome.CONFLICT, held.lock);
                    }
                }
                return new Reply.LockReply(LockOutcome.GRANTED, null);
            }
            default -> {
                if (session == null) {
                    throw new FsException(Errno.NO_SESSION);
                }
            }
        }
        return switch (query) {
            case Query.KeepAlive alive -> {
                session.connection = from;
                if (alive.reconnected()) {
                    session.open.clear();
                    for (long ino : alive.openInos()) {
                        session.open.merge(ino, 1, Integer::sum);
                    }
                }
                yield sessionReply(number);
            }
            case Query.Release release -> {
                for (long ino : release.inos()) {
                    session.open.computeIfPresent(ino, (i, n) -> n == 1 ? null : n - 1);
                }
                yield new Reply.Done();
            }
            case Query.HoldStill ignored -> new Reply.Done();
            case Query.Open open -> {
                Reply reply = shared.namespace.read(new Query.GetInode(open.ino()));
                if (reply instanceof Reply.EntryReply) {
                    session.open.merge(open.ino(), 1, Integer::sum);
                }
                yield reply;
            }
            case Query.OfState any -> shared.namespace.read(any);
            case Query.GetUsage _, Query.GetStatus _ ->
                    throw new FsException(Errno.EINVAL, "not here: " + query);
        };
    }
}
