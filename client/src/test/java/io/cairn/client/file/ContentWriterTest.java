package io.cairn.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class ContentWriterTest {
    @Test
    void whatIsMissingLiesBeyondTheEndOrInHoles() {
        assertEquals(0, ContentWriter.missing(100, 100, 0, 100));
        assertEquals(0, ContentWriter.missing(100, 4096, 10, 20), "stored in whole blocks");
        assertEquals(50, ContentWriter.missing(100, 100, 50, 100));
        assertEquals(50, ContentWriter.missing(100, 4096, 500, 50), "all of it is beyond the end");
        assertEquals(30, ContentWriter.missing(100, 70, 0, 100), "no more than there are holes");
        assertEquals(10, ContentWriter.missing(100, 70, 20, 10), "and than the range is long");
        assertEquals(80, ContentWriter.missing(100, 70, 50, 100));
        long most = Long.MAX_VALUE;
        assertEquals(most, ContentWriter.missing(0, 0, 0, most));
        assertEquals(most - 1, ContentWriter.missing(most, 1, 0, most));
    }
}
