package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Lock;
import io.cairn.fs.Usage;
import io.cairn.metadata.Namespace;
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
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A leading master over the real namespace in memory: what its leader's rooms do, as far as tests
 * of clients need it. On the network's thread only.
 */
public final class FakeNamespaceMaster implements Handler {
    private static final long FREE_BYTES = 1 << 29;

    /** Several masters can share this state: then one leads and the others say so. */
    public static final class Shared {
        final CoreNamespace namespace;
        public final Map<Long, Session> sessions = new TreeMap<>();
        long clusterId = 77;
        public int executed;
        int requests;
        int lookups;
        int mapQueries;
        int listings;

        /** Tickets that were given: each is its number. */
        public int tickets;

        /** What clients are told of quotas: 0 when there are none. */
        public volatile long quotas;

        /** Whether writes into inodes are refused, as by masters without room on their disks. */
        public volatile boolean isFull;

        /** What was asked of quotas. */
        public final List<Query.GetAllowance> asked = new CopyOnWriteArrayList<>();

        public @Nullable FakeNamespaceMaster leader;
        public String leaderHint = "";

        Shared(CoreNamespace namespace) {
            this.namespace = namespace;
        }

        /** All clients were away for too long. */
        public void loseSessions() {
            sessions.keySet().forEach(namespace::lose);
            sessions.clear();
        }
    }

    /** What a leader knows of a session besides. */
    public static final class Session {
        public final Map<Long, Integer> open = new HashMap<>();
        @Nullable Connection connection;
    }

    private final Shared shared;

    public FakeNamespaceMaster(Shared shared) {
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
                MasterRequest.read(in) == MasterRequest.MUTATION
                        ? mutate(Envelope.decode(in))
                        : query(from, in.i64(), Query.decode(in));
        answer.send(Message.of(reply::toBytes));
    }

    private Reply mutate(Envelope envelope) {
        if (shared.isFull && isWrite(envelope.mutation())) {
            return new Reply.Failure(Errno.ENOSPC, "the masters have no room");
        }
        boolean isNew = !shared.namespace.isDone(envelope);
        Namespace.Applied applied = shared.namespace.apply(envelope);
        Reply reply = applied.outcomes().getFirst().reply();
        applied.notices().forEach(notice -> push(notice.session(), notice.push()));
        Mutation mutation = envelope.mutation();
        if (reply instanceof Reply.SessionReply opened) {
            shared.sessions.computeIfAbsent(opened.session(), _ -> new Session());
            return sessionReply(opened.session());
        }
        if (mutation instanceof SessionMutation.CloseSession close) {
            shared.sessions.remove(close.session());
        }
        Session session = shared.sessions.get(envelope.session());
        if (session == null) {
            return reply;
        }
        if (isNew) {
            tellOthers(envelope.session(), mutation, reply);
            shared.executed++;
        }
        if (mutation instanceof TreeMutation.Create create
                && create.open()
                && reply instanceof Reply.EntryReply entry) {
            session.open.merge(entry.inode().ino(), 1, Integer::sum);
        }
        return reply;
    }

    private static boolean isWrite(Mutation mutation) {
        return mutation instanceof ContentMutation.WriteInline
                || mutation instanceof TreeMutation.WriteAndSet;
    }

    /** Who holds a file open hears first that another has changed its size. */
    private void tellOthers(long session, Mutation mutation, Reply reply) {
        Mutation change = mutation instanceof TreeMutation.Witnessed w ? w.mutation() : mutation;
        boolean tells =
                change instanceof TreeMutation.SetAttributes set
                                && set.change().has(AttributeChange.SIZE | AttributeChange.FLAGS)
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

    /** A stranger gives a token back: who waits for it hears. */
    public boolean release(long stranger, long ino, long owner) {
        Mutation back = new SessionMutation.ReleaseLocks(ino, Lock.Kind.APPEND, owner);
        mutate(new Envelope(stranger, 2, 0, 0, back));
        return true;
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
                shared.namespace.map().epoch(),
                0,
                shared.quotas,
                List.of());
    }

    private Reply query(Connection from, long number, Query query) {
        Session session = shared.sessions.get(number);
        shared.lookups += query instanceof Query.Lookup ? 1 : 0;
        shared.listings += query instanceof Query.ReadDirectory ? 1 : 0;
        switch (query) {
            case Query.GetMap q -> {
                shared.mapQueries++;
                return shared.namespace.read(number, q);
            }
            case Query.GetUsage ignored -> {
                return new Reply.UsageReply(new Usage(1 << 30, FREE_BYTES, FREE_BYTES, 10, 1000));
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
            case Query.GetTicket _ ->
                    new Reply.TicketReply(new byte[] {(byte) ++shared.tickets}, 600_000);
            case Query.Open open -> {
                Reply reply = shared.namespace.read(number, new Query.GetInode(open.ino()));
                if (reply instanceof Reply.EntryReply) {
                    session.open.merge(open.ino(), 1, Integer::sum);
                }
                yield reply;
            }
            case Query.OfState any -> shared.namespace.read(number, any);
            case Query.GetAllowance m -> {
                shared.asked.add(m);
                yield m.roomBytes() > FREE_BYTES
                        ? new Reply.Failure(Errno.ENOSPC, FREE_BYTES + " bytes are free")
                        : new Reply.AllowanceReply(m.wanted());
            }
            case Query.GetUsage _, Query.GetStatus _, Query.GetRoom _, Query.OfLogin _ ->
                    throw new FsException(Errno.EINVAL, "not here: " + query);
        };
    }
}
