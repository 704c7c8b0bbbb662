package io.cairn.metadata.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ViewTest {
    private final MemoryStore store = new MemoryStore();
    private final View view = new View(store, new InodeCache());

    @Test
    void nowIsTheOnlyMomentThatIsKept() {
        byte[] key = {1};
        store.commit(List.of(new Change(Family.GC, key, new byte[] {7})), 1, 1);
        assertArrayEquals(new byte[] {7}, view.at(Moment.NOW).get(Family.GC, key));
        FsException e = assertThrows(FsException.class, () -> view.at(new Moment(65_536)));
        assertEquals(Errno.EOPNOTSUPP, e.errno());
    }

    @Test
    void allEntriesOfOneFamilyAreVisitedInOrder() {
        store.commit(
                List.of(
                        new Change(Family.GC, new byte[] {2}, new byte[] {20}),
                        new Change(Family.GC, new byte[] {1}, new byte[] {10}),
                        new Change(Family.JOB, new byte[] {3}, new byte[] {30})),
                1,
                1);
        List<Integer> values = new ArrayList<>();
        view.each(Family.GC, (key, value) -> values.add((int) value[0]));
        assertEquals(List.of(10, 20), values);
    }
}
