package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.cluster.Endpoint;
import io.cairn.master.namespace.Notice;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.store.FormatException;
import io.cairn.master.store.FormatFile;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.master.store.StoreSettings;
import io.cairn.runtime.Clock;
import io.cairn.wire.Encoder;
import io.cairn.wire.Envelope;
import io.cairn.wire.LeaderMutation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The machine by itself: what Ratis does to it, done by hand. */
class NamespaceMachineTest {
    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private final List<String> fatal = new ArrayList<>();
    private final Combiner combiner = new Combiner(Clock.system(), 2, 1, group -> {});
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
    void announcementsAreNotTheNamespacesBusiness() throws IOException {
        NamespaceMachine machine = machine();
        Endpoint client = new Endpoint("host", 77);
        apply(machine, 0, Announcements.entry("m3", client));
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
        return new NamespaceMachine(
                state(),
                CheckpointRule.standard(),
                ClientId.randomId().toByteString(),
                combiner,
                new Deaf(),
                (what, cause) -> fatal.add(what));
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
