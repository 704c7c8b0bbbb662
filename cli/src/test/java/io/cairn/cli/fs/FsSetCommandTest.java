package io.cairn.cli.fs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import org.junit.jupiter.api.Test;

final class FsSetCommandTest {
    /** Anybody may make a file whose name speaks to the terminal of who lists it. */
    @Test
    void namesOfFilesThatAreLeftSpeakToNoTerminal() {
        String line =
                FsSetCommand.leftLine(
                        "/mnt/\u001b]0;x\u0007\n\u202efdp.exe", new FsException(Errno.EIO, "bad"));
        assertEquals("  /mnt/\\x1b]0;x\\x07\\x0a\\u{202e}fdp.exe: bad", line);
    }
}
