package io.cairn.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What packages and the console must not do on the machines of others. */
class PackagingTest {
    private static final Path ROOT = Path.of(System.getProperty("cairn.root"));
    private static final Pattern STARTS =
            Pattern.compile("^\\s*systemctl\\b.*\\b(start|stop|(try-|cond)?restart)\\b");
    private static final Pattern ADDRESS = Pattern.compile("(?:href|src)=\"([^\"]*)\"");

    /** An upgrade of all machines at once would be a pause of the cluster. */
    @Test
    void anUpgradeRestartsNothing() throws IOException {
        List<String> found = new ArrayList<>();
        for (String script : List.of("deb/postinst", "deb/prerm", "rpm/post.sh", "rpm/preun.sh")) {
            Path file = ROOT.resolve("packaging").resolve(script);
            Files.readAllLines(file).stream()
                    .filter(line -> STARTS.matcher(line).find())
                    .forEach(line -> found.add(script + ": " + line.strip()));
        }
        assertEquals(List.of(), found);
        String before = Files.readString(ROOT.resolve("packaging/deb/prerm"));
        assertTrue(before.contains("if [ \"$1\" = remove ]"), "only who removes it stops it");
        String rpm = Files.readString(ROOT.resolve("packaging/rpm/preun.sh"));
        assertTrue(rpm.contains("if [ \"$1\" -eq 0 ]"), "only who removes it stops it");
    }

    /** A reverse proxy may have it below any path, and under any host. */
    @Test
    void theConsoleNamesItsFilesFromWhereItIs() throws IOException {
        Path console = ROOT.resolve("admin/src/main/resources/io/cairn/console");
        Matcher addresses = ADDRESS.matcher(Files.readString(console.resolve("index.html")));
        int count = 0;
        while (addresses.find()) {
            String address = addresses.group(1);
            assertFalse(address.startsWith("/") || address.contains("://"), address);
            count++;
        }
        assertTrue(count > 5, "addresses: " + count);
        String api = Files.readString(console.resolve("api.js"));
        assertTrue(api.contains("new URL('api/v1', document.baseURI)"), "the API is beside it");
    }
}
