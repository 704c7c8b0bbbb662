package io.cairn.nfs.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class XdrTest {
    @Property(tries = 200)
    void whatIsWrittenIsRead(
            @ForAll int number,
            @ForAll long large,
            @ForAll boolean flag,
            @ForAll @Size(max = 300) byte[] data) {
        ByteBuf buffer = Unpooled.buffer();
        new XdrWriter(buffer).i32(number).i64(large).bool(flag).opaque(data).fixed(data);
        assertEquals(0, buffer.readableBytes() % 4, "everything is a multiple of four bytes");
        XdrReader in = new XdrReader(buffer);
        assertEquals(number, in.i32());
        assertEquals(large, in.i64());
        assertEquals(flag, in.bool());
        assertArrayEquals(data, in.opaque(300));
        assertArrayEquals(data, in.fixed(data.length));
        assertFalse(buffer.isReadable());
    }

    @Property(tries = 500)
    void randomBytesAreReadOrRefusedWithoutReadingBeyond(@ForAll @Size(max = 64) byte[] bytes) {
        XdrReader in = new XdrReader(Unpooled.wrappedBuffer(bytes));
        try {
            assertTrue(in.opaque(40).length <= 40);
            in.slice(40);
            in.bool();
            in.choice(2);
            in.i64();
        } catch (XdrException e) {
            assertTrue(String.valueOf(e.getMessage()).length() > 3);
        }
    }

    @Test
    void lengthsAreCheckedBeforeAnythingIsAllocated() {
        for (int length : new int[] {-1, Integer.MAX_VALUE, 41, 9}) {
            ByteBuf buffer = Unpooled.buffer().writeInt(length).writeLong(0);
            assertThrows(XdrException.class, () -> new XdrReader(buffer).opaque(40), "" + length);
        }
    }

    @Test
    void booleansAndChoicesHaveNoOtherValues() {
        assertThrows(XdrException.class, () -> new XdrReader(Unpooled.buffer().writeInt(2)).bool());
        assertThrows(
                XdrException.class, () -> new XdrReader(Unpooled.buffer().writeInt(3)).choice(2));
        assertThrows(
                XdrException.class, () -> new XdrReader(Unpooled.buffer().writeInt(-1)).choice(2));
    }

    @Test
    void resetTakesBackThePayload() {
        ByteBuf buffer = Unpooled.buffer();
        XdrWriter out = new XdrWriter(buffer);
        ByteBuf payload = out.i32(1).allocate(8);
        out.payload(payload.writeLong(1));
        out.reset();
        assertEquals(0, payload.refCnt());
        assertEquals(0, buffer.readableBytes());
    }
}
