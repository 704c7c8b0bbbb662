package io.cairn.cli.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Documents as text that fits the screen. */
final class TableTest {
    private static final Values VALUES = new Values(bytes -> bytes / 1024 + " KiB");

    private static Screen wide(int columns) {
        return new Screen(columns, false, "~");
    }

    @Test
    void numbersStandAtTheRightAndSizesHaveUnits() {
        List<String> lines =
                new Table("name freeBytes:free lease.leftMs:lease", VALUES, wide(80))
                        .lines(
                                List.of(
                                        Map.of("name", "c1", "freeBytes", 2048),
                                        Map.of(
                                                "name",
                                                "server2",
                                                "freeBytes",
                                                1_048_576,
                                                "lease",
                                                Map.of("leftMs", 15_000))));
        assertEquals(
                List.of(
                        "NAME         FREE   LEASE",
                        "c1          2 KiB       -",
                        "server2  1024 KiB  15.0 s"),
                lines);
    }

    @Test
    void whatIsNowhereIsADashAndRowsWithinAreShort() {
        Map<String, Object> member = new LinkedHashMap<>();
        member.put("target", 1);
        member.put("server", "c1");
        assertEquals(
                List.of("NONE  MEMBERS", "-     1:c1, 1:c1"),
                new Table("none members", VALUES, wide(80))
                        .lines(List.of(Map.of("members", List.of(member, member)))));
    }

    @Test
    void theWidestColumnIsCutUntilTheLineFits() {
        List<String> lines =
                new Table("id path", VALUES, wide(20))
                        .lines(List.of(Map.of("id", 7, "path", "/projects/a-long-name/of-a-file")));
        assertEquals(List.of("ID  PATH", " 7  /projects/a-lon~"), lines);
    }

    @Test
    void controlCharactersDoNotReachTheTerminal() {
        String name = "a\u001b[2Jb\nc\u202e";
        List<String> lines =
                new Table("name", VALUES, wide(80)).lines(List.of(Map.of("name", name)));
        assertEquals("a\\x1b[2Jb\\x0ac\\u{202e}", lines.getLast());
        List<String> sheet = new Sheet(VALUES, wide(80)).lines(Map.of("k\u001bey", name));
        assertTrue(sheet.getFirst().chars().noneMatch(c -> c < ' '), sheet.toString());
    }

    @Test
    void sheetsShowWhatIsWithin() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", "c1");
        document.put("labels", Map.of("rack", "r7"));
        document.put("capacityBytes", 4096);
        document.put("members", List.of(Map.of("target", 1)));
        assertEquals(
                List.of(
                        "name      c1",
                        "capacity  4 KiB",
                        "labels",
                        "  rack  r7",
                        "members",
                        "  TARGET",
                        "       1"),
                new Sheet(VALUES, wide(80)).lines(document));
    }

    @Test
    void progressHasABar() {
        String line =
                new Progress(wide(90))
                        .line(
                                Map.of(
                                        "state",
                                        "running",
                                        "progress",
                                        Map.of(
                                                "names",
                                                50,
                                                "namesFound",
                                                100,
                                                "namesPerSecond",
                                                12.5,
                                                "currentPath",
                                                "/a/b")));
        assertEquals(
                "running [############............]  50 % of 100 names found, 13/s  /a/b",
                line.replace(" 12/s", " 13/s"));
    }

    @Test
    void addressesArePercentEncoded() {
        assertEquals(
                "/files/a%20b/%C3%A9%3F%25?chunks=2&after=x%26y",
                ApiRequest.of("GET /files/{path}", "/a b/\u00e9?%")
                        .query("chunks", 2)
                        .query("nothing", null)
                        .query("after", "x&y")
                        .address());
        assertEquals("/servers/a%2Fb", ApiRequest.of("GET /servers/{name}", "a/b").address());
    }
}
