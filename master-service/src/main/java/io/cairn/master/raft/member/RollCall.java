package io.cairn.master.raft.member;

import io.cairn.base.Wording;
import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks other masters for their {@link Hello}, each on a thread of its own. Thread-safe. */
public final class RollCall implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RollCall.class);
    private static final long ANSWER_MS = 2_000;
    private static final long BELIEVED_NS = TimeUnit.SECONDS.toNanos(3);

    /** Before the address of one whose name is not known; no name of a master begins so. */
    private static final String NAMELESS = "?";

    private final String self;
    private final RaftGroupId group;
    private final Clock clock;
    private final ClientId asker = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private final Set<String> asked = ConcurrentHashMap.newKeySet();
    private final Map<String, Heard> heard = new ConcurrentHashMap<>();
    private final Map<String, Endpoint> addresses = new HashMap<>();
    private RaftClientRpc network;
    private volatile boolean closed;

    private record Heard(Hello hello, long atNs) {}

    /**
     * Asks nobody yet.
     *
     * @param self the name of this master, which is not asked
     */
    public RollCall(String self, RaftGroupId group, Clock clock) {
        this.self = self;
        this.group = group;
        this.clock = clock;
        network = connect();
    }

    private RaftClientRpc connect() {
        RaftProperties properties = new RaftProperties();
        RaftClientConfigKeys.Rpc.setRequestTimeout(
                properties, TimeDuration.valueOf(ANSWER_MS, TimeUnit.MILLISECONDS));
        return new NettyFactory(new Parameters()).newRaftClientRpc(asker, properties);
    }

    /** Asks each of them that does not owe an answer. */
    public void ask(Collection<Peer> peers) {
        for (Peer peer : peers) {
            if (!closed && !peer.id().equals(self) && asked.add(peer.id())) {
                Thread.ofVirtual().name("roll-call-" + peer.id()).start(() -> ask(peer));
            }
        }
    }

    /** Asks whoever is at these addresses. */
    public void askAt(Collection<Endpoint> doors) {
        ask(doors.stream().map(door -> new Peer(NAMELESS + door, door)).toList());
    }

    /** The answer of a master that is asked now, or null; waits two seconds at most. */
    public @Nullable Hello askNow(Peer peer) {
        try (RaftClientRpc own = connect()) {
            own.addRaftPeers(List.of(peer.inRatis()));
            return answer(own, peer);
        } catch (IOException | RuntimeException e) {
            LOG.info("nobody answers as master {}: {}", peer, Wording.of(e));
            return null;
        }
    }

    private void ask(Peer peer) {
        RaftClientRpc by = null;
        try {
            by = reach(peer);
            Hello hello = answer(by, peer);
            if (hello == null || hello.id().equals(self)) {
                return;
            }
            if (hello.id().equals(peer.id()) || peer.id().startsWith(NAMELESS)) {
                heard.put(hello.id(), new Heard(hello, clock.nanoTime()));
            }
        } catch (IOException | RuntimeException e) {
            heard.remove(peer.id()); // it may come back as another one
            if (!closed && by != null) {
                LOG.debug("master {} does not tell of itself: {}", peer, Wording.of(e));
                by.handleException(RaftPeerId.valueOf(peer.id()), e, true);
            }
        } finally {
            asked.remove(peer.id());
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

    private @Nullable Hello answer(RaftClientRpc by, Peer peer) throws IOException {
        RaftClientRequest question =
                RaftClientRequest.newBuilder()
                        .setClientId(asker)
                        .setServerId(RaftPeerId.valueOf(peer.id()))
                        .setGroupId(group)
                        .setCallId(calls.incrementAndGet())
                        .setMessage(Message.valueOf(Hello.question()))
                        .setType(RaftClientRequest.staleReadRequestType(0))
                        .build();
        RaftClientReply reply = by.sendRequest(question);
        return Hello.decode(reply.getMessage().getContent());
    }

    /** The answers of the others within the last three seconds, by name. */
    public Map<String, Hello> recent() {
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
        synchronized (this) {
            hangUp(network);
        }
    }

    private static void hangUp(RaftClientRpc network) {
        try {
            network.close();
        } catch (IOException e) {
            LOG.debug("the roll call is not closed as it should be", e);
        }
    }
}
