package io.cairn.chunk.store.pack;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SlotTableTest {
    private static final int PAGE = 4096;
    private static final int LOG2 = 22;
    private static final int SLOT = 64 << 10;

    /** Words of a text, random bytes, or something of both. */
    private static byte[] contents(Random random, int bytes) {
        byte[] contents = new byte[bytes];
        random.nextBytes(contents);
        int noise = random.nextInt(3) * 64;
        for (int i = 0; i < bytes; i++) {
            if (random.nextInt(128) >= noise) {
                contents[i] = (byte) ('a' + i * (i / 16) % 19);
            }
        }
        return contents;
    }

    private static SlotTable again(SlotTable table, int lengthBytes) {
        ByteBuffer page = ByteBuffer.allocate(PAGE);
        table.encode(page);
        SlotTable read = SlotTable.decode(page.clear(), LOG2, lengthBytes);
        assertNotNull(read);
        return read;
    }

    @Property(tries = 100)
    void whatIsPackedComesBack(
            @ForAll long seed,
            @ForAll Codec codec,
            @ForAll @IntRange(min = 1, max = SLOT) int bytes) {
        Random random = new Random(seed);
        byte[] contents = contents(random, bytes);
        SlotTable table = new SlotTable(codec, LOG2, SLOT + bytes);
        SlotTable.Packer packer = table.packer();
        System.arraycopy(contents, 0, packer.plain(), 0, bytes);
        ByteBuffer packed = packer.pack(1);
        byte[] stored = new byte[packed.remaining()];
        packed.get(packed.position(), stored);
        assertTrue(stored.length <= bytes);

        SlotTable read = again(table, SLOT + bytes);
        assertEquals(0, read.storedBytes(0));
        assertEquals(stored.length, read.storedBytes(1));
        assertEquals((stored.length + PAGE - 1) / PAGE, read.storedBlocks());
        SlotTable.Packer other = read.packer();
        other.unpack(1, ByteBuffer.wrap(stored));
        assertArrayEquals(Arrays.copyOf(contents, SLOT), other.plain());

        stored[random.nextInt(stored.length)] ^= (byte) (1 + random.nextInt(255));
        other.unpack(1, ByteBuffer.wrap(stored));
        assertArrayEquals(new byte[SLOT], other.plain(), "damage gives zeros");
        other.unpack(1, ByteBuffer.wrap(stored, 0, stored.length - 1));
        assertArrayEquals(new byte[SLOT], other.plain(), "a part gives zeros");
    }

    @Test
    void everyChangedByteOfTheTableIsNoticed() {
        SlotTable table = new SlotTable(Codec.LZ4, LOG2, 3 * SLOT);
        table.packer().pack(0);
        ByteBuffer page = ByteBuffer.allocate(PAGE);
        table.encode(page);
        int used = page.position();
        for (int i = 0; i < used; i++) {
            page.put(i, (byte) ~page.get(i));
            assertNull(SlotTable.decode(page.clear(), LOG2, 3 * SLOT), "byte " + i);
            page.put(i, (byte) ~page.get(i));
        }
        assertNotNull(SlotTable.decode(page.clear(), LOG2, 3 * SLOT));
        assertNull(SlotTable.decode(page.clear(), LOG2 + 3, 3 * SLOT), "another size");
        assertNull(SlotTable.decode(page.clear(), LOG2, 3 * SLOT - 1), "another length");
    }

    @Test
    void theTableOfEveryChunkFitsItsPage() {
        for (int log2 = 16; log2 <= 26; log2++) {
            SlotTable table = new SlotTable(Codec.ZSTD, log2, 1 << log2);
            assertEquals(1 << log2, table.slots() * table.slotBytes());
            assertEquals(0, table.storedBytes(table.slots()), "behind the end");
            table.encode(ByteBuffer.allocate(PAGE));
        }
    }
}
