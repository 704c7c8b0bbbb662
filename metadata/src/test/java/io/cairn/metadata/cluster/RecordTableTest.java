package io.cairn.metadata.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordTableTest {
    private final MemoryStore store = new MemoryStore();
    private Namespace namespace = new Namespace(store);
    private long index;

    private Reply change(RecordChange... changes) {
        byte[] envelope =
                new Envelope(0, 0, 0, 0, new LeaderMutation.ChangeRecords(List.of(changes)))
                        .toBytes();
        byte[] entry =
                ByteBuffer.allocate(4 + envelope.length)
                        .putInt(envelope.length)
                        .put(envelope)
                        .array();
        byte[] reply = namespace.apply(1, ++index, entry).outcomes().getFirst().bytes();
        return Reply.decode(new Decoder(reply));
    }

    private static RecordChange put(String key, long expected, int value) {
        return new RecordChange(key, expected, new byte[] {(byte) value});
    }

    private void assertFails(Errno errno, RecordChange... changes) {
        assertEquals(errno, assertInstanceOf(Reply.Failure.class, change(changes)).errno());
    }

    private List<String> keys(String prefix, String after, int max) {
        return namespace.records(prefix, after, max).stream().map(AdminRecord::key).toList();
    }

    @Test
    void aRecordIsChangedOnlyInTheVersionThatWasSeen() {
        assertInstanceOf(Reply.Done.class, change(put("a/x", 0, 1)));
        assertFails(Errno.ESTALE, put("a/x", 0, 2));
        long version = namespace.records("a/x", "", 1).getFirst().version();
        assertInstanceOf(Reply.Done.class, change(put("a/x", version, 2)));
        assertFails(Errno.ESTALE, put("a/x", version, 3));
        assertFails(Errno.ESTALE, new RecordChange("a/x", version, null));
        AdminRecord record = namespace.records("a/", "", 9).getFirst();
        assertArrayEquals(new byte[] {2}, record.value());
        assertTrue(record.version() > version);
        assertInstanceOf(Reply.Done.class, change(put("a/x", RecordChange.ANY, 4)));
    }

    @Test
    void allChangesAreMadeOrNone() {
        change(put("a/x", 0, 1));
        assertFails(Errno.ESTALE, put("a/new", 0, 1), put("a/x", 0, 2));
        assertFails(Errno.EINVAL, put("a/new", 0, 1), put("a/new", 0, 2));
        assertFails(Errno.EINVAL, put("", 0, 1));
        assertFails(Errno.EINVAL, put("k".repeat(RecordChange.MAX_KEY_BYTES + 1), 0, 1));
        assertFails(
                Errno.E2BIG,
                new RecordChange("big", 0, new byte[RecordChange.MAX_VALUE_BYTES + 1]));
        assertEquals(List.of("a/x"), keys("", "", 9));
    }

    @Test
    void recordsAreListedByPrefixInPagesAndOutliveARestart() {
        change(put("b/1", 0, 1), put("b/2", 0, 2), put("b/3", 0, 3), put("c/1", 0, 1));
        assertEquals(List.of("b/1", "b/2"), keys("b/", "", 2));
        assertEquals(List.of("b/3"), keys("b/", "b/2", 2));
        namespace = new Namespace(store);
        change(new RecordChange("b/2", RecordChange.ANY, null));
        assertEquals(List.of("b/1", "b/3"), keys("b/", "", 9));
        assertEquals(List.of("c/1"), keys("c/", "", 9));
    }

    @Test
    void thereIsAnEndToRecords() {
        RecordChange[] many = new RecordChange[8192];
        for (int round = 0; round < RecordTable.MAX_RECORDS / many.length; round++) {
            for (int i = 0; i < many.length; i++) {
                many[i] = put("n/" + round + "/" + i, 0, 1);
            }
            assertInstanceOf(Reply.Done.class, change(many));
        }
        assertFails(Errno.ENOSPC, put("more", 0, 1));
        change(new RecordChange("n/0/0", RecordChange.ANY, null));
        assertInstanceOf(Reply.Done.class, change(put("more", 0, 1)));
    }
}
