package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cli.Cairn;
import io.cairn.cli.api.ApiOptions;
import io.cairn.node.ExitCode;
import io.cairn.node.RunFile;
import io.cairn.testkit.Shell;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code cairn admin} and {@code cairn fs} against the admin API of a real cluster. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ApiCommandsTest {
    private Path directory = Path.of("");
    private Path mount = Path.of("");
    private @Nullable CairnProcess cluster;

    @BeforeAll
    void start(@TempDir Path fresh) throws Exception {
        directory = fresh;
        mount = Files.createDirectory(directory.resolve("mnt"));
        CairnProcess process =
                CairnProcess.start(
                        directory.resolve("up.log"),
                        List.of(
                                "up",
                                "--data",
                                data(),
                                "--mount",
                                mount.toString(),
                                "--chunk-servers",
                                "2",
                                "--listen",
                                "127.0.0.1:" + ProcessCluster.freePort(),
                                "--admin",
                                "127.0.0.1:0"));
        cluster = process;
        process.await(CairnProcess.READY, 90);
        process.awaitFirstToken();
    }

    @AfterAll
    void stop() {
        ProcessCluster.unmount(mount);
        if (cluster != null) {
            cluster.close();
        }
        ProcessCluster.unmount(mount);
    }

    private String data() {
        return directory.resolve("data").toString();
    }

    /** Runs a command on the cluster. */
    private CommandResult cairn(String... words) {
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.addAll(List.of("--data", data()));
        return CommandResult.of(arguments);
    }

    private CommandResult ok(String... words) {
        CommandResult result = cairn(words);
        assertEquals(ExitCode.OK, result.code(), result.errors() + result.out());
        return result;
    }

    private CommandResult fails(int code, String says, String... words) {
        CommandResult result = cairn(words);
        assertEquals(code, result.code(), result.errors() + result.out());
        assertTrue(result.errors().contains(says), says + " in " + result.errors());
        assertEquals(1, result.errors().lines().count(), result.errors());
        return result;
    }

    @Test
    void everyRouteOfTheApiIsReachableByACommand() throws Exception {
        Set<String> routes = new TreeSet<>();
        if (ok("admin", "openapi").json().get("paths") instanceof Map<?, ?> paths) {
            for (Map.Entry<?, ?> each : paths.entrySet()) {
                for (Object method : ((Map<?, ?>) each.getValue()).keySet()) {
                    routes.add((method + " ").toUpperCase(Locale.ROOT) + each.getKey());
                }
            }
        }
        Set<String> declared = new TreeSet<>();
        collect(Cairn.commands(), declared);
        assertFalse(routes.isEmpty());
        assertEquals(routes, declared, "routes of the API, and routes that commands declare");
    }

    private static void collect(CommandLine command, Set<String> routes) {
        routes.addAll(ApiOptions.routes(command.getCommandSpec()));
        command.getSubcommands().values().forEach(each -> collect(each, routes));
    }

    @Test
    void theClusterAtAGlance() throws Exception {
        CommandResult status = ok("status");
        assertTrue(status.out().startsWith("health    "), status.out());
        assertTrue(status.out().contains("servers   2 of 2 up, 2 targets"), status.out());
        assertTrue(status.out().contains("load      clients read "), status.out());
        assertTrue(ok("status", "--json").json().containsKey("health"));
        Poll.until("both tell the same", 60, this::masterAndApiAgree);
        assertEquals(5000, ok("admin", "load", "--json").json().get("everyMs"));
        assertTrue(ok("admin", "targets").out().contains("ERRORS"));
    }

    private boolean masterAndApiAgree() throws Exception {
        Map<String, Object> master = ok("status", "--json").json();
        Map<String, Object> api = ok("status", "--json", "--api", api()).json();
        for (String same : List.of("clusterId", "version", "leader", "health", "level")) {
            assertEquals(api.get(same), master.get(same), same);
        }
        assertEquals(keys(api.get("counts")), keys(master.get("counts")));
        return true;
    }

    private static Set<?> keys(@Nullable Object map) {
        return ((Map<?, ?>) Objects.requireNonNull(map)).keySet();
    }

    private String api() {
        return Objects.requireNonNull(RunFile.read(Path.of(data()))).api();
    }

    @Test
    void treesAreCountedChangedAndRemovedByJobs() throws Exception {
        Path tree = Files.createDirectories(mount.resolve("tree/sub dir"));
        Files.writeString(tree.resolve("one"), "1");
        Files.writeString(mount.resolve("tree/two"), "22");
        CommandResult usage = ok("fs", "count", "/tree");
        assertTrue(usage.out().contains("usage /tree: done"), usage.out());
        assertTrue(usage.out().lines().anyMatch(l -> l.matches(" +files +2")), usage.out());
        CommandResult walk = ok("fs", "count", "--plan", "/tree");
        assertEquals(
                List.of(
                        "nothing would change",
                        "  note: It only counts: tree /tree has 4 names: 2 files, 2 directories,"
                                + " 0 others."),
                walk.out().lines().toList());
        Map<String, Object> counted = ok("fs", "count", "--json", mount + "/tree").json();
        assertEquals("/tree", counted.get("path"));

        ok("fs", "chmod", "-R", "u=rwX,go=", "/tree");
        ok("fs", "chown", "12:34", tree.resolve("one").toString());
        ok("fs", "set", "--stripe", "1", "/tree");
        CommandResult standard = ok("fs", "set", "--stripe", "default", "--plan", "/tree");
        assertTrue(standard.out().contains("stripe"), standard.out());
        Map<String, Object> file = ok("fs", "info", "--json", "/tree/sub dir/one").json();
        assertEquals("0600", file.get("mode"));
        assertEquals(12, file.get("uid"));
        assertEquals(34, file.get("gid"));
        Map<String, Object> again =
                ok("fs", "info", "--json", "--ino", String.valueOf(file.get("ino"))).json();
        assertEquals("/tree/sub dir/one", again.get("path"));
        Files.write(tree.resolve("large"), new byte[9_000_000]);
        for (String path : List.of("/tree/sub dir/one", "/tree/sub dir/large", "/tree")) {
            Map<String, Object> there = ok("fs", "info", "--json", path).json();
            there.remove("effectivePolicy");
            assertEquals(there, known(ok("fs", "info", "--json", mount + path).json(), there));
        }
        CommandResult list = ok("fs", "list", "/tree");
        assertTrue(list.out().contains("sub dir") && list.out().contains("2 B"), list.out());

        CommandResult plan = ok("fs", "remove", "--plan", "/tree");
        assertTrue(plan.out().contains("would change tree /tree"), plan.out());
        CommandResult asked = cairn("fs", "remove", "/tree");
        assertEquals(ExitCode.USAGE, asked.code(), asked.errors());
        assertTrue(asked.errors().contains("--yes"), asked.errors());
        assertTrue(Files.exists(tree.resolve("one")));
        String id = ok("fs", "remove", "--yes", "--detach", "/tree").out().strip();
        CommandResult waited = ok("admin", "jobs", "wait", id);
        assertTrue(waited.out().contains("remove /tree: done"), waited.out());
        Poll.until("removal", 60, () -> !Files.exists(mount.resolve("tree")));
        assertTrue(ok("admin", "jobs").out().contains("remove"));
        assertTrue(ok("admin", "jobs", "show", id).out().contains("state"));
        ok("admin", "jobs", "cancel", id);
        fails(ExitCode.NO_INPUT, "There is no job", "admin", "jobs", "show", id);
    }

    /** What a mount tells, without how far copies are and with what only masters know. */
    private static Object known(Object mounted, Object there) {
        if (mounted instanceof List<?> some && there instanceof List<?> all) {
            assertEquals(all.size(), some.size());
            return IntStream.range(0, all.size())
                    .mapToObj(i -> known(some.get(i), all.get(i)))
                    .toList();
        }
        if (!(mounted instanceof Map<?, ?> some && there instanceof Map<?, ?> all)) {
            return mounted;
        }
        Map<Object, Object> document = new LinkedHashMap<>();
        all.forEach(
                (name, value) -> {
                    assertTrue(some.containsKey(name) || name.equals("asPolicy"), name + "");
                    Object found = some.containsKey(name) ? some.get(name) : value;
                    document.put(name, value == null ? found : known(found, value));
                });
        return document;
    }

    @Test
    void namesThatAreNotTextCanBeGiven() throws Exception {
        Shell.run(directory, "mkdir mnt/raw; printf x >\"$(printf 'mnt/raw/a\\377b')\"");
        String path = "/raw/a\udcffb";
        Map<String, Object> file = ok("fs", "info", "--json", path).json();
        assertEquals("/raw/a\ufffdb", file.get("path"));
        assertEquals("2f7261772f61ff62", file.get("pathHex"));
        ok("fs", "chmod", "0600", path);
        assertEquals("0600", ok("fs", "info", "--json", path).json().get("mode"));
        fails(ExitCode.USAGE, "path in the cluster", "fs", "info", mount + path);
        fails(ExitCode.USAGE, "path in the cluster", "fs", "info", "a\udcff");
        List<String> remove = List.of("fs", "remove", "--yes", "--data", data());
        List<String> behindRawPath =
                List.of("sh", "-c", "exec \"$@\" \"$(printf '/raw/a\\377b')\"", "sh");
        Path output = directory.resolve("remove.out");
        try (CairnProcess process =
                CairnProcess.start(output, behindRawPath, remove, Map.of("LC_ALL", "C"))) {
            assertEquals(ExitCode.OK, process.awaitExit(60), process.output());
        }
        assertEquals("none", ok("fs", "list", "/raw").out().strip());
    }

    @Test
    void serversTargetsPoolsAndGroups() throws Exception {
        assertTrue(ok("admin", "masters").out().contains("leader"));
        assertTrue(ok("admin", "masters", "show", "m1").out().contains("leader"));
        fails(ExitCode.CANNOT_CREATE, "leads already", "admin", "masters", "lead", "m1");
        List<String> servers = ok("admin", "servers").out().lines().toList();
        assertEquals(3, servers.size(), servers.toString());
        String name = servers.getLast().split(" +", -1)[0];
        assertTrue(
                ok("admin", "servers", "label", name, "rack=r7", "--plan")
                        .out()
                        .contains("would change labels"));
        ok("admin", "servers", "label", name, "rack=r7", "room=2");
        ok("admin", "servers", "label", name, "room=");
        assertEquals(
                Map.of("rack", "r7"),
                ok("admin", "servers", "show", name, "--json").json().get("labels"));
        fails(ExitCode.NO_INPUT, "no chunk server", "admin", "servers", "show", "absent");
        List<String> targets = ok("admin", "targets").out().lines().toList();
        assertEquals(3, targets.size(), targets.toString());
        assertTrue(ok("admin", "targets", "show", "1").out().contains("capacity"));
        assertTrue(ok("admin", "pools").out().contains("AT-RISK"));
        assertTrue(ok("admin", "pools", "show", "1").out().contains("replicas"));
        List<String> risks = List.of("admin", "groups", "--at-risk", "--data", data());
        Poll.until("none", 60, () -> CommandResult.of(risks).out().strip().equals("none"));
        Map<String, Object> few = ok("admin", "groups", "--limit", "3", "--json").json();
        assertEquals(3, ApiOptions.items(few).size());
        Map<?, ?> group = (Map<?, ?>) ApiOptions.items(few).getFirst();
        String id = String.valueOf(group.get("id"));
        assertTrue(ok("admin", "groups", "show", id).out().contains("complete"));
        fails(ExitCode.USAGE, "state", "admin", "groups", "--state", "blue");
    }

    @Test
    void tokensAreMadeUsedAndRemoved() throws Exception {
        CommandResult made =
                ok("admin", "tokens", "add", "reader", "--role", "read", "--expires", "1h");
        Path file = directory.resolve("reader.token");
        Files.writeString(file, made.out());
        ok("admin", "masters", "--token-file", file.toString());
        CommandResult refused =
                cairn("admin", "config", "set", "a=b", "--token-file", file.toString());
        assertEquals(ExitCode.NO_PERMISSION, refused.code(), refused.errors());
        assertTrue(ok("admin", "tokens").out().contains("reader"));
        assertTrue(ok("admin", "tokens", "show", "reader").out().contains("read"));
        assertEquals(ExitCode.USAGE, cairn("admin", "tokens", "remove", "reader").code());
        ok("admin", "tokens", "remove", "reader", "--yes");
        fails(ExitCode.NO_INPUT, "no token", "admin", "tokens", "show", "reader");
        assertTrue(ok("admin", "audit").out().contains("reader"));
    }

    @Test
    void settingsAndExportsAreChanged() throws Exception {
        String levels = "logLevels.io.cairn.nothing";
        CommandResult set = ok("admin", "config", "set", levels + "=debug");
        assertTrue(set.out().startsWith("set; log levels are those of the masters"), set.out());
        assertTrue(ok("admin", "config").out().contains("io.cairn.nothing  debug"));
        ok("admin", "config", "set", levels + "=");
        assertFalse(ok("admin", "config", "get").out().contains("io.cairn.nothing"));
        fails(ExitCode.USAGE, "standardReplica", "admin", "config", "set", "standardReplica=1");
        assertTrue(ok("nfs", "exports").out().contains("no list"));
        ok("nfs", "exports", "add", "/data 10.0.0.0/8(rw)");
        assertTrue(ok("nfs", "exports").out().contains("10.0.0.0/8(rw)"));
        Path list = directory.resolve("exports");
        Files.writeString(list, "# ours\n/a *(ro)\n/b *(ro)\n");
        ok("nfs", "exports", "replace", list.toString(), "--yes");
        ok("nfs", "exports", "remove", "/b", "--yes");
        Map<String, Object> left = ok("nfs", "exports", "--json").json();
        assertEquals(1, ApiOptions.items(left).size());
    }

    @Test
    void mountRulesAreAddedTestedAndRemoved() throws Exception {
        assertTrue(ok("exports").out().contains("no rules"));
        fails(ExitCode.USAGE, "10.0.0.0/8", "exports", "add", "/ host(rw)");
        ok("exports", "add", "/ 127.0.0.1(rw)", "--yes");
        ok("exports", "add", "/ 10.0.0.0/8(ro,maproot=65534)", "--at", "1", "--yes");
        assertTrue(ok("exports", "list").out().contains("maproot=65534:65534"));
        assertTrue(ok("exports", "test", "10.1.2.3").out().contains("(ro,maproot"));
        assertTrue(ok("exports", "test", "11.1.2.3").out().contains("refused"));
        ok("exports", "remove", "/ 10.0.0.0/8(ro,maproot=65534:65534)", "--yes");
        ok("exports", "remove", "/ 127.0.0.1(rw)", "--yes");
    }

    @Test
    void sessionsAreShownAndEvictionIsPlanned() throws Exception {
        Map<String, Object> sessions = ok("admin", "sessions", "--json").json();
        Map<?, ?> first = (Map<?, ?>) ApiOptions.items(sessions).getFirst();
        String id = String.valueOf(first.get("id"));
        assertTrue(ok("admin", "sessions").out().contains(id));
        assertTrue(ok("admin", "sessions", "show", id).out().contains("client"));
        assertTrue(ok("admin", "sessions").out().contains("127.0.0.1:"));
        CommandResult plan = ok("admin", "sessions", "evict", id, "--plan");
        assertTrue(plan.out().contains("would change session " + id), plan.out());
        assertEquals(ExitCode.USAGE, cairn("admin", "sessions", "evict", id).code());
        assertTrue(ok("admin", "sessions").out().contains(id), "it was not evicted");
    }

    @Test
    void eventsAreListedAndFollowed() throws Exception {
        Map<String, Object> events = ok("admin", "events", "--json").json();
        assertFalse(ApiOptions.items(events).isEmpty());
        List<String> follow =
                List.of("admin", "events", "--follow", "--after", "0", "--data", data());
        try (CairnProcess process = CairnProcess.start(directory.resolve("events.out"), follow)) {
            process.await("(?m)^\\d{4}-\\d\\d-\\d\\dT\\S+Z  (info|warning|critical) ", 60);
        }
    }

    @Test
    void whatIsWatchedComesAgain() throws Exception {
        List<String> watch = List.of("admin", "targets", "--watch", "1", "--data", data());
        try (CairnProcess process =
                CairnProcess.start(
                        directory.resolve("watch.out"), watch, Map.of("COLUMNS", "40"))) {
            process.await("(?s)ID .*ID .*ID ", 60);
            assertTrue(
                    process.output().lines().allMatch(line -> line.length() <= 40),
                    process.output());
        }
    }

    @Test
    void errorsAreOneLineWithARemedy() throws Exception {
        fails(ExitCode.NO_INPUT, "There is no 'absent'", "fs", "info", "/absent");
        fails(ExitCode.USAGE, "mode", "fs", "chmod", "blue", "/");
        fails(ExitCode.USAGE, "begins with '/'", "fs", "list", "no/mount/here");
        Path wrong = directory.resolve("wrong.token");
        Files.writeString(wrong, "cairn_wrong\n");
        fails(
                ExitCode.NO_PERMISSION,
                "token",
                "admin",
                "masters",
                "--token-file",
                wrong.toString());
        fails(
                ExitCode.NO_INPUT,
                "does not exist",
                "admin",
                "masters",
                "--token-file",
                wrong + ".absent");
        fails(
                ExitCode.UNAVAILABLE,
                "--api",
                "admin",
                "masters",
                "--wait",
                "0",
                "--api",
                "http://127.0.0.1:" + ProcessCluster.freePort());
        fails(ExitCode.CONFIG, "https", "admin", "masters", "--api", "http://192.0.2.1:9870");
        fails(ExitCode.USAGE, "not an address", "admin", "masters", "--api", "master:9870");
    }

    @Test
    void whatTreesHoldIsKnownAtOnce() throws Exception {
        Path tree = Files.createDirectories(mount.resolve("known/sub"));
        Files.writeString(tree.resolve("one"), "1");
        Files.writeString(mount.resolve("known/two"), "22");
        Map<String, Object> known = ok("fs", "usage", "--json", mount + "/known").json();
        assertEquals("/known", known.get("path"));
        assertEquals(3, known.get("inodes"));
        assertEquals(3, known.get("lengthBytes"));
        assertTrue(ok("fs", "usage", "/known").out().contains("not counted: the trash"));
        CommandResult top = ok("fs", "top", "--by", "inodes", "/known");
        assertTrue(top.out().lines().toList().get(1).endsWith("sub"), top.out());
        assertTrue(ok("fs", "top", "--users").out().contains("ID"));
        fails(ExitCode.USAGE, "--groups", "fs", "top");
    }

    @Test
    void quotasHoldOnTheMount() throws Exception {
        Path limited = Files.createDirectory(mount.resolve("limited"));
        ok("quota", "set", limited.toString(), "--length", "8M", "--inodes", "2");
        byte[] piece = new byte[1 << 20];
        int written = 0;
        try (OutputStream out = Files.newOutputStream(limited.resolve("large"))) {
            while (written < 32) {
                out.write(piece);
                written++;
            }
        } catch (IOException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("quota"), e.toString());
        }
        assertEquals(8, written);
        assertEquals(8L << 20, Files.size(limited.resolve("large")));
        Files.write(limited.resolve("large"), piece, StandardOpenOption.WRITE);
        assertEquals(8L << 20, Files.getFileStore(limited).getTotalSpace());
        Files.createDirectory(limited.resolve("sub"));
        assertThrows(IOException.class, () -> Files.createDirectory(limited.resolve("other")));
        assertTrue(ok("quota", "report").out().contains("/limited"));
        fails(ExitCode.USAGE, "--inodes", "quota", "set", "/limited");
        ok("quota", "remove", "/limited");
        assertEquals("none", ok("quota", "list").out().strip());
        Files.createDirectory(limited.resolve("other"));
    }

    @Test
    void storageClassesHoldForNewFilesAndAreAppliedToOldOnes() throws Exception {
        Path dir = Files.createDirectory(mount.resolve("classed"));
        byte[] contents = "seven".repeat(40_000).getBytes(StandardCharsets.UTF_8);
        Files.write(dir.resolve("old"), contents);
        ok("class", "create", "tiny", "--replicas", "1", "--chunk-size", "64K", "--trash", "7d");
        ok("fs", "set", "--class", "tiny", dir.toString());
        Files.write(dir.resolve("new"), contents);
        assertEquals("/classed", ok("class", "of", "--json", dir + "/new").json().get("from"));
        assertEquals("65536", chunkSize("/classed/new"));
        assertTrue(ok("class", "apply", "tiny", "--plan").out().contains("/classed"));
        ok("class", "apply", dir.toString());
        assertEquals("65536", chunkSize("/classed/old"));
        assertArrayEquals(contents, Files.readAllBytes(dir.resolve("old")));
        assertEquals("none", ok("trash", "list", "/classed").out().strip());
        fails(ExitCode.CANNOT_CREATE, "used by /classed", "class", "remove", "tiny");
        ok("class", "set", "tiny", "--chunk-size", "128K");
        Files.write(dir.resolve("newer"), contents);
        assertEquals("131072", chunkSize("/classed/newer"));
        ok("fs", "set", "--class", "none", "/classed");
        ok("class", "remove", "tiny");
    }

    private String chunkSize(String path) throws Exception {
        String layout = String.valueOf(ok("fs", "info", "--json", path).json().get("layout"));
        return layout.replaceAll(".*chunkSizeBytes=([0-9]+).*", "$1");
    }

    @Test
    void wordsOfMooseFsAreUnderstood() {
        CommandResult help = CommandResult.of(List.of("help", "moosefs"));
        for (String word :
                List.of("goal", "trashtime", "fileinfo", "checkfile", "dirinfo", "cli")) {
            assertTrue(help.out().contains(word), word + " in " + help.out());
        }
        CommandResult hint = CommandResult.of(List.of("mfsdirinfo", "/x"));
        assertEquals(ExitCode.USAGE, hint.code());
        assertTrue(hint.errors().contains("cairn fs usage"), hint.errors());
        CommandResult deeper = CommandResult.of(List.of("fs", "setgoal", "3", "/x"));
        assertTrue(deeper.errors().contains("cairn fs set --replicas"), deeper.errors());
    }

    @Test
    void shellsGetACompletion() throws Exception {
        Path script = directory.resolve("completion");
        Files.writeString(script, CommandResult.of(List.of("completion", "bash")).out());
        assertTrue(Files.readString(script).contains("_picocli_cairn_admin_servers"));
        Shell.run(directory, "bash -n " + script);
        assertTrue(CommandResult.of(List.of("completion", "zsh")).out().contains("bashcompinit"));
    }
}
