package io.cairn.fuse.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandleTableTest {
    private final HandleTable<String> table = new HandleTable<>();

    private void isUnknown(long number) {
        FsException e = assertThrows(FsException.class, () -> table.get(number));
        assertEquals(Errno.EBADF, e.errno());
    }

    @Test
    void growsAndFindsAll() {
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            numbers.add(table.add("v" + i));
        }
        for (int i = 0; i < 1000; i++) {
            assertEquals("v" + i, table.get(numbers.get(i)));
        }
        assertEquals(1000, table.drain().size());
        isUnknown(numbers.get(7));
    }

    @Test
    void aNumberIsNotUsedTwice() {
        long first = table.add("a");
        assertEquals("a", table.remove(first));
        long second = table.add("b");
        assertNotEquals(first, second);
        isUnknown(first);
        assertEquals("b", table.get(second));
    }

    @Test
    void numbersThatWereNeverGivenAreUnknown() {
        isUnknown(0);
        isUnknown(-1);
        isUnknown(1L << 40);
        isUnknown(Long.MAX_VALUE);
    }
}
