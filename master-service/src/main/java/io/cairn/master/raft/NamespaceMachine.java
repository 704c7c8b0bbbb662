package io.cairn.master.raft;

import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.store.Position;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.metadata.state.Notice;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ratis' state machine: applies entries to the replicated state, in log order, and answers the
 * callers of this process. It does so on Ratis' updater thread; with a master alone, on the thread
 * that writes the log, as soon as an entry is forced.
 *
 * <p>After a start Ratis replays from the newest checkpoint, but the store may be further: entries
 * up to its position are skipped. This class tells Ratis the place of the replay, never the
 * position of the store, so that it does not go backwards.
 *
 * <p>Ratis only logs what goes wrong in here and counts the entry as applied. So whatever goes
 * wrong ends the process through {@code fatal}: the next start replays.
 */
final class NamespaceMachine extends BaseStateMachine {
    private static final Logger LOG = LoggerFactory.getLogger(NamespaceMachine.class);
    private static final long CHECKPOINT_LIMIT_S = 10;
    private static final CompletableFuture<Message> DONE =
            CompletableFuture.completedFuture(Message.EMPTY);

    private final ReplicatedState state;
    private final CheckpointRule rule;

    /** Whether a forced entry is committed. */
    private volatile boolean alone;

    private final ByteString clientId;
    private final Combiner combiner;
    private final Events listener;
    private final Fatal fatal;
    private final ExecutorService background =
            Executors.newSingleThreadExecutor(
                    task -> Thread.ofPlatform().name("checkpoint").daemon().unstarted(task));

    private volatile boolean leading;
    private volatile boolean stopping;
    private volatile boolean checkpointing;

    /** Held while an entry is applied, so that entries and notices keep the order of the log. */
    private final Object applying = new Object();

    /** With a master alone: what this process has in the log and the writer did not apply yet. */
    private final Queue<Group> written = new ConcurrentLinkedQueue<>();

    /** The newest entry that the writer applied; set with the lock held. */
    private volatile long ahead = RaftLog.INVALID_LOG_INDEX;

    // Of the updater thread: what was applied since the newest checkpoint began.
    private long entriesSince;
    private long bytesSince;

    /** Up to here the store was when the replay began. */
    private long storedBefore;

    /** The newest checkpoint that Ratis knows; must not decrease. */
    private long purged = RaftLog.INVALID_LOG_INDEX;

    /** Hears what happens, on a thread of the log or with Ratis' locks held: must not block. */
    interface Events {
        void leading();

        void following();

        void notices(List<Notice> notices);
    }

    /** Ends the process. */
    @FunctionalInterface
    interface Fatal {
        void stop(String what, @Nullable Throwable cause);
    }

    /**
     * A machine.
     *
     * @param clientId under which this process proposes entries
     */
    NamespaceMachine(
            ReplicatedState state,
            RatisSettings settings,
            ByteString clientId,
            Combiner combiner,
            Events listener,
            Fatal fatal) {
        this.state = state;
        this.rule = settings.checkpoints();
        this.clientId = clientId;
        this.combiner = combiner;
        this.listener = listener;
        this.fatal = fatal;
    }

    /**
     * Tells whether there is no other master, so that a forced entry is committed. To be taken back
     * before another one may come.
     */
    void setAlone(boolean is) {
        alone = is;
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage)
            throws IOException {
        super.initialize(server, group, storage);
        Position newest = state.checkpoints().newest();
        if (newest != null) {
            begin(newest);
        }
        storedBefore = state.namespace().appliedIndex();
        getLifeCycle().transition(LifeCycle.State.STARTING);
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return state.checkpoints();
    }

    @Override
    public TransactionContext startTransaction(RaftClientRequest request) {
        return TransactionContext.newBuilder()
                .setStateMachine(this)
                .setClientRequest(request)
                .setLogData(request.getMessage().getContent())
                .setStateMachineContext(combiner.inFlight(request.getCallId()))
                .build();
    }

    @Override
    public TransactionContext preAppendTransaction(TransactionContext transaction) {
        if (transaction.getStateMachineContext() instanceof Group group) {
            group.markLogged(transaction);
            if (alone) {
                written.add(group);
            }
        }
        return transaction;
    }

    /** A forced entry is committed when there is no other master, for good. */
    @Override
    public CompletableFuture<Void> flush(long index) {
        return alone ? new Forced(index) : CompletableFuture.completedFuture(null);
    }

    /** Ratis' writer asks for the result when it has forced the log; {@link RatisOptions}. */
    private final class Forced extends CompletableFuture<Void> {
        private final long index;

        private Forced(long index) {
            this.index = index;
        }

        @Override
        public Void get() {
            applyForced(index);
            return null;
        }
    }

    /**
     * Applies what this process proposed on the writer's thread: two wake-ups less than the way
     * over the updater. Entries before it in the log that came otherwise are left to the updater,
     * and so are then those behind.
     */
    private void applyForced(long forced) {
        for (Group group = nextForced(forced); group != null; group = nextForced(forced)) {
            LogEntryProto entry = Objects.requireNonNull(group.logEntry());
            List<Outcome> replies;
            synchronized (applying) {
                if (entry.getIndex() != state.namespace().appliedIndex() + 1) {
                    return;
                }
                replies = apply(entry, group);
                ahead = entry.getIndex();
            }
            combiner.appliedByWriter(group, replies);
        }
    }

    /** The first entry of this process that nobody applied, if it is forced. */
    private @Nullable Group nextForced(long forced) {
        for (Group group = written.peek(); group != null; group = written.peek()) {
            if (combiner.inFlight(group.number()) == group) {
                LogEntryProto entry = group.logEntry();
                return entry != null && entry.getIndex() <= forced ? group : null;
            }
            written.remove(); // applied, or Ratis could not log it
        }
        return null;
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        if (entry.getIndex() > ahead) {
            applyCommitted(entry);
        }
        updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
        entriesSince++;
        bytesSince += entry.getStateMachineLogEntry().getLogData().size();
        return DONE;
    }

    private void applyCommitted(LogEntryProto entry) {
        StateMachineLogEntryProto logged = entry.getStateMachineLogEntry();
        Group group;
        List<Outcome> replies;
        synchronized (applying) {
            if (entry.getIndex() <= ahead) {
                return;
            }
            // Not through the context of the transaction: the updater may be faster than Ratis
            // remembers it.
            group =
                    clientId.equals(logged.getClientId())
                            ? combiner.inFlight(logged.getCallId())
                            : null;
            replies = apply(entry, group);
        }
        if (group != null) {
            combiner.applied(group, replies);
        }
    }

    /** Applies an entry, with the lock held; returns a reply to each operation of a group. */
    private List<Outcome> apply(LogEntryProto entry, @Nullable Group group) {
        long index = entry.getIndex();
        try {
            byte[] bytes =
                    group != null
                            ? group.entry()
                            : entry.getStateMachineLogEntry().getLogData().toByteArray();
            if (group != null) {
                combiner.applying(group);
            }
            List<Outcome> replies = apply(entry.getTerm(), index, bytes, group == null);
            if (group != null && replies.size() != group.size()) {
                throw new IllegalStateException(
                        "%d replies to %d operations".formatted(replies.size(), group.size()));
            }
            return replies;
        } catch (Throwable e) {
            fatal.stop("log entry %d cannot be applied".formatted(index), e);
            throw new IllegalStateException(e);
        }
    }

    private List<Outcome> apply(long term, long index, byte[] bytes, boolean foreign)
            throws IOException {
        boolean isNew = index > state.namespace().appliedIndex();
        if (LeaderEndpoints.isOne(bytes)) {
            state.announce(bytes);
            if (isNew) {
                state.namespace().advance(term, index);
            }
            return List.of();
        }
        if (foreign) {
            combiner.observe(Combiner.timeOf(bytes));
        }
        if (!isNew) {
            return List.of();
        }
        Namespace.Applied applied = state.apply(term, index, bytes);
        tell(applied.notices());
        return applied.outcomes();
    }

    private void tell(List<Notice> notices) {
        if (leading && !notices.isEmpty()) {
            listener.notices(notices);
        }
    }

    @Override
    public void notifyTermIndexUpdated(long term, long index) {
        try {
            synchronized (applying) {
                if (index > state.namespace().appliedIndex()) {
                    state.namespace().advance(term, index);
                }
            }
        } catch (RuntimeException e) {
            fatal.stop("log entry %d cannot be applied".formatted(index), e);
            throw e;
        }
        updateLastAppliedTermIndex(term, index);
        entriesSince++;
    }

    @Override
    public void notifyLeaderReady() {
        leading = true;
        listener.leading();
    }

    @Override
    public void notifyNotLeader(Collection<TransactionContext> pending) {
        leading = false;
        listener.following();
    }

    @Override
    public void notifyLogFailed(Throwable cause, @Nullable LogEntryProto entry) {
        fatal.stop("the Raft log cannot be written", cause);
    }

    /**
     * Begins a checkpoint when it is time, and tells up to where the log may be purged. The flush
     * does not hold up the updater; what counts is the last finished checkpoint.
     */
    @Override
    public long takeSnapshot() {
        boolean due = entriesSince >= rule.entries() || bytesSince >= rule.bytes();
        long applied = getLastAppliedTermIndex().getIndex();
        boolean replaying = applied < storedBefore;
        if (due && !replaying && !checkpointing && !stopping && state.hasRoom()) {
            checkpointing = true;
            entriesSince = 0;
            bytesSince = 0;
            background.execute(this::checkpoint);
        }
        long purge = state.checkpoints().purgeIndex();
        if (purge <= purged || purge > applied) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        purged = purge;
        return purge;
    }

    private void checkpoint() {
        try {
            state.checkpoint();
            LOG.info("made checkpoint {}", state.checkpoints().newest());
        } catch (IOException | RuntimeException e) {
            LOG.warn("no checkpoint, the log grows on: {}", e.toString());
        } finally {
            checkpointing = false;
        }
    }

    /** Called with the received checkpoint in the scratch directory, before it is renamed. */
    @Override
    public void pause() {
        getLifeCycle().transition(LifeCycle.State.PAUSING);
        try {
            state.checkpoints().forceReceived();
        } catch (IOException e) {
            fatal.stop("a received checkpoint cannot be made durable", e);
        }
        getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    /** Called on the updater thread after a checkpoint was received. */
    @Override
    public void reinitialize() throws IOException {
        try {
            Position position = state.install();
            begin(position);
            storedBefore = state.namespace().appliedIndex();
            LOG.info("installed checkpoint {}", position);
        } catch (IOException | RuntimeException e) {
            fatal.stop("a received checkpoint cannot be installed", e);
            throw e;
        }
        getLifeCycle().transition(LifeCycle.State.STARTING);
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    /** Goes on from a checkpoint. */
    private void begin(Position position) {
        setLastAppliedTermIndex(TermIndex.valueOf(position.term(), position.index()));
        purged = position.index();
        entriesSince = 0;
        bytesSince = 0;
    }

    /**
     * Announces that {@link #close} is wanted; then waits for a checkpoint that is being made.
     *
     * @throws IllegalStateException when that takes too long: the store must not be closed under
     *     it. The end of the process ends it, and the next start discards it.
     */
    void stop() {
        stopping = true;
        background.shutdown();
        try {
            if (!background.awaitTermination(CHECKPOINT_LIMIT_S, TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        "a checkpoint is still being made after " + CHECKPOINT_LIMIT_S + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Called by Ratis when the division stops, also when it does so on its own. */
    @Override
    public void close() {
        if (!stopping) {
            fatal.stop("Ratis stopped", null);
        }
    }
}
