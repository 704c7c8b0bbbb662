package io.cairn.master;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.cluster.Endpoint;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.Notice;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Release;
import io.cairn.wire.master.ClusterRequest.MasterPresent;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which masters are there and what they understand. A master that follows tells the leader, where
 * clients find it; the leader remembers it for ten seconds. Thread-safe; never blocks.
 */
final class Presence implements Handler, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Presence.class);
    private static final long TELL_MS = 2_000;
    private static final long BELIEVED_MS = 10_000;

    /** How long another master may take to lead before this one stops all the same. */
    private static final long HAND_OVER_MS = 3_000;

    private final String id;
    private final Supplier<Namespace> namespace;
    private final ReplicatedLog log;
    private final Transport transport;
    private final Clock clock;

    @GuardedBy("this")
    private final Map<String, Heard> heard = new TreeMap<>();

    @GuardedBy("this")
    private @Nullable Connection connection;

    private long nextMs;
    private List<Endpoint> told = List.of();

    @GuardedBy("this")
    private boolean closed;

    private record Heard(MasterRelease master, long atMs) {}

    Presence(
            String id,
            ReplicatedLog log,
            Supplier<Namespace> namespace,
            Transport transport,
            Clock clock) {
        this.id = id;
        this.log = log;
        this.namespace = namespace;
        this.transport = transport;
        this.clock = clock;
        this.nextMs = clock.millis();
    }

    /** The time by which it tells. */
    Clock clock() {
        return clock;
    }

    /**
     * Lets another master lead, if this one leads and another one can. The log says what came of
     * it. Blocks for three seconds at most.
     */
    void handOver() {
        List<MasterGroup.Standing> masters = log.masters();
        MasterGroup.Standing next =
                masters.stream()
                        .filter(each -> !each.leads() && each.state().equals("up"))
                        .max(Comparator.comparingLong(MasterGroup.Standing::commitIndex))
                        .orElse(null);
        if (next == null || masters.stream().noneMatch(each -> each.leads() && isSelf(each))) {
            return;
        }
        try {
            log.lead(next.id()).get(HAND_OVER_MS, TimeUnit.MILLISECONDS);
            LOG.info("this master stops, {} leads", next.id());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            if (e.getCause() instanceof FsException refused
                    && refused.errno() == Errno.NOT_LEADER) {
                // Another one was elected, or no majority has confirmed this one of late.
                LOG.info("this master stops, and leads no more");
            } else {
                LOG.info(
                        "this master stops, and {} does not lead yet: {}",
                        next.id(),
                        Wording.of(e));
            }
        }
    }

    private boolean isSelf(MasterGroup.Standing master) {
        return master.id().equals(id);
    }

    /** What clients have to hear of the masters: nothing as long as these are the same. */
    List<Notice> news() {
        List<Endpoint> masters = log.endpoints();
        synchronized (this) {
            if (masters.equals(told)) {
                return List.of();
            }
            told = masters;
        }
        return List.of(new Notice(0, new Push.MastersChanged(masters)));
    }

    /** Tells the leader, when it is time and this master does not lead; called often. */
    void tick() {
        Endpoint leader = log.leader();
        if (leader == null || log.mayRead()) {
            return;
        }
        Connection known;
        synchronized (this) {
            if (closed || clock.millis() - nextMs < 0) {
                return;
            }
            nextMs = clock.millis() + TELL_MS;
            known = connection;
            if (known == null || !known.isOpen() || !known.remote().equals(leader)) {
                connection = null;
            }
        }
        if (known != null && known.isOpen() && known.remote().equals(leader)) {
            tell(known);
            return;
        }
        if (known != null) {
            known.close();
        }
        var _ =
                transport
                        .connect(leader, this, TELL_MS)
                        .whenComplete(
                                (made, error) -> {
                                    if (made != null) {
                                        keep(made);
                                    } else {
                                        LOG.debug("the leader is not reached", error);
                                    }
                                });
    }

    private void keep(Connection made) {
        boolean mine;
        synchronized (this) {
            mine = !closed && connection == null;
            if (mine) {
                connection = made;
            }
        }
        if (mine) {
            tell(made);
        } else {
            made.close();
        }
    }

    private void tell(Connection leader) {
        MasterPresent present = new MasterPresent(id, newest());
        var _ =
                leader.call(Message.of(v -> MasterRequest.cluster(present, v)), TELL_MS)
                        .whenComplete(
                                (reply, error) -> {
                                    if (reply != null) {
                                        reply.release();
                                    } else {
                                        LOG.debug("the leader did not answer", error);
                                        leader.close();
                                    }
                                });
    }

    private int newest() {
        return namespace.get().understood().newest();
    }

    /** A master that follows has told that it is there. */
    synchronized void heard(MasterPresent present, Connection from) {
        MasterRelease master = new MasterRelease(present.id(), from.release(), present.newest());
        heard.put(present.id(), new Heard(master, clock.millis()));
    }

    /** Those that are there, this one included, by name; complete at the leader only. */
    synchronized List<MasterRelease> masters() {
        long nowMs = clock.millis();
        heard.values().removeIf(each -> nowMs - each.atMs > BELIEVED_MS);
        Map<String, MasterRelease> all = new TreeMap<>();
        heard.forEach((other, each) -> all.put(other, each.master));
        all.put(id, new MasterRelease(id, Release.text(), newest()));
        return new ArrayList<>(all.values());
    }

    /** The leader has nothing to ask over this connection. */
    @Override
    public void handle(Connection from, Message request, Answer answer) {
        request.release();
        answer.fail(new FsException(Errno.ENOSYS));
    }

    @Override
    public void close() {
        Connection last;
        synchronized (this) {
            closed = true;
            last = connection;
        }
        if (last != null) {
            last.close();
        }
    }
}
