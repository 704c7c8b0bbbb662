package io.cairn.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.runtime.WaitCause;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.jr.ob.JSON;

/** What {@code cairn why} makes of what a mount remembers. */
class WhyCommandTest {
    private static final Path MOUNT = Path.of("/mnt/c");

    private static SlowOperation read(String line, String subdirectory) {
        SlowOperation found = SlowOperation.parse(line, MOUNT, subdirectory);
        assertNotNull(found);
        return found;
    }

    private static @Nullable SlowOperation parse(String line) {
        return SlowOperation.parse(line, MOUNT, "/");
    }

    private static String shown(SlowOperation... operations) {
        StringWriter out = new StringWriter();
        WhyCommand.print(List.of(operations), new PrintWriter(out, true));
        return out.toString();
    }

    @Test
    void aLongNameOfAnOperationMovesNoColumn() {
        String rest = "\t1500\t2000\t100\t1500\t0\t0\t17\t4711\tdd\t/f";
        List<String> lines =
                shown(read("read" + rest, "/"), read("copy_file_range" + rest, "/"))
                        .lines()
                        .toList();
        assertEquals(lines.get(1).indexOf(" ms "), lines.get(2).indexOf(" ms "));
        assertEquals(lines.get(0).indexOf("PATH"), lines.get(2).indexOf("/mnt/c/f"));
    }

    @Test
    void pathsAreThoseOfThisMachine() {
        String line = "read\t1500\t2000\t100\t1500\t0\t0\t17\t4711\tdd\t/home/a/f";
        assertEquals("/mnt/c/home/a/f", read(line, "/").path());
        assertEquals("/mnt/c/a/f", read(line, "/home").path());
        assertEquals("/home/a/f", read(line, "/other").path());
        assertEquals("/mnt/c", read("read\t1\t2\t0\t0\t0\t0\t1\t0\t\t/", "/").path());
        assertTrue(read(line, "/").isBelow("/mnt/c/home"));
        assertTrue(read(line, "/").isBelow("/mnt/c/home/a/f"));
        assertFalse(read(line, "/").isBelow("/mnt/c/hom"));
    }

    @Test
    void linesOfOtherReleasesAreLeftOut() {
        assertNull(parse(""));
        assertNull(parse("read\t1\t2\t3"));
        assertNull(parse("read\tx\t2\t0\t0\t0\t0\t1\t0\t\t/"));
    }

    @Test
    void whatHasNoKnownPathIsCounted() {
        SlowOperation known = read("read\t1\t2\t0\t0\t0\t0\t1\t0\t\t/f", "/");
        SlowOperation gone = read("create\t2000\t1000\t900\t0\t0\t0\t99\t0\t\t", "/");
        assertEquals("", WhyCommand.withoutPath(List.of(known)));
        assertEquals(
                "cairn: 1 slow operation has no known path; ask without PATH\n",
                WhyCommand.withoutPath(List.of(known, gone)));
        assertEquals(
                "cairn: 2 slow operations have no known path; ask without PATH\n",
                WhyCommand.withoutPath(List.of(gone, gone)));
    }

    @Test
    void theWorstPartIsNamedWithARemedy() {
        SlowOperation slow =
                read("fsync\t61000\t40000\t4000\t30000\t0\t0\t17\t4711\tpostgres\t/db/wal", "/");
        SlowOperation gone = read("create\t2000\t1000\t900\t0\t0\t0\t99\t0\t\t", "/");
        String text = shown(slow, gone);
        assertTrue(text.contains("61s  fsync"), text);
        assertTrue(text.contains("40.0 ms    15%    10%    75%"), text);
        assertTrue(text.contains("/mnt/c/db/wal  (postgres 4711)"), text);
        assertTrue(text.contains("inode 99\n"), text);
        assertTrue(text.contains("73 % of this time they waited for chunk servers."), text);
        assertTrue(text.contains("-> 'cairn admin servers'"), text);
        assertTrue(shown().contains("no operation of the last 5 minutes"), shown());
    }

    @Test
    void everyPartHasASentence() {
        for (WaitCause cause : WaitCause.values()) {
            SlowVerdict verdict = new SlowVerdict(cause, 50);
            assertEquals(cause.word(), verdict.part());
            assertTrue(verdict.text().endsWith("."), verdict.text());
            assertTrue(verdict.remedy().endsWith("."), verdict.remedy());
        }
        assertEquals("mount", new SlowVerdict(null, 50).part());
    }

    @Test
    void theDocumentHasWhatTheTableHas() throws Exception {
        SlowOperation slow =
                read("fsync\t61000\t40000\t4000\t30000\t0\t0\t17\t4711\tpostgres\t/db/wal", "/");
        String json = WhyCommand.document(List.of(slow));
        assertEquals("chunks", JSON.std.mapFrom(json).get("worst"));
        assertTrue(json.contains("\"mountUs\" : 6000"), json);
        assertEquals(300, JSON.std.mapFrom(WhyCommand.document(List.of())).get("windowS"));
    }
}
