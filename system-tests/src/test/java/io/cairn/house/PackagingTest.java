package io.cairn.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What packages and the console must not do on the machines of others. */
class PackagingTest {
    private static final Path ROOT = Path.of(System.getProperty("cairn.root"));

    /** A command that starts or stops a service. */
    private static final Pattern STARTS =
            Pattern.compile(
                    "(?<![\\w.-])(systemctl|deb-systemd-invoke|invoke-rc\\.d|service)\\b[^;&|]*"
                            + "(\\b(start|stop|(cond)?restart)\\b|--now\\b)");

    private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"|'[^']*'");

    /** Remarks, and commands that only say something. */
    private static final Pattern SAID =
            Pattern.compile("(?:^|\\s)#.*|(?<![\\w.-])(?:echo|printf)\\b[^;&|]*");

    /** Begins what only the removal of the package does, up to the end of the same indentation. */
    private static final Pattern REMOVAL =
            Pattern.compile("^( *)if \\[ \"\\$1\" (?:= remove|-eq 0) \\].*; then$");

    private static final Set<String> BEFORE_REMOVAL = Set.of("deb/prerm", "rpm/preun.sh");
    private static final Pattern ADDRESS = Pattern.compile("(?:href|src)=\"([^\"]*)\"");

    /** An upgrade of all machines at once would be a pause of the cluster. */
    @Test
    void anUpgradeRestartsNothing() throws IOException {
        Path packaging = ROOT.resolve("packaging");
        List<String> found = new ArrayList<>();
        Set<String> read = new HashSet<>();
        for (String kind : List.of("deb", "rpm")) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(packaging.resolve(kind))) {
                for (Path file : files) {
                    String script = packaging.relativize(file).toString();
                    read.add(script);
                    starts(Files.readString(file), BEFORE_REMOVAL.contains(script))
                            .forEach(line -> found.add(script + ": " + line));
                }
            }
        }
        assertEquals(List.of(), found);
        assertTrue(
                read.containsAll(List.of("deb/postinst", "deb/postrm", "rpm/post.sh")),
                read::toString);
        assertTrue(read.containsAll(BEFORE_REMOVAL), read::toString);
        String before = Files.readString(ROOT.resolve("packaging/deb/prerm"));
        assertTrue(before.contains("if [ \"$1\" = remove ]"), "only who removes it stops it");
        String rpm = Files.readString(ROOT.resolve("packaging/rpm/preun.sh"));
        assertTrue(rpm.contains("if [ \"$1\" -eq 0 ]"), "only who removes it stops it");
    }

    /**
     * The lines of a script that start or stop a service.
     *
     * @param removes whether it runs before a removal, too, which may
     */
    private static List<String> starts(String script, boolean removes) {
        List<String> found = new ArrayList<>();
        String removal = null;
        for (String line : script.replace("\\\n", " ").split("\n", -1)) {
            if (removal != null && line.matches(removal + "(fi|else|elif)\\b.*")) {
                removal = null;
            }
            Matcher begins = REMOVAL.matcher(line);
            if (removes && removal == null && begins.matches()) {
                removal = begins.group(1);
            }
            String unquoted = QUOTED.matcher(line).replaceAll("text");
            String commands = SAID.matcher(unquoted).replaceAll(" ");
            if (removal == null && STARTS.matcher(commands).find()) {
                found.add(line.strip());
            }
        }
        return found;
    }

    @Test
    void startsAreFoundWhereverTheyStand() {
        for (String starts :
                List.of(
                        "systemctl restart cairn-chunk",
                        "if true; then /bin/systemctl try-restart \"$unit\"; fi",
                        "  true && deb-systemd-invoke start 'cairn-nfs.service' || true",
                        "service cairn-master stop",
                        "systemctl enable --now cairn-nfs.service",
                        "echo \"one after the other\"; systemctl \\\n    start cairn-nfs",
                        "if [ \"$1\" = remove ]; then\n    true\nelse\n    service x start\nfi",
                        "if [ \"$1\" = remove ]; then\n    true\nfi\nsystemctl restart x")) {
            assertEquals(1, starts(starts, true).size(), starts);
        }
        String removal = "if [ \"$1\" = remove ]; then\n    systemctl stop x\nfi";
        assertEquals(1, starts(removal, false).size(), "no removal");
        assertEquals(List.of(), starts(removal, true));
        for (String harmless :
                List.of(
                        "systemctl daemon-reload; start=1",
                        "echo \"$unit is old: systemctl restart $unit\" \\\n    \"(stop)\"",
                        "echo systemctl start it yourself",
                        "echo \"first; systemctl stop x\"",
                        "true # systemctl restart would be a pause",
                        "systemctl --quiet is-active cairn-nfs.service && start=1",
                        "systemctl --no-reload disable cairn-nfs.service")) {
            assertEquals(List.of(), starts(harmless, false), harmless);
        }
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
