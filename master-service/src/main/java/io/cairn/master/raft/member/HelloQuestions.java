package io.cairn.master.raft.member;

import io.cairn.base.Wording;
import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks other masters for their {@link Hello}, each on a thread of its own. Thread-safe. */
public final class HelloQuestions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HelloQuestions.class);
    private static final long BELIEVED_NS = TimeUnit.SECONDS.toNanos(3);

    private final String self;
    private final Clock clock;
    private final Supplier<HelloCall> calls;
    private final HelloCall network;
    private final Set<String> asked = ConcurrentHashMap.newKeySet();
    private final Map<String, Heard> heard = new ConcurrentHashMap<>();
    private volatile boolean closed;

    private record Heard(Hello hello, long atNs) {}

    /**
     * Asks nobody yet.
     *
     * @param self the name of this master, which is not asked
     * @param calls makes connections, which this closes
     */
    public HelloQuestions(String self, Supplier<HelloCall> calls, Clock clock) {
        this.self = self;
        this.calls = calls;
        this.clock = clock;
        network = calls.get();
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
        ask(doors.stream().map(Peer::at).toList());
    }

    /** The answer of a master that is asked now, or null; waits two seconds at most. */
    public @Nullable Hello askNow(Peer peer) {
        try (HelloCall own = calls.get()) {
            return own.ask(peer);
        } catch (IOException | RuntimeException e) {
            LOG.info("nobody answers as master {}: {}", peer, Wording.of(e));
            return null;
        }
    }

    private void ask(Peer peer) {
        try {
            Hello hello = network.ask(peer);
            if (hello == null || hello.id().equals(self)) {
                return;
            }
            if (hello.id().equals(peer.id()) || peer.isNameless()) {
                heard.put(hello.id(), new Heard(hello, clock.nanoTime()));
            }
        } catch (IOException | RuntimeException e) {
            heard.remove(peer.id()); // it may come back as another one
            if (!closed) {
                LOG.debug("master {} does not tell of itself: {}", peer, Wording.of(e));
            }
        } finally {
            asked.remove(peer.id());
        }
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
        network.close();
    }
}
