package io.cairn.metadata.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.metadata.state.StateHash.Mark;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateHashTest {
    private static Change put(String key, String value) {
        return new Change(
                Family.XATTR,
                key.getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8));
    }

    /** The marks after so many entries; a master that starts anew at some of them. */
    private static List<Mark> run(int entries, int differsAt, int restartAt) {
        MemoryStore store = new MemoryStore();
        StateHash hash = StateHash.load(store);
        for (int index = 0; index < entries; index++) {
            if (index == restartAt) {
                hash = StateHash.load(store);
            }
            List<Change> changes =
                    index % 7 == 0
                            ? List.of()
                            : List.of(put("k" + index % 5, index == differsAt ? "x" : "v" + index));
            store.commit(hash.follow(changes, index), 1, index);
        }
        return hash.marks();
    }

    @Test
    void theSameEntriesMakeTheSameHashAcrossRestarts() {
        List<Mark> marks = run(1500, -1, -1);
        assertTrue(marks.stream().anyMatch(mark -> mark.index() == 1024), marks.toString());
        List<Mark> restarted = run(1500, -1, 1300);
        assertEquals(marks.subList(marks.size() - 3, marks.size()), restarted);
    }

    @Test
    void oneOtherValueIsSeenForEver() {
        List<Mark> right = run(1500, -1, -1);
        List<Mark> wrong = run(1500, 17, -1);
        for (int i = 1; i < right.size(); i++) {
            assertEquals(right.get(i).index(), wrong.get(i).index());
            assertNotEquals(right.get(i).hash(), wrong.get(i).hash());
        }
    }

    @Test
    void theOrderWithinABatchCountsNotButADeletionDoes() {
        StateHash one = StateHash.load(new MemoryStore());
        StateHash other = StateHash.load(new MemoryStore());
        List<Change> ab = one.follow(List.of(put("a", "1"), put("b", "2")), 0);
        List<Change> ba = other.follow(List.of(put("b", "2"), put("a", "1")), 0);
        assertEquals(
                java.util.HexFormat.of().formatHex(ab.getLast().value()),
                java.util.HexFormat.of().formatHex(ba.getLast().value()));
        StateHash third = StateHash.load(new MemoryStore());
        List<Change> gone =
                third.follow(
                        List.of(put("b", "2"), new Change(Family.XATTR, new byte[] {'a'}, null)),
                        0);
        assertNotEquals(
                java.util.HexFormat.of().formatHex(ab.getLast().value()),
                java.util.HexFormat.of().formatHex(gone.getLast().value()));
    }
}
