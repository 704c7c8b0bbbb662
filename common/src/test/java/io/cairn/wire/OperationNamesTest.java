package io.cairn.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Locale;
import java.util.Random;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

final class OperationNamesTest {
    private interface Names {
        String of(int code);
    }

    private static <T> void check(Class<T> sealed, ToIntFunction<T> codes, Names names) {
        for (Class<?> leaf : RandomRecords.leavesOf(sealed)) {
            T message = sealed.cast(new RandomRecords(new Random(1)).of(leaf));
            String expected =
                    leaf.getSimpleName()
                            .replaceAll("([a-z])([A-Z])", "$1_$2")
                            .toLowerCase(Locale.ROOT);
            assertEquals(expected, names.of(codes.applyAsInt(message)));
        }
    }

    @Test
    void everyRequestHasItsName() {
        check(Mutation.class, Mutation::code, OperationNames::ofMutation);
        check(Query.class, Query::code, OperationNames::ofQuery);
        check(ClusterRequest.class, ClusterRequest::code, OperationNames::ofCluster);
        check(ChunkRequest.class, ChunkRequest::code, OperationNames::ofChunk);
    }

    @Test
    void framesAreNamedByTheirFirstBytes() {
        byte[] envelope =
                new Envelope(7, 1, 0, 0, new TreeMutation.Unlink(1, io.cairn.fs.Name.of("a")))
                        .toBytes();
        byte[] frame = new byte[envelope.length + 1];
        frame[0] = MasterRequest.MUTATION;
        System.arraycopy(envelope, 0, frame, 1, envelope.length);
        assertEquals("unlink", OperationNames.ofMaster(frame));
        assertEquals("open", OperationNames.ofMaster(MasterRequest.query(7, new Query.Open(1), 1)));
        assertEquals("verify", OperationNames.ofChunk(new byte[] {14, 0, 0}));
    }

    @Test
    void whatIsNotKnownHasOneName() {
        for (byte[] frame : new byte[][] {{}, {1}, {1, 2, 3}, {2, 0}, {9, 9}, {3, 77}}) {
            assertEquals("other", OperationNames.ofMaster(frame));
        }
        assertEquals("other", OperationNames.ofChunk(new byte[0]));
        assertEquals("other", OperationNames.ofChunk(new byte[] {99}));
    }
}
