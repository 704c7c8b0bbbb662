package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.raft.member.Peer;
import io.cairn.master.store.FormatException;
import io.cairn.master.store.FormatFile;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.master.store.StoreSettings;
import io.cairn.metadata.Outcome;
import io.cairn.metadata.state.Notice;
import io.cairn.runtime.Clock;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The machine by itself: what Ratis does to it, done by hand. */
class NamespaceMachineTest {
    private static final CheckpointRule OFTEN = new CheckpointRule(1, 1 << 20);

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private final List<String> fatal = new ArrayList<>();
    private final List<Group> proposed = new ArrayList<>();
    private final Combiner combiner =
            new Combiner(Clock.system(), 2, 1, Runnable::run, proposed::add);
    private final ClientId clientId = ClientId.randomId();
    private @Nullable ReplicatedState opened;

    @BeforeEach
    void setUp() throws IOException {
        opened = open();
    }

    @AfterEach
    void tearDown() {
        state().close();
    }

    @Test
    void appliesSkipsWhatIsAppliedAndTellsThePlaceOfTheReplay() throws IOException {
        NamespaceMachine machine = machine();
        apply(machine, 0, group(found(7)));
        machine.notifyTermIndexUpdated(1, 1);
        apply(machine, 2, group(found(7)));
        assertEquals(2, state().namespace().appliedIndex());
        assertEquals(7, state().namespace().clusterId());

        // A restart without a checkpoint replays all of it.
        state().close();
        opened = open();
        machine = machine();
        assertEquals(2, state().namespace().appliedIndex());
        assertEquals(-1, machine.getLastAppliedTermIndex().getIndex());
        apply(machine, 0, group(found(7)));
        assertEquals(0, machine.getLastAppliedTermIndex().getIndex());
        machine.notifyTermIndexUpdated(1, 1);
        apply(machine, 2, group(found(7)));
        apply(machine, 3, group(found(7)));
        assertEquals(3, state().namespace().appliedIndex());
        assertEquals(List.of(), fatal);
    }

    @Test
    void aMasterAloneAppliesWhatIsForcedAndTheUpdaterTakesNote() throws Exception {
        NamespaceMachine machine = machine(true);
        CompletableFuture<Outcome> reply = propose();
        TransactionContext logged = log(machine, 0);
        Future<?> forced = machine.flush(0);
        assertFalse(reply.isDone(), "nothing is forced before the writer asks");
        forced.get();
        assertTrue(reply.isDone());
        assertEquals(7, state().namespace().clusterId());
        assertEquals(-1, machine.getLastAppliedTermIndex().getIndex());
        byte[] fingerprint = state().namespace().fingerprint();

        apply(machine, logged);
        assertEquals(0, machine.getLastAppliedTermIndex().getIndex());
        assertArrayEquals(fingerprint, state().namespace().fingerprint());
        assertEquals(List.of(), fatal);
    }

    @Test
    void whatIsNotForcedWaits() throws Exception {
        NamespaceMachine machine = machine(true);
        CompletableFuture<Outcome> first = propose();
        log(machine, 0);
        CompletableFuture<Outcome> second = propose();
        log(machine, 1);
        machine.flush(0).get();
        assertTrue(first.isDone());
        assertFalse(second.isDone());
        machine.flush(1).get();
        assertTrue(second.isDone());
        assertEquals(1, state().namespace().appliedIndex());
    }

    @Test
    void whatTheUpdaterHasToApplyFirstHoldsUpTheRest() throws Exception {
        NamespaceMachine machine = machine(true);
        CompletableFuture<Outcome> reply = propose();
        TransactionContext logged = log(machine, 1);
        machine.flush(1).get();
        assertFalse(reply.isDone(), "the entry before it is not applied");
        machine.notifyTermIndexUpdated(1, 0);
        apply(machine, logged);
        assertTrue(reply.isDone());

        CompletableFuture<Outcome> next = propose();
        log(machine, 2);
        machine.flush(2).get();
        assertTrue(next.isDone());
        assertEquals(List.of(), fatal);
    }

    @Test
    void whatCouldNotBeLoggedDoesNotHoldUpTheRest() throws Exception {
        NamespaceMachine machine = machine(true);
        CompletableFuture<Outcome> lost = propose();
        machine.preAppendTransaction(start(machine));
        combiner.failed(proposed.getLast(), new FsException(Errno.NOT_READY, "full"));
        assertTrue(lost.isCompletedExceptionally());
        CompletableFuture<Outcome> reply = propose();
        log(machine, 0);
        machine.flush(0).get();
        assertTrue(reply.isDone());
    }

    @Test
    void withOtherMastersForcedIsNotCommitted() throws Exception {
        NamespaceMachine machine = machine(false);
        CompletableFuture<Outcome> reply = propose();
        TransactionContext logged = log(machine, 0);
        machine.flush(0).get();
        assertFalse(reply.isDone());
        apply(machine, logged);
        assertTrue(reply.isDone());
    }

    @Test
    void theLogIsNotPurgedAheadOfTheUpdater() throws Exception {
        NamespaceMachine machine = machine(true);
        List<TransactionContext> logged = new ArrayList<>();
        for (int index = 0; index < 3; index++) {
            CompletableFuture<Outcome> reply = propose();
            logged.add(log(machine, index));
            machine.flush(index).get();
            assertTrue(reply.isDone());
            state().checkpoint();
        }
        assertEquals(1, state().checkpoints().purgeIndex());
        apply(machine, logged.get(0));
        assertEquals(-1, machine.takeSnapshot());
        apply(machine, logged.get(1));
        assertEquals(1, machine.takeSnapshot());
        machine.stop();
    }

    private CompletableFuture<Outcome> propose() {
        return combiner.submit(found(7), 0);
    }

    /** What Ratis does with the newest proposal until it is written. */
    private TransactionContext log(NamespaceMachine machine, long index) {
        TransactionContext transaction = machine.preAppendTransaction(start(machine));
        transaction.initLogEntry(1, index);
        return transaction;
    }

    private TransactionContext start(NamespaceMachine machine) {
        Group group = proposed.getLast();
        return machine.startTransaction(
                RaftClientRequest.newBuilder()
                        .setClientId(clientId)
                        .setServerId(RaftPeerId.valueOf("m1"))
                        .setGroupId(RaftGroupId.randomId())
                        .setCallId(group.number())
                        .setMessage(Message.valueOf(ByteString.copyFrom(group.entry())))
                        .setType(RaftClientRequest.writeRequestType())
                        .build());
    }

    @Test
    void announcementsAreNotTheNamespacesBusiness() throws IOException {
        NamespaceMachine machine = machine();
        Endpoint client = new Endpoint("host", 77);
        apply(machine, 0, LeaderEndpoints.entry("m3", client));
        assertEquals(client, state().endpointOf("m3"));
        assertEquals(0, state().namespace().appliedIndex());
        state().checkpoint();
        state().close();
        opened = open();
        assertEquals(client, state().endpointOf("m3"));
        assertEquals(List.of(), fatal);
    }

    @Test
    void anEntryThatCannotBeAppliedIsFatal() {
        NamespaceMachine machine = machine();
        state().close();
        assertThrows(IllegalStateException.class, () -> apply(machine, 0, group(found(7))));
        assertEquals(List.of("log entry 0 cannot be applied"), fatal);
        assertThrows(RuntimeException.class, () -> machine.notifyTermIndexUpdated(1, 1));
        assertEquals(2, fatal.size());
    }

    @Test
    void aLogThatCannotBeWrittenIsFatal() {
        machine().notifyLogFailed(new IOException("disk"), null);
        assertEquals(List.of("the Raft log cannot be written"), fatal);
    }

    @Test
    void whenRatisStopsByItselfThatIsFatal() {
        NamespaceMachine machine = machine();
        machine.stop();
        machine.close();
        assertEquals(List.of(), fatal);
        machine().close();
        assertEquals(List.of("Ratis stopped"), fatal);
    }

    @Test
    void anotherClustersDatabaseIsForeign() throws IOException {
        apply(machine(), 0, group(found(7)));
        state().close();
        Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
        FormatFile format = FormatFile.open(elsewhere, "m1");
        format.adopt(8);
        FormatException error =
                assertThrows(
                        FormatException.class,
                        () -> new ReplicatedState(directory, format, StoreSettings.standard()));
        assertEquals(FormatException.Fault.FOREIGN, error.fault());
    }

    private static byte[] found(long cluster) {
        return new Envelope(0, 1, 0, 1, new LeaderMutation.Found(cluster, 1, 4096)).toBytes();
    }

    private static byte[] group(byte[] envelope) {
        return new Encoder().bytes(envelope).toBytes();
    }

    private static void apply(NamespaceMachine machine, long index, byte[] bytes) {
        LogEntryProto entry =
                LogEntryProto.newBuilder()
                        .setTerm(1)
                        .setIndex(index)
                        .setStateMachineLogEntry(
                                StateMachineLogEntryProto.newBuilder()
                                        .setLogData(ByteString.copyFrom(bytes)))
                        .build();
        TransactionContext transaction =
                TransactionContext.newBuilder()
                        .setStateMachine(machine)
                        .setLogEntry(entry)
                        .setServerRole(RaftPeerRole.FOLLOWER)
                        .build();
        apply(machine, transaction);
    }

    private static void apply(NamespaceMachine machine, TransactionContext transaction) {
        assertFalse(machine.applyTransaction(transaction).isCompletedExceptionally());
    }

    private ReplicatedState open() throws IOException {
        return new ReplicatedState(
                directory, FormatFile.open(directory, "m1"), StoreSettings.standard());
    }

    private ReplicatedState state() {
        ReplicatedState state = opened;
        assertNotNull(state);
        return state;
    }

    private NamespaceMachine machine() {
        return machine(false);
    }

    private NamespaceMachine machine(boolean alone) {
        NamespaceMachine machine =
                new NamespaceMachine(
                        state(),
                        settings(alone ? 1 : 3),
                        clientId.toByteString(),
                        combiner,
                        new Deaf(),
                        (what, cause) -> fatal.add(what));
        machine.setAlone(alone);
        return machine;
    }

    private RatisSettings settings(int masters) {
        Endpoint nowhere = new Endpoint("host", 1);
        return new RatisSettings(
                "m1",
                directory,
                new RatisSettings.Members(
                        IntStream.rangeClosed(1, masters)
                                .mapToObj(i -> new Peer("m" + i, nowhere))
                                .toList(),
                        true),
                nowhere,
                StoreSettings.standard(),
                OFTEN);
    }

    /** Hears nothing. */
    private static final class Deaf implements NamespaceMachine.Events {
        @Override
        public void leading() {}

        @Override
        public void following() {}

        @Override
        public void notices(List<Notice> notices) {}
    }
}
