package io.cairn.master.raft.member;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.cluster.Endpoint;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.netty.NettyFactory;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks as a client of Ratis, in plain text. Thread-safe. */
public final class PlainHello implements HelloCall {
    private static final Logger LOG = LoggerFactory.getLogger(PlainHello.class);

    private final RaftGroupId group;
    private final ClientId asker = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();

    @GuardedBy("this")
    private final Map<String, Endpoint> addresses = new HashMap<>();

    @GuardedBy("this")
    private RaftClientRpc network;

    private volatile boolean closed;

    /** Asks nobody yet. */
    public PlainHello(RaftGroupId group) {
        this.group = group;
        network = connect();
    }

    private RaftClientRpc connect() {
        RaftProperties properties = new RaftProperties();
        RaftClientConfigKeys.Rpc.setRequestTimeout(
                properties, TimeDuration.valueOf(ANSWER_MS, TimeUnit.MILLISECONDS));
        return new NettyFactory(new Parameters()).newRaftClientRpc(asker, properties);
    }

    @Override
    public @Nullable Hello ask(Peer peer) throws IOException {
        RaftClientRpc by = reach(peer);
        try {
            RaftClientReply reply = by.sendRequest(question(peer));
            return Hello.decode(reply.getMessage().getContent());
        } catch (IOException | RuntimeException e) {
            if (!closed) {
                by.handleException(RaftPeerId.valueOf(peer.id()), e, true);
            }
            throw e;
        }
    }

    /** Ratis keeps the address that it knew first. */
    private synchronized RaftClientRpc reach(Peer peer) {
        Endpoint before = addresses.put(peer.id(), peer.raft());
        if (before != null && !before.equals(peer.raft())) {
            hangUp(network);
            network = connect();
            addresses.clear();
            addresses.put(peer.id(), peer.raft());
        }
        network.addRaftPeers(List.of(peer.inRatis()));
        return network;
    }

    private RaftClientRequest question(Peer peer) {
        return RaftClientRequest.newBuilder()
                .setClientId(asker)
                .setServerId(RaftPeerId.valueOf(peer.id()))
                .setGroupId(group)
                .setCallId(calls.incrementAndGet())
                .setMessage(Message.valueOf(Hello.question()))
                .setType(RaftClientRequest.staleReadRequestType(0))
                .build();
    }

    @Override
    public synchronized void close() {
        closed = true;
        hangUp(network);
    }

    private static void hangUp(RaftClientRpc network) {
        try {
            network.close();
        } catch (IOException e) {
            LOG.debug("the roll call is not closed as it should be", e);
        }
    }
}
