package io.cairn.master.raft;

import io.cairn.base.Wording;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the other masters for their {@link Hello}, each on a thread of its own. Thread-safe. */
final class RollCall implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RollCall.class);
    private static final long ANSWER_MS = 2_000;
    private static final long BELIEVED_NS = TimeUnit.SECONDS.toNanos(3);

    private final RatisSettings settings;
    private final RaftGroupId group;
    private final Clock clock;
    private final ClientId asker = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private final RaftClientRpc network;
    private final Set<String> asked = ConcurrentHashMap.newKeySet();
    private final Map<String, Heard> heard = new ConcurrentHashMap<>();
    private volatile boolean closed;

    private record Heard(Hello hello, long atNs) {}

    RollCall(RatisSettings settings, RaftGroupId group, Clock clock) {
        this.settings = settings;
        this.group = group;
        this.clock = clock;
        RaftProperties properties = new RaftProperties();
        RaftClientConfigKeys.Rpc.setRequestTimeout(
                properties, TimeDuration.valueOf(ANSWER_MS, TimeUnit.MILLISECONDS));
        network = new NettyFactory(new Parameters()).newRaftClientRpc(asker, properties);
        network.addRaftPeers(settings.peers().stream().map(RatisSettings.Peer::inRatis).toList());
    }

    /** Asks every master that does not owe an answer. */
    void ask() {
        for (RatisSettings.Peer peer : settings.peers()) {
            if (!closed && !peer.id().equals(settings.id()) && asked.add(peer.id())) {
                Thread.ofVirtual().name("roll-call-" + peer.id()).start(() -> ask(peer.id()));
            }
        }
    }

    private void ask(String id) {
        RaftPeerId peer = RaftPeerId.valueOf(id);
        try {
            RaftClientRequest question =
                    RaftClientRequest.newBuilder()
                            .setClientId(asker)
                            .setServerId(peer)
                            .setGroupId(group)
                            .setCallId(calls.incrementAndGet())
                            .setMessage(Message.valueOf(Hello.question()))
                            .setType(RaftClientRequest.staleReadRequestType(0))
                            .build();
            RaftClientReply reply = network.sendRequest(question);
            Hello hello = Hello.decode(reply.getMessage().getContent());
            if (hello != null && hello.id().equals(id)) {
                heard.put(id, new Heard(hello, clock.nanoTime()));
            }
        } catch (IOException | RuntimeException e) {
            heard.remove(id); // it may come back as another one
            if (!closed) {
                LOG.debug("master {} does not tell of itself: {}", id, Wording.of(e));
                network.handleException(peer, e, true);
            }
        } finally {
            asked.remove(id);
        }
    }

    /** The answers of the others within the last three seconds, by name. */
    Map<String, Hello> recent() {
        long nowNs = clock.nanoTime();
        Map<String, Hello> recent = new HashMap<>();
        heard.forEach(
                (id, each) -> {
                    if (nowNs - each.atNs < BELIEVED_NS) {
                        recent.put(id, each.hello);
                    }
                });
        return recent;
    }

    @Override
    public void close() {
        closed = true;
        try {
            network.close();
        } catch (IOException e) {
            LOG.debug("the roll call is not closed as it should be", e);
        }
    }
}
