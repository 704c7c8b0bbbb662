package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterGroup.Newcomer;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.raft.member.Peer;
import io.cairn.master.raft.tls.SecuredNetwork;
import io.cairn.master.store.StoreSettings;
import io.cairn.metadata.state.Notice;
import io.cairn.runtime.Clock;
import io.cairn.testkit.OwnPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Masters m1, m2, ... in this process, each in its directory, on free ports of the loopback. */
final class TestGroup implements AutoCloseable {
    static final OwnPorts PORTS = new OwnPorts(new Random());

    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final Path directory;
    private final CheckpointRule rule;
    private final List<Peer> peers = new ArrayList<>();
    private final @Nullable RatisLog[] logs;
    private final List<Heard> heard = new ArrayList<>();

    /** Whether masters that are started may found a cluster. */
    boolean found = true;

    /** What the master of a name speaks to the others over; null for plain text. */
    @Nullable Function<String, SecuredNetwork> networks;

    /** So many of them found the cluster; the others are started to join it. */
    int founders;

    /** What a master told its listener and whether it asked to be halted. */
    static final class Heard implements LogListener {
        final List<Long> leading = new CopyOnWriteArrayList<>();
        final List<Notice> notices = new CopyOnWriteArrayList<>();
        volatile boolean halted;
        volatile int following;
        volatile boolean dismissed;

        @Override
        public void leading(long term) {
            leading.add(term);
        }

        @Override
        public void dismissed(boolean was) {
            dismissed = true;
        }

        @Override
        public synchronized void following() {
            following++;
        }

        @Override
        public void notices(List<Notice> more) {
            notices.addAll(more);
        }
    }

    TestGroup(Path directory, int masters, CheckpointRule rule) throws IOException {
        this.directory = directory;
        this.rule = rule;
        for (int i = 0; i < masters; i++) {
            peers.add(new Peer("m" + (i + 1), new Endpoint("127.0.0.1", PORTS.next())));
            heard.add(new Heard());
        }
        logs = new RatisLog[masters];
        founders = masters;
    }

    /** The directory of a master. */
    Path directory(int master) {
        return directory.resolve(peers.get(master).id());
    }

    RatisSettings settings(int master) {
        return new RatisSettings(
                peers.get(master).id(),
                directory(master),
                master < founders
                        ? new RatisSettings.Members(peers.subList(0, founders), found)
                        : new RatisSettings.Members(
                                List.of(peers.get(master)), false, doors(master)),
                client(master),
                StoreSettings.standard(),
                rule);
    }

    private List<Endpoint> doors(int but) {
        return peers.stream().filter(peer -> !peer.equals(peers.get(but))).map(Peer::raft).toList();
    }

    /** A master as one that is to come. */
    Newcomer newcomer(int master) {
        return new Newcomer(peers.get(master).id(), peers.get(master).raft());
    }

    /** Where clients would find a master. */
    Endpoint client(int master) {
        return new Endpoint("client.example", 9000 + master);
    }

    /** Starts a master. */
    RatisLog start(int master) throws IOException {
        Heard listener = heard.get(master);
        RatisLog log =
                new RatisLog(
                        settings(master),
                        Clock.system(),
                        listener,
                        Runnable::run,
                        _ -> listener.halted = true,
                        networks == null ? null : networks.apply(peers.get(master).id()));
        log.start();
        logs[master] = log;
        return log;
    }

    /** Starts all masters at once: one that was there before is silent for a while at first. */
    void startAll() {
        IntStream.range(0, peers.size())
                .parallel()
                .forEach(
                        i -> {
                            try {
                                start(i);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
    }

    void stop(int master) {
        RatisLog log = logs[master];
        logs[master] = null;
        if (log != null) {
            log.close();
        }
    }

    RatisLog log(int master) {
        RatisLog log = logs[master];
        assertNotNull(log, "master is stopped");
        return log;
    }

    Heard heard(int master) {
        return heard.get(master);
    }

    /** The master that leads and may read, awaited. */
    int leader() {
        int[] found = {-1};
        await(
                "a leader",
                () -> {
                    for (int i = 0; i < logs.length; i++) {
                        RatisLog log = logs[i];
                        if (log != null && log.mayRead()) {
                            found[0] = i;
                            return true;
                        }
                    }
                    return false;
                });
        return found[0];
    }

    /** Some master that runs and does not lead. */
    int follower() {
        int leader = leader();
        for (int i = 0; i < logs.length; i++) {
            if (i != leader && logs[i] != null) {
                return i;
            }
        }
        throw new AssertionError("no follower runs");
    }

    RatisLog leaderLog() {
        return log(leader());
    }

    /** Waits until all running masters have applied the same entries, and compares them. */
    void awaitAgreement() {
        await("all masters at the same entry", this::agree);
    }

    /** False when they are not at the same entry, or moved while they were compared. */
    private boolean agree() {
        List<RatisLog> running = Stream.of(logs).filter(Objects::nonNull).toList();
        List<Long> before = running.stream().map(log -> log.namespace().appliedIndex()).toList();
        if (before.stream().distinct().count() > 1) {
            return false;
        }
        List<String> prints =
                running.stream().map(log -> hex(log.namespace().fingerprint())).toList();
        List<Long> after = running.stream().map(log -> log.namespace().appliedIndex()).toList();
        if (!after.equals(before)) {
            return false;
        }
        assertEquals(1, prints.stream().distinct().count(), "states differ at " + before);
        for (RatisLog log : running) {
            assertEquals(List.of(), log.namespace().check());
        }
        return true;
    }

    static String hex(byte[] bytes) {
        return java.util.HexFormat.of().formatHex(bytes);
    }

    static void await(String what, BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new AssertionError("waited in vain for " + what);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(2);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Override
    public void close() {
        IntStream.range(0, logs.length).parallel().forEach(this::stop);
    }
}
