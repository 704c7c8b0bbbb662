package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rehearsal works, and what was learned in it can be used. */
final class ClassArchiveTest {
    @TempDir private Path directory;

    @Test
    void processesStartWithWhatWasLearned() throws Exception {
        assertTrue(
                ClassArchive.options().stream().anyMatch(each -> each.startsWith("-XX:AOTCache=")),
                "see rehearsal.log below system-tests/target/class-archives");
        CairnProcess.Result result = CairnProcess.run(directory, "--version");
        assertEquals(0, result.exitCode(), result.output());
        assertTrue(result.output().startsWith("cairn "), result.output());
    }
}
