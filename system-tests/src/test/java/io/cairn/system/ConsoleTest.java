package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/**
 * The web console in a real browser, on a cluster of processes. The journeys that break something
 * come last. With {@code -Dcairn.console.pictures=DIRECTORY} it also takes the pictures of the
 * documentation.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 240)
final class ConsoleTest {
    private static final int SMALL_FILES = 40;
    private static final int CHUNKS = 16;
    private static final long CHUNK_BYTES = 4L << 20;
    private static final List<String> PAGES =
            List.of(
                    "overview",
                    "servers",
                    "groups",
                    "files",
                    "files/projects/film",
                    "usage",
                    "usage/projects",
                    "quotas",
                    "trash",
                    "snapshots",
                    "jobs",
                    "sessions",
                    "events",
                    "settings",
                    "audit");

    @TempDir private static Path directory;
    private static ProcessCluster cluster;
    private static Browser browser;
    private static String base;
    private static String token;

    @BeforeAll
    static void start() throws Exception {
        cluster = new ProcessCluster(directory, 2);
        cluster.startMasters(1, 3);
        cluster.startChunkServers(3);
        browser = new Browser(directory);
        String door = cluster.process("m1").await("admin on (\\S+)", 60).group(1);
        base = door.startsWith("http") ? door.replaceAll("/+$", "") : "http://" + door;
        Path mount = cluster.mount("mnt");
        Files.createDirectories(mount.resolve("projects/notes"));
        Files.write(mount.resolve("projects/film"), new byte[9 << 20]);
        for (int i = 0; i < SMALL_FILES; i++) {
            Files.writeString(mount.resolve("projects/notes/note-" + i), "note " + i);
        }
        Files.writeString(mount.resolve("projects/<b>markup & \"quotes\""), "no markup");
        token = Files.readString(cluster.awaitFirstToken()).strip();
    }

    @AfterAll
    static void stop() {
        try {
            browser.close();
        } finally {
            cluster.close();
        }
    }

    @BeforeEach
    void signIn() {
        browser.size(1280, 900);
        browser.open(base + "/");
        if (browser.count("#token") > 0) {
            browser.type("#token", token);
            browser.press("Sign in");
        }
        browser.see("h1", "Overview");
    }

    @AfterEach
    void nothingWentWrong() {
        assertEquals(List.of(), browser.errors());
        List<String> elsewhere =
                browser.requests().stream().filter(url -> !url.startsWith(base + "/")).toList();
        assertEquals(List.of(), elsewhere);
    }

    private static void go(String page) {
        browser.open(base + "/#/" + page);
    }

    private static void picture(String name) throws Exception {
        String where = System.getProperty("cairn.console.pictures");
        if (where != null) {
            browser.screenshot(Path.of(where, name + ".png"));
        }
    }

    @Test
    @Order(1)
    void aWrongTokenIsToldAndARightOneGoesOn() {
        browser.press("Sign out");
        browser.see("h1", "Sign in");
        assertEquals(List.of(), browser.barriers());
        browser.type("#token", "cairn_wrong");
        browser.press("Sign in");
        browser.see("#why", "not known");
        browser.type("#token", token);
        browser.keys(Keys.ENTER);
        browser.see("#sentence", "All is well");
    }

    @Test
    @Order(2)
    void aFileShowsWhereItsReplicasAre() {
        browser.press("Files");
        browser.press("projects/");
        browser.see("main td", "<b>markup & \"quotes\"");
        assertEquals(0, browser.count("main td b"));
        browser.press("film");
        browser.see("h1", "film");
        browser.see("main", "3 chunks of 4 MiB");
        browser.see("tbody tr:nth-child(3) .members", "c\\d disk \\d+ . serving.*serving");
        browser.press("projects");
        browser.see("main .crumbs", "Root\\s*/?\\s*projects");
    }

    @Test
    @Order(3)
    void thePolicyOfADirectoryIsChangedAfterItsPlan() throws Exception {
        go("files/projects/notes");
        browser.see("main", "standard copies");
        browser.press("Change the policy");
        browser.choose("#field-replicas", "1");
        browser.choose("#field-compression", "none");
        browser.choose("#field-inlineLimitBytes", "16384");
        assertEquals(List.of(), browser.barriers());
        browser.press("See what would change");
        browser.see("dialog", "replicas 1");
        browser.see("dialog", "compression none, inlineLimitBytes 16");
        browser.see("dialog", "order a job for the tree");
        picture("policy");
        assertEquals(List.of(), browser.barriers());
        browser.press("Set the policy");
        browser.see("main", "1 copy, standard chunks.*up to 16 KiB in the masters");
        go("audit");
        browser.see("main td", "PATCH .*projects/notes");
    }

    @Test
    @Order(4)
    void aTreeJobIsWatchedPausedAndCancelled() {
        go("jobs");
        browser.press("Start a job");
        browser.choose("#field-kind", "chmod");
        browser.type("#field-path", "/projects");
        browser.type("#field-mode", "g+w");
        browser.type("#field-maxPerSecond", "1");
        browser.press("See what would change");
        browser.see("dialog", "tree /projects");
        browser.press("Start the job");
        String job = browser.see("h1", "Job \\d+").replace("Job ", "");
        browser.see("main .state", "running");
        browser.see("main", "[1-9]\\d* names? of");
        assertEquals(List.of(), browser.barriers());
        browser.press("Pause job " + job);
        browser.press("Pause");
        browser.see("main .state", "paused");
        browser.press("Resume job " + job);
        browser.press("Resume");
        browser.see("main .state", "running");
        browser.press("Cancel job " + job);
        browser.press("Cancel job");
        browser.see("h1", "^Jobs");
        browser.see("main .state", "cancelled");
    }

    @Test
    @Order(4)
    void whatDirectoriesHoldIsSeenAndLimited() throws Exception {
        browser.press("Usage");
        browser.press("projects/");
        browser.see("h1", "projects");
        browser.see("tbody tr:nth-child(1)", "film.*1[78](\\.\\d)? MiB, (99|100) %");
        browser.press("Set a quota");
        browser.type("#field-hard-inodes", "1000");
        browser.type("#field-hard-spaceBytes", "64");
        browser.press("See what would change");
        browser.see("dialog", "quota of ");
        assertEquals(List.of(), browser.barriers());
        browser.press("Set the quota");
        browser.press("Quotas");
        browser.see("tbody tr", "/projects.*within its limits.*of hard 64 MiB");
        browser.press("Change the quota of /projects");
        browser.type("#field-hard-spaceBytes", "1");
        browser.press("See what would change");
        browser.see("dialog", "It holds more than that");
        browser.press("Set the quota");
        browser.see("tbody tr", "full");
        browser.press("Remove the quota of /projects");
        browser.press("Remove the quota");
        browser.see("main", "No quotas");
    }

    @Test
    @Order(4)
    void whatWasRemovedIsRestoredAndSnapshotsAreTakenAndDropped() throws Exception {
        go("trash");
        browser.see("main", "The trash is empty");
        browser.press("Keep what is removed");
        browser.type("#field-days", "2");
        browser.press("See what would change");
        browser.see("dialog", "172,800");
        browser.press("Set the time");
        go("snapshots");
        browser.press("Take a snapshot");
        browser.type("#field-directory", "/projects");
        browser.type("#field-name", "before");
        browser.press("See what would change");
        browser.press("Take the snapshot");
        browser.see("tbody tr", "/projects.*before.*live");
        Path note = directory.resolve("mnt/projects/notes/note-0");
        Files.delete(note);
        go("trash");
        browser.see("tbody tr", "/projects/notes/note-0");
        browser.press("Restore /projects/notes/note-0");
        browser.press("See what would change");
        browser.press("Restore it");
        browser.see("main", "The trash is empty");
        assertEquals("note 0", Files.readString(note));
        go("snapshots");
        browser.press("Drop the snapshot before of /projects");
        browser.press("Drop the snapshot");
        browser.see("main", "dropped|No snapshots");
    }

    @Test
    @Order(5)
    void everyPageWorksInBothColoursAndOnATelephone() throws Exception {
        for (String page : PAGES) {
            go(page);
            browser.see("main .card", "\\S");
            assertEquals(List.of(), browser.barriers(), page + ", light");
        }
        String light = browser.css("body", "background-color");
        browser.prefer("dark");
        assertNotEquals(light, browser.css("body", "background-color"));
        browser.size(390, 844);
        for (String page : PAGES) {
            go(page);
            browser.see("main .card", "\\S");
            assertEquals(List.of(), browser.barriers(), page + ", dark and narrow");
        }
        browser.press("Menu");
        browser.press("Sessions");
        browser.see("h1", "Sessions");
        browser.press("Light colours");
        assertEquals(light, browser.css("body", "background-color"));
        browser.press("Dark colours");
        assertNotEquals(light, browser.css("body", "background-color"));
        browser.forgetColours();
        browser.prefer("light");
    }

    @Test
    @Order(6)
    void allOfItGoesWithTheKeyboard() {
        browser.press("Sign out");
        browser.see("h1", "Sign in");
        browser.keys(token, Keys.ENTER);
        browser.see("h1", "Overview");
        browser.open(base + "/#/settings");
        browser.see("main h2", "Tokens");
        browser.tabTo("Make a token");
        browser.keys(Keys.ENTER);
        browser.keys("guest");
        browser.keys(Keys.ENTER);
        browser.see("dialog", "token guest");
        browser.keys(Keys.ENTER);
        browser.see("#secret", "^cairn_");
        browser.keys(Keys.ESCAPE);
        browser.see("main td", "guest");
        assertEquals(0, browser.count("dialog"));
    }

    @Test
    @Order(7)
    void aTokenThatEndsLeadsBackToTheSignIn() throws Exception {
        String secret = makeToken("brief", "read");
        browser.press("Sign out");
        browser.type("#token", secret);
        browser.press("Sign in");
        browser.see("h1", "Overview");
        go("settings");
        browser.see("main", "needs? .*admin");
        assertEquals(204, call("DELETE", "/tokens/brief", "").statusCode());
        browser.see("#why", "not known");
        assertEquals(1, browser.count("#token"));
    }

    @Test
    @Order(8)
    void whatIsWrittenIsSeenWhileItIsWritten() throws Exception {
        AtomicBoolean isEnough = new AtomicBoolean();
        Path file = directory.resolve("mnt/projects/growing");
        Thread writer = new Thread(() -> write(file, isEnough), "writer");
        writer.start();
        try {
            browser.see("main", "Clients write\\s+[1-9][\\d.,]* [KMG]iB/s");
            browser.see("main", "Written to the disks\\s+[1-9][\\d.,]* [KMG]iB/s in all copies");
            assertEquals(List.of(), browser.barriers());
            go("servers");
            browser.see(".server", "write [1-9][\\d.,]* [KMG]iB/s");
            browser.click(".server .target");
            browser.see(".details", "Directory\\s+/.*/c\\d");
            browser.see(".details", "Disk writes\\s+[1-9][\\d.,]* [KMG]iB/s, [\\d.]+ ms each");
            browser.see(".details", "Errors\\s+none since 20");
            assertEquals(List.of(), browser.barriers());
            go("overview");
            Poll.until("two samples", 40, () -> samples() >= 2);
            browser.see("main", "at most [1-9][\\d.,]* [KMG]iB/s in [1-9]\\d+ s");
            browser.size(1280, 1180);
            picture("load");
        } finally {
            isEnough.set(true);
            writer.join(60_000);
        }
        assertFalse(writer.isAlive());
    }

    private static int samples() throws Exception {
        String body = call("GET", "/load", "").body();
        return body.split("\"writtenBytesPerSecond\":[1-9]", -1).length - 1;
    }

    /** Some MiB a second, to chunks on all servers in turn, until it is enough. */
    private static void write(Path file, AtomicBoolean isEnough) {
        byte[] bytes = new byte[1 << 20];
        new Random(1).nextBytes(bytes);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int chunk = 0; !isEnough.get(); chunk = (chunk + 1) % CHUNKS) {
                channel.write(ByteBuffer.wrap(bytes), chunk * CHUNK_BYTES);
                channel.force(false);
                Poll.pause();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Order(9)
    void aSessionIsEvictedAfterItsPlan() {
        browser.press("Sessions");
        browser.see("main tbody tr", "mnt");
        browser.click("main tbody a");
        String id = browser.see("h1", "Session [0-9a-f]{16}").substring(8);
        browser.click("main .card button");
        browser.see("dialog", "session " + id);
        browser.press("Evict the session");
        browser.see("h1", "^Sessions");
        Poll.until(
                "end of " + id, 60, () -> call("GET", "/sessions/" + id, "").statusCode() == 404);
    }

    @Test
    @Order(10)
    void aChunkServerThatIsDownIsSeen() throws Exception {
        go("overview");
        browser.see("#sentence", "All is well");
        cluster.kill("c2");
        browser.see("#sentence", "c2 does not answer|placement groups");
        browser.see(".reasons", "start 'cairn chunk' there again");
        browser.see("#pill", "warning");
        browser.see(".reasons", "Chunk server c2 does not answer");
        picture("overview");
        browser.press("Groups");
        browser.see("main tbody tr", "c2 disk \\d+ . (?!serving)");
        assertEquals(List.of(), browser.barriers());
        browser.press("Events");
        browser.see("main td", "c2");
        browser.press("Servers");
        browser.see(".server.down", "c2");
        browser.click(".server.down .target");
        browser.see(".details", "State\\s+. down");
        assertEquals(List.of(), browser.barriers());
        browser.prefer("dark");
        assertEquals(List.of(), browser.barriers());
        picture("servers-dark");
        browser.size(390, 844);
        go("overview");
        browser.see(".reasons", "c2 does not answer");
        picture("overview-narrow");
        browser.prefer("light");
    }

    @Test
    @Order(11)
    void aMasterThatIsGoneIsTold() {
        go("servers");
        browser.see(".server", "c1");
        cluster.kill("m1");
        browser.see("#notice", "does not answer.*Trying again");
        assertFalse(browser.text("main").isEmpty());
        assertTrue(browser.barriers().isEmpty(), () -> String.valueOf(browser.barriers()));
    }

    private static String makeToken(String name, String role) throws Exception {
        String body = "{\"name\":\"" + name + "\",\"role\":\"" + role + "\"}";
        HttpResponse<String> answer = call("POST", "/tokens", body);
        assertEquals(201, answer.statusCode(), answer.body());
        return answer.body().replaceAll("(?s).*\"secret\"\\s*:\\s*\"([^\"]+)\".*", "$1");
    }

    private static HttpResponse<String> call(String method, String path, String body)
            throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + "/api/v1" + path))
                        .timeout(Duration.ofSeconds(20))
                        .header("authorization", "Bearer " + token);
        if (body.isEmpty()) {
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            request.header("content-type", "application/json");
            request.method(method, HttpRequest.BodyPublishers.ofString(body));
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        }
    }
}
