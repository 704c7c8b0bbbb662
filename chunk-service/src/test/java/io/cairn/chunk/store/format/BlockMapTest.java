package io.cairn.chunk.store.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.wire.Crc32c;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Entries, sums and allocation of blocks. */
class BlockMapTest {
    private final BlockMap map = new BlockMap(16);

    @Test
    void newMapIsAllHoles() {
        assertEquals(16, map.blocks());
        assertEquals(0, map.sum());
        assertEquals(0, map.allocatedBytes());
        assertEquals(Crc32c.ZERO_BLOCK, map.crc(3));
    }

    @Test
    void sumDependsOnEveryEntryAndItsPlace() {
        map.setEntry(1, 77);
        long one = map.sum();
        map.setEntry(2, 77);
        map.setEntry(1, 0);
        assertNotEquals(one, map.sum());
        map.setEntry(2, 0);
        assertEquals(0, map.sum());
    }

    @Test
    void sumDoesNotDependOnTheWayThere() {
        Random random = new Random(4);
        for (int i = 0; i < 1000; i++) {
            map.setEntry(random.nextInt(16), random.nextInt());
        }
        BlockMap other = new BlockMap(16);
        for (int i = 0; i < 16; i++) {
            other.setEntry(i, map.entry(i));
        }
        assertEquals(other.sum(), map.sum());
    }

    @Test
    void encodesAsTheTableOnDisk() {
        map.setEntry(0, 5);
        map.setEntry(15, -1);
        ByteBuffer table = ByteBuffer.allocate(64);
        map.encode(0, 16, table);
        BlockMap other = new BlockMap(16);
        other.decode(table.flip());
        assertEquals(map.sum(), other.sum());
        BlockMap cut = new BlockMap(16);
        cut.decode(table.position(0).limit(63));
        assertEquals(0, cut.entry(15));
    }

    @Test
    void countsAllocatedBlocks() {
        map.setAllocated(0, true);
        map.setAllocated(7, true);
        map.setAllocated(7, true);
        map.setAllocated(8, true);
        assertEquals(3 * 4096, map.allocatedBytes());
        assertTrue(map.isAllocated(7));
        map.setAllocated(7, false);
        assertFalse(map.isAllocated(7));
        BlockMap other = new BlockMap(16);
        other.setBitmap(map.bitmap());
        assertEquals(2 * 4096, other.allocatedBytes());
        assertTrue(other.isAllocated(8));
    }
}
