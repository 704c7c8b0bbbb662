package io.cairn.client.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.wire.master.ContentMutation.Patch;
import io.cairn.wire.master.ContentMutation.WriteInline;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contents in the inode: what is written here, and what the master has told. */
class InlineContentsTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static void write(InlineContents contents, int offset, String text) {
        contents.write(offset, ByteBuffer.wrap(bytes(text)));
    }

    /** The array of the master is that of an inode which others read without a lock. */
    @Test
    void writingLeavesWhatTheMasterToldAsItIs() {
        byte[] told = bytes("abcdef");
        InlineContents contents = new InlineContents(told);
        write(contents, 2, "XY");
        write(contents, 3, "Z");
        assertArrayEquals(bytes("abcdef"), told);
        assertArrayEquals(bytes("abXZef"), contents.copy(6));

        byte[] newer = bytes("ABCDEF");
        contents.rebase(newer);
        write(contents, 0, "0");
        assertArrayEquals(bytes("ABCDEF"), newer);
        assertArrayEquals(bytes("0BXZEF"), contents.copy(6));
    }

    @Test
    void whatIsToldStaysAsItWasWhenItIsWrittenAgain() {
        InlineContents contents = new InlineContents(new byte[0]);
        write(contents, 0, "abc");
        List<Patch> told = contents.beginTelling();
        write(contents, 1, "Z");
        assertEquals(1, told.size());
        assertEquals(0, told.get(0).offsetBytes());
        assertEquals(ByteBuffer.wrap(bytes("abc")), told.get(0).bytes());
        contents.told();
        List<Patch> later = contents.beginTelling();
        assertEquals(1, later.get(0).offsetBytes());
        assertEquals(ByteBuffer.wrap(bytes("Z")), later.get(0).bytes());
    }

    /** All of it is told without a copy: the array must not change any more. */
    @Test
    void whatIsToldAsAWholeStaysAsItWas() {
        InlineContents contents = new InlineContents(new byte[0]);
        write(contents, 0, "abc");
        Patch told = contents.beginTelling().get(0);
        WriteInline write = new WriteInline(1, 0, List.of(told), 3, 0);
        byte[] master = write.applyTo(new byte[0]);
        write(contents, 0, "XY");
        write(contents, 2, "Z");
        assertEquals(ByteBuffer.wrap(bytes("abc")), told.bytes());
        assertArrayEquals(bytes("abc"), master);
        assertArrayEquals(bytes("XYZ"), contents.copy(3));
    }
}
