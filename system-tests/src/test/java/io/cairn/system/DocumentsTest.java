package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Manual pages and completion. */
final class DocumentsTest {
    @TempDir private Path directory;

    @Test
    void everyCommandHasAPageAndBashCompletes() throws Exception {
        CommandResult result =
                CommandResult.of(List.of("documents", "--output", directory.toString()));
        assertEquals(ExitCode.OK, result.code(), result.errors());
        Path pages = directory.resolve("man1");
        for (String name :
                List.of("cairn", "cairn-master", "cairn-fs-info", "cairn-admin-bundle")) {
            String page = Files.readString(pages.resolve(name + ".1"));
            assertTrue(page.startsWith(".TH "), page);
            assertTrue(page.contains(".SH NAME\n" + name.replace("-", "\\-") + " \\- "), page);
            assertTrue(page.contains(".SH COMMON OPTIONS\n"), page);
            assertFalse(page.contains("%n"), page);
        }
        assertTrue(Files.readString(pages.resolve("cairn-master.1")).contains("\\-\\-raft"));
        assertFalse(Files.exists(pages.resolve("cairn-rehearse.1")), "hidden");
        String completed =
                Shell.run(
                        directory,
                        "bash -c '. ./cairn.bash; COMP_WORDS=(cairn mas); COMP_CWORD=1;"
                                + " _complete_cairn 2>/dev/null; echo \"${COMPREPLY[@]}\"'");
        assertEquals("master", completed.strip());
    }
}
