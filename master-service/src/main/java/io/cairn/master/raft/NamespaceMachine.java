package io.cairn.master.raft;

import io.cairn.master.namespace.Namespace;
import io.cairn.master.namespace.Notice;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.store.Position;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
 * Ratis' state machine: applies entries to the replicated state, in log order, on Ratis' updater
 * thread, and answers the callers of this process.
 *
 * <p>After a start Ratis replays from the newest checkpoint, but the store may be further: entries
 * up to its position are skipped. What this class tells Ratis is the place of the replay, never the
 * position of the store, so that it does not go backwards.
 *
 * <p>Ratis only logs what goes wrong in here and counts the entry as applied. So whatever goes
 * wrong ends the process through {@code fatal}: the next start replays.
 */
final class NamespaceMachine extends BaseStateMachine {
    private static final Logger LOG = LoggerFactory.getLogger(NamespaceMachine.class);
    private static final CompletableFuture<Message> DONE =
            CompletableFuture.completedFuture(Message.EMPTY);

    private final ReplicatedState state;
    private final CheckpointRule rule;
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

    // Of the updater thread: what was applied since the newest checkpoint began.
    private long entriesSince;
    private long bytesSince;

    /** What Ratis thinks is the newest checkpoint; must not decrease. */
    private long purged = RaftLog.INVALID_LOG_INDEX;

    /** Hears what happens, on the updater thread or with Ratis' locks held: must not block. */
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
            CheckpointRule rule,
            ByteString clientId,
            Combiner combiner,
            Events listener,
            Fatal fatal) {
        this.state = state;
        this.rule = rule;
        this.clientId = clientId;
        this.combiner = combiner;
        this.listener = listener;
        this.fatal = fatal;
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage)
            throws IOException {
        super.initialize(server, group, storage);
        Position newest = state.shelf().newest();
        if (newest != null) {
            begin(newest);
        }
        getLifeCycle().transition(LifeCycle.State.STARTING);
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return state.shelf();
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
            group.markLogged();
        }
        return transaction;
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        StateMachineLogEntryProto logged = entry.getStateMachineLogEntry();
        // Not through the context of the transaction: the updater may be faster than Ratis
        // remembers it.
        Group group =
                clientId.equals(logged.getClientId())
                        ? combiner.inFlight(logged.getCallId())
                        : null;
        try {
            byte[] bytes = group != null ? group.entry() : logged.getLogData().toByteArray();
            apply(entry.getTerm(), entry.getIndex(), bytes, group);
        } catch (Throwable e) {
            fatal.stop("log entry %d cannot be applied".formatted(entry.getIndex()), e);
            throw new IllegalStateException(e);
        }
        return DONE;
    }

    private void apply(long term, long index, byte[] bytes, @Nullable Group group)
            throws IOException {
        boolean isNew = index > state.namespace().appliedIndex();
        List<byte[]> replies = List.of();
        if (Announcements.isOne(bytes)) {
            state.announce(bytes);
            if (isNew) {
                state.namespace().advance(term, index);
            }
        } else {
            if (group == null) {
                combiner.observe(Combiner.timeOf(bytes));
            }
            if (isNew) {
                Namespace.Applied applied = state.apply(term, index, bytes);
                replies = applied.replies();
                tell(applied.notices());
            }
        }
        updateLastAppliedTermIndex(term, index);
        entriesSince++;
        bytesSince += bytes.length;
        if (group != null) {
            if (replies.size() != group.size()) {
                throw new IllegalStateException(
                        "%d replies to %d operations".formatted(replies.size(), group.size()));
            }
            combiner.applied(group, replies);
        }
    }

    private void tell(List<Notice> notices) {
        if (leading && !notices.isEmpty()) {
            listener.notices(notices);
        }
    }

    @Override
    public void notifyTermIndexUpdated(long term, long index) {
        try {
            if (index > state.namespace().appliedIndex()) {
                state.namespace().advance(term, index);
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
        boolean replaying = getLastAppliedTermIndex().getIndex() < state.namespace().appliedIndex();
        if (due && !replaying && !checkpointing && !stopping) {
            checkpointing = true;
            entriesSince = 0;
            bytesSince = 0;
            background.execute(this::checkpoint);
        }
        long purge = state.shelf().purgeIndex();
        if (purge <= purged) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        purged = purge;
        return purge;
    }

    private void checkpoint() {
        try {
            state.checkpoint();
            LOG.info("made checkpoint {}", state.shelf().newest());
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
            state.shelf().forceReceived();
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

    /** Announces that {@link #close} is wanted; then waits for a checkpoint that is being made. */
    void stop() {
        stopping = true;
        background.shutdown();
        try {
            if (!background.awaitTermination(30, TimeUnit.SECONDS)) {
                LOG.warn("a checkpoint is still being made; it will be discarded");
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
