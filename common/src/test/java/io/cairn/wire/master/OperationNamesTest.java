package io.cairn.wire.master;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.wire.RandomRecords;
import io.cairn.wire.TypeTable;
import io.cairn.wire.TypedMessage;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.ChunkRequestType;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class OperationNamesTest {
    private static <T extends TypedMessage> void check(Class<T> sealed, TypeTable<?> table) {
        for (Class<?> leaf : RandomRecords.leavesOf(sealed)) {
            T message = sealed.cast(new RandomRecords(new Random(1)).of(leaf));
            String expected =
                    leaf.getSimpleName()
                            .replaceAll("([a-z])([A-Z])", "$1_$2")
                            .toLowerCase(Locale.ROOT);
            assertEquals(expected, table.title(message.type().code()));
        }
    }

    @Test
    void everyRequestHasItsName() {
        check(Mutation.class, MutationType.TABLE);
        check(Query.class, QueryType.TABLE);
        check(ClusterRequest.class, ClusterRequestType.TABLE);
        check(ChunkRequest.class, ChunkRequestType.TABLE);
    }

    @Test
    void framesAreNamedByTheirFirstBytes() {
        byte[] envelope =
                new Envelope(7, 1, 0, 0, new TreeMutation.Unlink(1, io.cairn.fs.Name.of("a")))
                        .toBytes();
        byte[] frame = new byte[envelope.length + 1];
        frame[0] = (byte) MasterRequest.MUTATION.code();
        System.arraycopy(envelope, 0, frame, 1, envelope.length);
        assertEquals("unlink", OperationNames.ofMaster(frame));
        assertEquals("open", OperationNames.ofMaster(MasterRequest.query(7, new Query.Open(1), 1)));
        assertEquals("verify", OperationNames.ofChunk(new byte[] {14, 0, 0}));
    }

    @Test
    void whatIsNotKnownHasOneName() {
        for (byte[] frame : new byte[][] {{}, {1}, {1, 2, 3}, {2, 0}, {9, 9}, {-1, 1}, {3, 77}}) {
            assertEquals("other", OperationNames.ofMaster(frame));
        }
        assertEquals("other", OperationNames.ofChunk(new byte[0]));
        assertEquals("other", OperationNames.ofChunk(new byte[] {99}));
    }
}
