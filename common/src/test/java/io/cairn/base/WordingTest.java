package io.cairn.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

final class WordingTest {
    @Test
    void nobodyNeedsToKnowTheClassesOfExceptions() {
        assertEquals("connection refused", Wording.of(new ConnectException()));
        assertEquals("no such file or directory", Wording.of(new NoSuchFileException("/a")));
        assertEquals("permission denied", Wording.of(new AccessDeniedException("/a")));
        assertEquals(
                "File name too long",
                Wording.of(new FileSystemException("/a", null, "File name too long")));
        assertEquals("the file system refused it", Wording.of(new FileSystemException("/a")));
        assertEquals("Input/output error", Wording.of(new IOException("Input/output error")));
        assertEquals("no reason was given", Wording.of(new IOException()));
    }

    @Test
    void nounsGoWithTheirNumbers() {
        assertEquals("1 copy", Wording.count(1, "copy"));
        assertEquals("2 copies", Wording.count(2, "copy"));
        assertEquals("0 chunk servers", Wording.count(0, "chunk server"));
        assertEquals("days", Wording.noun(3, "day"));
    }

    @Test
    void whatWrapsAnotherOneIsNotTold() {
        IOException cause = new IOException("Connection reset");
        assertEquals("Connection reset", Wording.of(new UncheckedIOException(cause)));
        assertEquals("Connection reset", Wording.of(new CompletionException(cause)));
        assertEquals("Connection reset", Wording.of(new ExecutionException(cause)));
        assertEquals("Connection reset", Wording.of(new IOException(cause)));
        assertEquals("no reason was given", Wording.of(new IOException(new IOException())));
    }
}
