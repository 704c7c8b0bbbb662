package io.cairn.master.raft;

import io.cairn.master.raft.member.Admission;
import io.cairn.master.raft.member.Hello;
import io.cairn.master.raft.member.MemberList;
import io.cairn.master.store.Membership;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands between the port of Raft and Ratis, in both directions.
 *
 * <ul>
 *   <li>A request from the network is let through only if it is a message of one master to another:
 *       votes, entries, checkpoints. This process proposes its own entries without the network, so
 *       every request of a client, and every call that administers groups, configurations, leaders
 *       or snapshots, is refused whoever sends it. The question for a {@link Hello} is answered
 *       here.
 *   <li>Every message carries the id of its sender's cluster, in place of the group's id, whose
 *       lower half it changes; messages of another cluster are refused.
 *   <li>A master without a vote, see {@link Membership}, gives none and asks for none, except that
 *       it lets one lead which its operator told to recover the cluster.
 * </ul>
 *
 * Thread-safe.
 */
final class RaftFilter {
    private static final Logger LOG = LoggerFactory.getLogger(RaftFilter.class);

    /** Questions of the transport of Ratis to its server, besides passing on messages. */
    private static final Set<String> HARMLESS =
            Set.of("getId", "getPeer", "getProperties", "getRpcType", "getLifeCycleState");

    private final MemberList members;
    private final RaftGroupId group;
    private final Membership seat;
    private final Supplier<Admission> admission;
    private final Once once;

    /**
     * A door.
     *
     * @param group the one group of this process
     * @param admission what this master tells of itself, and knows of the others
     */
    RaftFilter(
            MemberList members,
            RaftGroupId group,
            Membership seat,
            Supplier<Admission> admission,
            Clock clock) {
        this.members = members;
        this.group = group;
        this.seat = seat;
        this.admission = admission;
        this.once = new Once(clock);
    }

    /** The server as the network sees it. */
    RaftServer inbound(RaftServer server) {
        InvocationHandler handler =
                (_, method, arguments) ->
                        switch (method.getName()) {
                            case "requestVote" ->
                                    vote(server, method, (RequestVoteRequestProto) arguments[0]);
                            case "appendEntries" -> {
                                var request = (AppendEntriesRequestProto) arguments[0];
                                var by = admit(request.getServerRequest());
                                yield call(
                                        server,
                                        method,
                                        request.toBuilder().setServerRequest(by).build());
                            }
                            case "installSnapshot" -> {
                                var request = (InstallSnapshotRequestProto) arguments[0];
                                var by = admit(request.getServerRequest());
                                yield call(
                                        server,
                                        method,
                                        request.toBuilder().setServerRequest(by).build());
                            }
                            case "startLeaderElection" -> {
                                var request = (StartLeaderElectionRequestProto) arguments[0];
                                var by = admit(request.getServerRequest());
                                requireVote();
                                yield call(
                                        server,
                                        method,
                                        request.toBuilder().setServerRequest(by).build());
                            }
                            case "submitClientRequest" -> answer((RaftClientRequest) arguments[0]);
                            default -> {
                                if (!isHarmless(method)) {
                                    throw refused(method.getName());
                                }
                                yield call(server, method, arguments);
                            }
                        };
        return (RaftServer)
                Proxy.newProxyInstance(
                        RaftFilter.class.getClassLoader(),
                        new Class<?>[] {RaftServer.class},
                        handler);
    }

    /** The network as the server sees it. */
    RaftServerRpc outbound(RaftServerRpc network) {
        InvocationHandler handler =
                (_, method, arguments) ->
                        switch (method.getName()) {
                            case "requestVote" -> {
                                requireVote();
                                var request = (RequestVoteRequestProto) arguments[0];
                                var by = stamp(request.getServerRequest());
                                yield call(
                                        network,
                                        method,
                                        request.toBuilder().setServerRequest(by).build());
                            }
                            case "appendEntries" -> {
                                var request = (AppendEntriesRequestProto) arguments[0];
                                var by = stamp(request.getServerRequest());
                                yield call(
                                        network,
                                        method,
                                        request.toBuilder().setServerRequest(by).build());
                            }
                            case "installSnapshot" -> {
                                var request = (InstallSnapshotRequestProto) arguments[0];
                                var by = stamp(request.getServerRequest());
                                yield call(
                                        network,
                                        method,
                                        request.toBuilder().setServerRequest(by).build());
                            }
                            case "startLeaderElection" -> {
                                var request = (StartLeaderElectionRequestProto) arguments[0];
                                var by = stamp(request.getServerRequest());
                                yield call(
                                        network,
                                        method,
                                        request.toBuilder().setServerRequest(by).build());
                            }
                            default -> call(network, method, arguments);
                        };
        return (RaftServerRpc)
                Proxy.newProxyInstance(
                        RaftFilter.class.getClassLoader(),
                        new Class<?>[] {RaftServerRpc.class},
                        handler);
    }

    private static boolean isHarmless(Method method) {
        return HARMLESS.contains(method.getName()) || method.getDeclaringClass() == Object.class;
    }

    private static Object call(Object target, Method method, Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private Object vote(RaftServer server, Method method, RequestVoteRequestProto request)
            throws Throwable {
        RaftRpcRequestProto by = admit(request.getServerRequest());
        String candidate = by.getRequestorId().toStringUtf8();
        if (seat.votes() || admission.get().isRecovering(candidate)) {
            Object reply = call(server, method, request.toBuilder().setServerRequest(by).build());
            if (!seat.votes() && reply instanceof RequestVoteReplyProto empty) {
                // Ratis does not count the votes of those whose log is empty, else rightly.
                reply = empty.toBuilder().setLastEntry(request.getCandidateLastEntry()).build();
            }
            if (!request.getPreVote() && reply instanceof RequestVoteReplyProto told) {
                LOG.info(
                        "{} {} for {} as leader of term {}",
                        members.id(),
                        told.getServerReply().getSuccess() ? "votes" : "does not vote",
                        candidate,
                        request.getCandidateTerm());
            }
            return reply;
        }
        if (once.isDue("vote " + candidate)) {
            LOG.info(
                    "{} does not vote for {}: it has no vote before it has caught up",
                    members.id(),
                    candidate);
        }
        return RequestVoteReplyProto.newBuilder()
                .setServerReply(
                        RaftRpcReplyProto.newBuilder()
                                .setRequestorId(by.getRequestorId())
                                .setReplyId(by.getReplyId())
                                .setRaftGroupId(by.getRaftGroupId())
                                .setCallId(by.getCallId())
                                .setSuccess(false))
                .setTerm(Math.min(request.getCandidateTerm(), admission.get().hello().term()))
                .build();
    }

    private void requireVote() throws IOException {
        if (!seat.votes()) {
            throw new IOException(members.id() + " has no vote before it has caught up");
        }
    }

    /** What this master tells of itself. */
    ByteString hello() {
        return admission.get().hello().encode();
    }

    /** Answers the one question that a master asks as a client. */
    private RaftClientReply answer(RaftClientRequest request) throws IOException {
        if (!Hello.isQuestion(request.getMessage().getContent())) {
            throw refused("a request of client " + request.getClientId());
        }
        return RaftClientReply.newBuilder()
                .setRequest(request)
                .setSuccess()
                .setMessage(Message.valueOf(hello()))
                .build();
    }

    private IOException refused(String what) {
        if (once.isDue("refused")) {
            LOG.warn(
                    "refused {} at {}: this port is for the masters of one cluster only; let no"
                            + " one else reach it",
                    what,
                    members.self().raft());
        }
        return new IOException(
                "refused: this port is for the masters of one cluster among themselves");
    }

    /** Checks where a message comes from, and gives it the group's own id back. */
    private RaftRpcRequestProto admit(RaftRpcRequestProto request) throws IOException {
        String sender = request.getRequestorId().toStringUtf8();
        UUID own = group.getUuid();
        UUID told = RaftGroupId.valueOf(request.getRaftGroupId().getId()).getUuid();
        if (own.getMostSignificantBits() != told.getMostSignificantBits()) {
            throw refused("a message for another group, of " + sender);
        }
        long stamp = own.getLeastSignificantBits() ^ told.getLeastSignificantBits();
        // The masters may have changed while this one was away; then their cluster names them.
        boolean isKin = stamp != 0 && stamp == seat.stamp();
        if (sender.equals(members.id()) || !(isKin || admission.get().knows(sender))) {
            throw refused("a message of '" + sender + "', which is no other master of this group");
        }
        if (seat.isForeign(stamp)) {
            tellForeign(sender);
            throw new IOException(
                    "%s belongs to cluster %s with recovery %s, and %s does not"
                            .formatted(
                                    members.id(),
                                    Membership.text(seat.clusterId()),
                                    Membership.text(seat.recovery()),
                                    sender));
        }
        return request.toBuilder().setRaftGroupId(id(own)).build();
    }

    /** Tells, once a minute, that a master of another cluster is at an address of ours. */
    private void tellForeign(String sender) {
        if (once.isDue("foreign " + sender)) {
            LOG.error(
                    "master {} belongs to another cluster than this master {} with cluster {}, or"
                            + " one of both to what was before the cluster was recovered: neither"
                            + " takes anything from the other. Look which of the two has the wrong"
                            + " data directory or a disk that is not mounted; a master whose"
                            + " directory is emptied joins the cluster of the others",
                    sender,
                    members.id(),
                    Membership.text(seat.clusterId()));
        }
    }

    private RaftRpcRequestProto stamp(RaftRpcRequestProto request) {
        UUID own = group.getUuid();
        UUID stamped =
                new UUID(
                        own.getMostSignificantBits(), own.getLeastSignificantBits() ^ seat.stamp());
        return request.toBuilder().setRaftGroupId(id(stamped)).build();
    }

    private static RaftGroupIdProto id(UUID uuid) {
        return RaftGroupIdProto.newBuilder()
                .setId(RaftGroupId.valueOf(uuid).toByteString())
                .build();
    }
}
