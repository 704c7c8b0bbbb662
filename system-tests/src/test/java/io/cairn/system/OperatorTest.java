package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cli.api.ApiOptions;
import io.cairn.node.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/** The operator's side of three real masters, one of which is killed: commands and console. */
@Timeout(value = 240)
final class OperatorTest {
    private static final List<String> MASTERS = List.of("m1", "m2", "m3");
    private static final int DIRECTORIES = 4;
    private static final int FILES = 3000;

    @TempDir private static Path directory;
    private static ProcessCluster cluster;
    private static Path mount;
    private static Path token;

    @BeforeAll
    @Timeout(value = 240)
    static void start() throws Exception {
        cluster = new ProcessCluster(directory, 1);
        cluster.startMasters(3, 1);
        cluster.startChunkServers(1);
        mount = cluster.mount("mnt");
        token = cluster.awaitFirstToken();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void allMastersRun() throws Exception {
        for (String master : MASTERS) {
            if (!cluster.process(master).isAlive()) {
                cluster.start(master);
                cluster.process(master).await(CairnProcess.READY, 60);
            }
        }
        Poll.until("all masters are up", 60, () -> MASTERS.stream().allMatch(m -> isUp(m)));
    }

    /** Where a master is administered, or was before it was killed. */
    private static String door(String master) throws Exception {
        String door = cluster.process(master).await("admin on (\\S+)", 60).group(1);
        return "http://" + door.replaceFirst("^http://", "").replaceAll("/+$", "");
    }

    /** A command that knows all masters. */
    private static CommandResult cairn(String... words) throws Exception {
        List<String> doors = new ArrayList<>();
        for (String master : MASTERS) {
            doors.add(door(master));
        }
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.addAll(
                List.of("--api", String.join(",", doors), "--token-file", token.toString()));
        return CommandResult.of(arguments);
    }

    /** The same, again while there is no leader, as the answer says. */
    private static CommandResult again(String... words) throws Exception {
        CommandResult[] last = {cairn(words)};
        Poll.until(
                "a leader for " + List.of(words),
                60,
                () -> {
                    if (last[0].code() == ExitCode.TEMPORARY) {
                        last[0] = cairn(words);
                    }
                    return last[0].code() != ExitCode.TEMPORARY;
                });
        return last[0];
    }

    private static String ok(String... words) throws Exception {
        CommandResult result = again(words);
        assertEquals(ExitCode.OK, result.code(), result.errors() + result.out());
        return result.out();
    }

    private static String leader() throws Exception {
        return String.valueOf(JSON.std.mapFrom(ok("status", "--json")).get("leader"));
    }

    /** Another master than these. */
    private static String other(String... than) {
        return MASTERS.stream().filter(m -> !List.of(than).contains(m)).findFirst().orElseThrow();
    }

    private static boolean isUp(String master) {
        try {
            return ok("admin", "masters", "show", master).contains("up");
        } catch (Exception | AssertionError e) {
            return false;
        }
    }

    @Test
    void leadershipMovesAndCommandsGoOn() throws Exception {
        String old = leader();
        String next = other(old);
        String plan = ok("admin", "masters", "lead", next, "--plan");
        assertTrue(plan.startsWith("would change leader: " + old + " -> " + next), plan);
        assertEquals(old, leader());
        CommandResult led = again("admin", "masters", "lead", next);
        assertTrue(
                led.out().strip().equals("master " + next + " leads")
                        || led.errors().contains("leads already"),
                led.errors() + led.out());
        Poll.until(next + " leads", 30, () -> leader().equals(next));
        assertEquals(ExitCode.CANNOT_CREATE, again("admin", "masters", "lead", next).code());
        assertTrue(ok("admin", "audit").contains("/masters/" + next + "/lead"));
        Files.writeString(mount.resolve("after-" + next), "works");
    }

    @Test
    void aMasterThatIsDownIsTold() throws Exception {
        Poll.until("all is well", 60, () -> ok("status").contains("All is well"));
        String killed = other(leader());
        cluster.kill(killed);
        String sentence =
                "health    warning: Master "
                        + killed
                        + " has not answered since \\S+Z: another loss stops the cluster.";
        Poll.until("it is told", 60, () -> ok("status").lines().anyMatch(l -> l.matches(sentence)));
        assertTrue(
                ok("admin", "masters").lines().anyMatch(l -> l.matches(killed + " .*down.*Z.*")));
        CairnProcess.Result status =
                CairnProcess.run(directory, "status", "--masters", cluster.masters());
        assertEquals(ExitCode.OK, status.exitCode(), status.output());
        assertTrue(
                status.output()
                        .lines()
                        .anyMatch(l -> l.matches("master +" + killed + " .*DOWN since \\S+Z.*")),
                status.output());
    }

    @Test
    void aTreeIsRemovedAlthoughTheLeaderIsKilled() throws Exception {
        for (int i = 0; i < DIRECTORIES; i++) {
            Files.createDirectories(mount.resolve("tree/d" + i));
        }
        Files.createDirectories(mount.resolve("treetop"));
        for (int i = 0; i < FILES; i++) {
            Files.createFile(mount.resolve("tree/d" + i % DIRECTORIES + "/f" + i));
            if (i % 100 == 0) {
                Files.createFile(mount.resolve("treetop/f" + i));
            }
        }
        CompletableFuture<CommandResult> removal =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return cairn("fs", "remove", "--yes", "--rate", "600", "/tree");
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        });
        Poll.until("a third of it", 60, () -> count("progress", "names") > FILES / 3);
        String killed = leader();
        cluster.kill(killed);
        CommandResult removed = removal.get(120, TimeUnit.SECONDS);
        assertEquals(ExitCode.OK, removed.code(), removed.errors() + removed.out());
        assertTrue(removed.out().startsWith("remove /tree: done"), removed.out());
        assertFalse(leader().equals(killed));
        assertEquals(FILES + DIRECTORIES + 1, count("totals", "changed"));
        assertEquals(FILES, count("totals", "files"));
        assertEquals(0, count("totals", "errors"));
        Poll.until("the mount has heard of it", 30, () -> !Files.exists(mount.resolve("tree")));
        try (Stream<Path> left = Files.list(mount.resolve("treetop"))) {
            assertEquals(FILES / 100, left.count());
        }
    }

    private static Map<String, Object> lastJob() throws Exception {
        Map<String, Object> jobs = JSON.std.mapFrom(ok("admin", "jobs", "--json"));
        Map<?, ?> first = (Map<?, ?>) ApiOptions.items(jobs).getFirst();
        return JSON.std.mapFrom(
                ok("admin", "jobs", "show", String.valueOf(first.get("id")), "--json"));
    }

    /** A number of the job that was ordered last. */
    private static long count(String part, String name) throws Exception {
        Map<?, ?> numbers = assertInstanceOf(Map.class, lastJob().get(part));
        return assertInstanceOf(Number.class, numbers.get(name)).longValue();
    }

    @Test
    void theConsoleOfAFollowerOutlivesTheLeader() throws Exception {
        String old = leader();
        String here = other(old);
        String third = other(old, here);
        String base = door(here);
        try (Browser browser = new Browser(directory)) {
            browser.open(base + "/");
            browser.type("#token", Files.readString(token).strip());
            browser.press("Sign in");
            browser.see("#sentence", "All is well");
            browser.open(base + "/#/servers");
            browser.see("main tbody tr", old + "\\s.*leads");
            cluster.kill(old);
            // Nobody touches the page: it shows by itself who leads now.
            browser.see("main tbody tr", "(" + here + "|" + third + ")\\s.*leads");
            browser.see("main tbody tr", old + "\\s.*down since");
            String now = leader();
            String next = now.equals(here) ? third : here;
            browser.press("Make " + next + " the leader");
            browser.see("dialog", now + ".*" + next);
            browser.press("Make leader");
            browser.see("main tbody tr", next + "\\s.*leads");
            Poll.until(next + " leads", 30, () -> leader().equals(next));
            browser.open(base + "/#/overview");
            browser.see("#sentence", "Master " + old + " has not answered since");
            browser.see(".reasons", "start 'cairn master' there again");
            cluster.start(old);
            browser.see("#sentence", "All is well");
            assertEquals(List.of(), browser.errors());
        }
    }
}
