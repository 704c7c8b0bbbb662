package io.cairn.master.raft.tls;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Callee;
import io.cairn.net.Listener;
import io.cairn.net.Principal.Role;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.rpc.SupportedRpcType;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.protocol.RaftServerProtocol;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.jspecify.annotations.Nullable;

/** Ratis' calls to other masters, and theirs to this one, with certificates. Thread-safe. */
public final class SecuredRpc implements RaftServerRpc {
    private static final long ANSWER_MS = 3_000;

    private final SecuredNetwork network;
    private final Endpoint at;
    private final MasterConnections connections;
    private final Map<String, Callee> peers = new ConcurrentHashMap<>();
    private final ExecutorService threads =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().name("cairn-raft-", 1).daemon().factory());
    private final RaftPort port;

    @GuardedBy("this")
    private @Nullable Listener listener;

    /**
     * Does not listen yet.
     *
     * @param at where other masters reach this one
     * @param hello what this master tells of itself
     */
    public SecuredRpc(
            RaftServerProtocol server,
            SecuredNetwork network,
            Endpoint at,
            Supplier<ByteString> hello) {
        this.network = network;
        this.at = at;
        this.connections = new MasterConnections(network.transport());
        this.port = new RaftPort(server, hello, threads, network);
    }

    @Override
    public RpcType getRpcType() {
        return SupportedRpcType.NETTY;
    }

    @Override
    public synchronized void start() throws IOException {
        try {
            listener = network.transport().listen(at, port);
        } catch (FsException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public InetSocketAddress getInetSocketAddress() {
        return new InetSocketAddress(at.host(), at.port());
    }

    @Override
    public void addRaftPeers(Collection<RaftPeer> added) {
        for (RaftPeer peer : added) {
            String id = peer.getId().toString();
            peers.put(id, new Callee(Endpoint.parse(peer.getAddress()), Role.MASTER, id));
        }
    }

    @Override
    public void handleException(RaftPeerId peer, Exception failure, boolean reconnect) {
        Callee to = peers.get(peer.toString());
        if (reconnect && to != null) {
            connections.drop(to);
        }
    }

    @Override
    public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
        return RequestVoteReplyProto.parseFrom(
                call(MessageKind.VOTE, request.getServerRequest(), request));
    }

    @Override
    public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
            throws IOException {
        return AppendEntriesReplyProto.parseFrom(
                call(MessageKind.APPEND, request.getServerRequest(), request));
    }

    @Override
    public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
            throws IOException {
        return InstallSnapshotReplyProto.parseFrom(
                call(MessageKind.SNAPSHOT, request.getServerRequest(), request));
    }

    @Override
    public StartLeaderElectionReplyProto startLeaderElection(
            StartLeaderElectionRequestProto request) throws IOException {
        return StartLeaderElectionReplyProto.parseFrom(
                call(MessageKind.ELECTION, request.getServerRequest(), request));
    }

    private byte[] call(MessageKind kind, RaftRpcRequestProto names, MessageLite request)
            throws IOException {
        String id = names.getReplyId().toStringUtf8();
        Callee to = peers.get(id);
        if (to == null) {
            throw new IOException("nobody knows where master " + id + " is");
        }
        return connections.call(to, kind, request.toByteArray(), ANSWER_MS).bytes();
    }

    @Override
    public synchronized void close() {
        if (listener != null) {
            listener.close();
            listener = null;
        }
        connections.close();
        threads.shutdown();
    }
}
