package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.master.ReplicatedLog;
import io.cairn.master.raft.Combiner;
import io.cairn.master.raft.Group;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Notice;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.testkit.simulated.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One master's part in the group that keeps the log, while it runs: elections, replication,
 * checkpoints and the lease of a leader. The network delays and loses messages. The rules are those
 * of Ongaro and Ousterhout, "In Search of an Understandable Consensus Algorithm", figures 2 and 13.
 * The lease is as in Ratis: a master that has heard a leader does not vote before the shortest wait
 * for an election is over. The production {@link Combiner} gathers operations into entries.
 */
final class SimulatedRaft implements ReplicatedLog {
    private static final long LEAST_WAIT_MS = 500;
    private static final long HEARTBEAT_MS = 100;
    private static final long EXPIRE_MS = 250;
    private static final long MS = 1_000_000;
    private static final int MAX_ENTRIES = 16;
    private static final int CHECKPOINT_ENTRIES = 40;

    private enum Role {
        FOLLOWER,
        CANDIDATE,
        LEADER
    }

    private final SimulatedMasters group;
    private final String self;
    private final RaftDisk disk;
    private final Simulation simulation;
    private final SimulatedScheduler scheduler;
    private final LongSupplier paceMs;
    private final Combiner combiner;
    private final Map<Long, Group> proposed = new TreeMap<>();
    private final Map<String, RaftProgress> others = new TreeMap<>();
    private final TreeSet<String> votes = new TreeSet<>();
    private Consumer<List<Notice>> listener = notices -> {};
    private MemoryStore store;
    private Namespace namespace;
    private Role role = Role.FOLLOWER;
    private @Nullable String leader;
    private long readyTerm = -1;
    private long commit;
    private long applied;
    private long verified;
    private long heardNs;
    private long standNs;
    private long quietUntilNs;
    private boolean flushing;
    private boolean crashed;

    /**
     * A master that starts.
     *
     * @param scheduler of its process
     * @param paceMs how long its disk takes, milliseconds; asked for each write
     * @param electionMs after this time it stands for election, unless it hears a leader
     */
    SimulatedRaft(
            SimulatedMasters group,
            String self,
            RaftDisk disk,
            SimulatedScheduler scheduler,
            LongSupplier paceMs,
            long electionMs) {
        this.group = group;
        this.self = self;
        this.disk = disk;
        this.simulation = group.simulation();
        this.scheduler = scheduler;
        this.paceMs = paceMs;
        this.combiner = new Combiner(simulation, 4, 1, Runnable::run, this::propose);
        this.store = disk.checkpoint().store().copy();
        this.namespace = new Namespace(store);
        this.applied = disk.checkpoint().index();
        this.commit = applied;
        group.names().stream().filter(n -> !n.equals(self)).forEach(n -> others.put(n, fresh()));
        // It may have answered a leader just before it ended: a process starts no faster than that.
        quietUntilNs = simulation.nanoTime() + (others.isEmpty() ? 0 : LEAST_WAIT_MS * MS);
        standIn(others.isEmpty() ? electionMs : LEAST_WAIT_MS + electionMs);
        scheduler.schedule(this::beat, HEARTBEAT_MS);
        scheduler.schedule(this::expire, EXPIRE_MS);
    }

    private RaftProgress fresh() {
        return new RaftProgress(disk.lastIndex() + 1);
    }

    Namespace namespace() {
        return namespace;
    }

    /** The last entry that this master has applied. */
    long applied() {
        return applied;
    }

    /** Who is told the notices of applied entries. */
    void listen(Consumer<List<Notice>> newListener) {
        listener = newListener;
    }

    /** The process ends: nothing is answered any more. */
    void crash() {
        crashed = true;
        disk.crash(simulation.random());
    }

    /** Loses its office, and does not stand for election for a while. */
    void stepDown(long forMs) {
        if (role == Role.LEADER) {
            follow(null);
            standIn(forMs);
        }
    }

    // Elections

    private void standIn(long ms) {
        standNs = simulation.nanoTime() + ms * MS;
        scheduler.schedule(this::standIfDue, ms);
    }

    private void waitForLeader() {
        standIn(LEAST_WAIT_MS + simulation.random().nextLong(LEAST_WAIT_MS));
    }

    private void standIfDue() {
        if (role != Role.LEADER && simulation.nanoTime() >= standNs) {
            disk.enter(disk.term() + 1);
            disk.vote(self);
            role = Role.CANDIDATE;
            leader = null;
            votes.clear();
            waitForLeader();
            long term = disk.term();
            long last = disk.lastIndex();
            long lastTerm = disk.termAt(last);
            toOthers(raft -> raft.asked(term, self, last, lastTerm));
            voted(term, self);
        }
    }

    private void toOthers(Consumer<SimulatedRaft> message) {
        others.keySet().forEach(name -> group.send(self, name, message));
    }

    private boolean hearsLeader() {
        return role == Role.LEADER
                || simulation.nanoTime() < quietUntilNs
                || (leader != null && simulation.nanoTime() - heardNs < LEAST_WAIT_MS * MS);
    }

    private void asked(long term, String candidate, long last, long lastTerm) {
        if (hearsLeader()) {
            return;
        }
        observe(term);
        long ownTerm = disk.termAt(disk.lastIndex());
        boolean complete = lastTerm > ownTerm || (lastTerm == ownTerm && last >= disk.lastIndex());
        boolean free = disk.vote() == null || candidate.equals(disk.vote());
        if (term == disk.term() && role == Role.FOLLOWER && complete && free) {
            disk.vote(candidate);
            waitForLeader();
            group.send(self, candidate, raft -> raft.voted(term, self));
        }
    }

    private void voted(long term, String voter) {
        if (role != Role.CANDIDATE || term != disk.term()) {
            return;
        }
        votes.add(voter);
        if (votes.size() > group.names().size() / 2) {
            role = Role.LEADER;
            leader = self;
            others.replaceAll((name, old) -> fresh());
            append(new RaftDisk.Entry(term, new byte[0]));
        }
    }

    /** A higher term than the own one ends every office. */
    private void observe(long term) {
        if (term > disk.term()) {
            disk.enter(term);
            follow(null);
        }
    }

    private void follow(@Nullable String newLeader) {
        boolean led = role == Role.LEADER;
        role = Role.FOLLOWER;
        if (!Objects.equals(newLeader, leader)) {
            verified = 0;
        }
        leader = newLeader;
        if (led) {
            readyTerm = -1;
            waitForLeader();
            List<Group> open = new ArrayList<>(proposed.values());
            proposed.clear();
            open.forEach(
                    each ->
                            combiner.failed(
                                    each,
                                    new FsException(
                                            Errno.NOT_READY, "the masters are choosing a leader")));
        }
    }

    // Replication

    private void propose(Group operations) {
        if (role != Role.LEADER) {
            combiner.failed(operations, notLeader());
            return;
        }
        proposed.put(disk.lastIndex() + 1, operations);
        append(new RaftDisk.Entry(disk.term(), operations.entry()));
    }

    private void append(RaftDisk.Entry entry) {
        disk.append(entry);
        flush();
        others.keySet().forEach(this::replicate);
    }

    private void beat() {
        if (role == Role.LEADER) {
            others.keySet().forEach(this::replicate);
        }
        scheduler.schedule(this::beat, HEARTBEAT_MS);
    }

    private RaftProgress progress(String name) {
        return Objects.requireNonNull(others.get(name));
    }

    private void replicate(String name) {
        RaftProgress progress = progress(name);
        long term = disk.term();
        long sentNs = simulation.nanoTime();
        if (progress.next <= disk.checkpoint().index()) {
            RaftDisk.Checkpoint whole = disk.checkpoint();
            progress.next = whole.index() + 1;
            group.send(self, name, raft -> raft.install(term, self, whole));
            return;
        }
        long before = progress.next - 1;
        long termBefore = disk.termAt(before);
        List<RaftDisk.Entry> entries = disk.from(progress.next, MAX_ENTRIES);
        progress.next += entries.size();
        Message message = new Message(term, self, before, termBefore, entries, commit, sentNs);
        group.send(self, name, raft -> raft.take(message));
    }

    private record Message(
            long term,
            String leader,
            long before,
            long termBefore,
            List<RaftDisk.Entry> entries,
            long commit,
            long sentNs) {}

    /** Whether whoever sent this leads; this master follows it then. */
    private boolean accepts(long term, String from) {
        if (term < disk.term()) {
            return false;
        }
        observe(term);
        follow(from);
        heardNs = simulation.nanoTime();
        waitForLeader();
        return true;
    }

    private void take(Message message) {
        if (!accepts(message.term, message.leader)) {
            long term = disk.term();
            group.send(self, message.leader, raft -> raft.observe(term));
            return;
        }
        long from = Math.max(message.before, disk.checkpoint().index());
        long last = disk.lastIndex();
        if (message.before > last
                || (message.before == from && disk.termAt(from) != message.termBefore)) {
            answer(Math.min(last, message.before - 1) + 1, message.sentNs);
            return;
        }
        long index = message.before;
        for (RaftDisk.Entry entry : message.entries) {
            index++;
            if (index <= disk.checkpoint().index() || disk.termAt(index) == entry.term()) {
                continue;
            }
            if (index <= disk.lastIndex()) {
                disk.cut(index);
            }
            disk.append(entry);
        }
        verified = Math.max(verified, index);
        commit = Math.max(commit, Math.min(message.commit, verified));
        apply();
        flush();
        answer(0, message.sentNs);
    }

    private void install(long term, String from, RaftDisk.Checkpoint whole) {
        if (!accepts(term, from) || whole.index() <= applied) {
            return;
        }
        group.note(self + " takes the checkpoint at entry " + whole.index());
        disk.keep(whole);
        store = whole.store().copy();
        namespace = new Namespace(store);
        applied = whole.index();
        commit = Math.max(commit, applied);
        verified = Math.max(verified, applied);
        answer(0, Long.MIN_VALUE);
    }

    /** Tells the leader what is safe here, or (not 0) from where on it should send again. */
    private void answer(long again, long sentNs) {
        String to = leader;
        if (to == null || role == Role.LEADER) {
            return;
        }
        long term = disk.term();
        long match = Math.min(disk.durable(), verified);
        group.send(self, to, raft -> raft.answered(term, self, match, again, sentNs));
    }

    private void answered(long term, String from, long match, long again, long sentNs) {
        observe(term);
        if (role != Role.LEADER || term != disk.term()) {
            return;
        }
        RaftProgress progress = progress(from);
        progress.heardNs = Math.max(progress.heardNs, sentNs);
        progress.match = Math.max(progress.match, match);
        if (again > 0) {
            progress.next = Math.max(progress.match + 1, again);
        }
        progress.next = Math.max(progress.next, progress.match + 1);
        advance();
        if (again > 0 || progress.next <= disk.lastIndex()) {
            replicate(from);
        }
    }

    private void flush() {
        long last = disk.lastIndex();
        if (flushing || disk.durable() >= last) {
            return;
        }
        flushing = true;
        long term = disk.termAt(last);
        scheduler.schedule(
                () -> {
                    flushing = false;
                    disk.written(last, term);
                    advance();
                    answer(0, Long.MIN_VALUE);
                    flush();
                },
                paceMs.getAsLong());
    }

    private void advance() {
        if (role != Role.LEADER) {
            return;
        }
        long safe = RaftProgress.safe(disk.durable(), others.values());
        if (safe > commit && disk.termAt(safe) == disk.term()) {
            commit = safe;
            apply();
        }
    }

    private void apply() {
        while (applied < commit && applied < disk.lastIndex() && !crashed) {
            long index = applied + 1;
            RaftDisk.Entry entry = disk.entry(index);
            applied = index;
            group.committed(self, index, entry);
            Group operations = proposed.remove(index);
            if (entry.bytes().length == 0) {
                namespace.advance(entry.term(), index);
                readyTerm = role == Role.LEADER && entry.term() == disk.term() ? entry.term() : -1;
            } else {
                combiner.observe(Combiner.timeOf(entry.bytes()));
                Namespace.Applied result = namespace.apply(entry.term(), index, entry.bytes());
                listener.accept(result.notices());
                if (operations != null) {
                    combiner.applied(operations, result.outcomes());
                }
            }
        }
        if (applied - disk.checkpoint().index() >= CHECKPOINT_ENTRIES) {
            disk.keep(new RaftDisk.Checkpoint(store.copy(), applied, disk.termAt(applied)));
        }
    }

    private void expire() {
        combiner.expire();
        scheduler.schedule(this::expire, EXPIRE_MS);
    }

    // What a master asks of its log

    private FsException notLeader() {
        Endpoint at = leader();
        return new FsException(Errno.NOT_LEADER, at == null ? "" : at.toString());
    }

    @Override
    public CompletableFuture<Outcome> submit(byte[] frame, int offset) {
        return crashed || role != Role.LEADER
                ? CompletableFuture.failedFuture(notLeader())
                : combiner.submit(frame, offset);
    }

    @Override
    public boolean mayRead() {
        return leaderTerm() >= 0
                && RaftProgress.isHeard(simulation.nanoTime(), LEAST_WAIT_MS * MS, others.values());
    }

    @Override
    public long leaderTerm() {
        return !crashed && role == Role.LEADER && readyTerm == disk.term() ? readyTerm : -1;
    }

    @Override
    public @Nullable Endpoint leader() {
        return leader == null ? null : SimulatedMaster.endpoint(leader);
    }

    @Override
    public List<Standing> masters() {
        return List.of();
    }

    @Override
    public long term() {
        return disk.term();
    }

    @Override
    public CompletableFuture<Void> lead(String id) {
        return CompletableFuture.failedFuture(
                new FsException(Errno.EINVAL, "this simulation moves the lead by itself"));
    }

    @Override
    public void close() {
        combiner.close();
    }
}
