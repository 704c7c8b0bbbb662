package io.cairn.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.wire.ContentMutation.Patch;
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
        assertArrayEquals(bytes("abc"), told.get(0).bytes());
        contents.told();
        List<Patch> later = contents.beginTelling();
        assertEquals(1, later.get(0).offsetBytes());
        assertArrayEquals(bytes("Z"), later.get(0).bytes());
    }
}
