package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Settings.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    private static final SettingKey<Long> LEASE =
            SettingKey.millis("lease", 15_000, 100, 600_000, "How long a lease lasts.");
    private static final SettingKey<Long> CACHE =
            SettingKey.bytes("mount.cache-bytes", 1 << 20, 0, 1L << 40, "Memory for buffers.");
    private static final SettingKey<Integer> REPLICAS =
            SettingKey.number("replicas", 2, 1, 15, "Copies of every chunk.");
    private static final SettingKey<Boolean> SYNC =
            SettingKey.flag("mount.sync", false, "Whether every write is synchronous.");
    private static final SettingKey<String> DURABILITY =
            SettingKey.choice(
                    "durability", "strict", List.of("strict", "relaxed"), "When to acknowledge.");
    private static final SettingKey<Endpoint> ADMIN =
            SettingKey.endpoint("admin", new Endpoint("127.0.0.1", 9870), "The admin door.");
    private static final SettingKey<List<Endpoint>> MASTERS =
            SettingKey.endpoints("masters", List.of(), "All masters.");
    private static final SettingKey<String> NAME = SettingKey.text("name", "", "Shown to people.");
    private static final List<SettingKey<?>> KEYS =
            List.of(LEASE, CACHE, REPLICAS, SYNC, DURABILITY, ADMIN, MASTERS, NAME);

    @TempDir Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("cairn.yaml"), text);
    }

    private static String problemOf(Sources sources) {
        return String.valueOf(
                assertThrows(SettingsException.class, () -> Settings.load(KEYS, sources))
                        .getMessage());
    }

    private String problemOf(String yaml) throws IOException {
        Path path = file(yaml);
        String message =
                String.valueOf(
                        assertThrows(
                                        SettingsException.class,
                                        () -> Settings.load(KEYS, new Sources().file(path)))
                                .getMessage());
        return message.replace(path.toString(), "F");
    }

    @Test
    void standardsCountWhenNobodySaysAnything() {
        Settings settings = Settings.load(KEYS, new Sources());
        assertEquals(15_000, settings.get(LEASE));
        assertEquals(2, settings.get(REPLICAS));
        assertEquals(false, settings.get(SYNC));
        assertEquals("standard", settings.placeOf(LEASE));
    }

    @Test
    void everyTypeIsRead() throws IOException {
        Settings settings =
                Settings.load(
                        KEYS,
                        new Sources()
                                .file(
                                        file(
                                                """
                                                # a comment
                                                lease: 2min
                                                replicas: 3
                                                durability: relaxed
                                                admin: "[::1]:80"
                                                masters: [a:1, "b:2"]
                                                name: "  spaces  "
                                                mount:
                                                  cache-bytes: 64 MiB
                                                  sync: true
                                                """)));
        assertEquals(120_000, settings.get(LEASE));
        assertEquals(3, settings.get(REPLICAS));
        assertEquals("relaxed", settings.get(DURABILITY));
        assertEquals(new Endpoint("::1", 80), settings.get(ADMIN));
        assertEquals(List.of(new Endpoint("a", 1), new Endpoint("b", 2)), settings.get(MASTERS));
        assertEquals(64L << 20, settings.get(CACHE));
        assertEquals(true, settings.get(SYNC));
        assertEquals(directory.resolve("cairn.yaml") + ":9", settings.placeOf(CACHE));
    }

    @Test
    void theCommandLineCountsBeforeTheEnvironmentBeforeTheFile() throws IOException {
        Path path = file("lease: 1s\nreplicas: 1\nmount.cache-bytes: 1k\n");
        Map<String, String> variables =
                Map.of("CAIRN_LEASE", "2s", "CAIRN_MOUNT_CACHE_BYTES", "2k", "HOME", "/root");
        Settings settings =
                Settings.load(
                        KEYS,
                        new Sources()
                                .file(path)
                                .environment(variables, Set.of())
                                .option("--lease", "lease", "3s"));
        assertEquals(3_000, settings.get(LEASE));
        assertEquals("--lease", settings.placeOf(LEASE));
        assertEquals(2_048, settings.get(CACHE));
        assertEquals("CAIRN_MOUNT_CACHE_BYTES", settings.placeOf(CACHE));
        assertEquals(1, settings.get(REPLICAS));
        assertEquals(path + ":2", settings.placeOf(REPLICAS));
    }

    @Test
    void unknownKeysAreRefusedWithAHint() throws IOException {
        assertEquals(
                "F:2: unknown key 'replicsa'; did you mean 'replicas'?",
                problemOf("lease: 1s\nreplicsa: 1\n"));
        assertEquals(
                "F:2: unknown key 'mount.cash-bytes'; did you mean 'mount.cache-bytes'?",
                problemOf("mount:\n  cash-bytes: 1\n"));
        assertEquals(
                "environment: unknown variable 'CAIRN_LAESE'; did you mean 'CAIRN_LEASE'?",
                problemOf(new Sources().environment(Map.of("CAIRN_LAESE", "1"), Set.of())));
        assertEquals(
                "--set: unknown key 'nothing-like-it'",
                problemOf(new Sources().option("--set", "nothing-like-it", "1")));
        Settings.load(
                KEYS,
                new Sources()
                        .environment(Map.of("CAIRN_JAVA_HOME", "/x"), Set.of("CAIRN_JAVA_HOME")));
    }

    @Test
    void badValuesAreRefusedWithTheirPlace() throws IOException {
        assertEquals(
                "F:1: replicas is '16', but takes a number from 1 to 15",
                problemOf("replicas: 16\n"));
        assertEquals(
                "F:1: lease is 'soon', but takes a time from 100 to 600000 ms,"
                        + " such as 1500, 1500ms, 15s, 2min",
                problemOf("lease: soon\n"));
        assertEquals(
                "--lease: lease is '9223372036854775807h', but takes a time from 100 to 600000 ms,"
                        + " such as 1500, 1500ms, 15s, 2min",
                problemOf(new Sources().option("--lease", "lease", "9223372036854775807h")));
        assertEquals(
                "F:1: mount.sync is 'yes', but takes true or false",
                problemOf("mount.sync: yes\n"));
        assertEquals(
                "F:1: durability is 'lax', but takes one of strict, relaxed",
                problemOf("durability: lax\n"));
        assertEquals(
                "F:1: masters is 'a:1,b', but takes HOST:PORT[,HOST:PORT...]",
                problemOf("masters: [a:1, b]\n"));
    }

    @Test
    void allProblemsAreToldAtOnce() throws IOException {
        assertEquals(
                "F:2: unknown key 'leese'; did you mean 'lease'?;"
                        + " F:1: replicas is '0', but takes a number from 1 to 15",
                problemOf("replicas: 0\nleese: 1s\n"));
    }

    @Test
    void badFilesAreRefusedWithTheirLine() throws IOException {
        assertEquals("F:2: lease is set already at F:1", problemOf("lease: 1s\nlease: 2s\n"));
        assertEquals("F:1: lease has no value", problemOf("lease:\n"));
        assertEquals("F:1: lines like 'key: value' are expected", problemOf("hello\n"));
        assertEquals("F:1: masters takes a value or a list", problemOf("masters: [[a]]\n"));
        assertEquals("F:1: a key must be a word", problemOf("[a, b]: 1\n"));
        String broken = problemOf("lease: [1\nreplicas: 2\n");
        assertEquals("F:2: not YAML", broken.substring(0, "F:2: not YAML".length()));
        Path none = directory.resolve("none.yaml");
        assertEquals(
                none + ": no such file",
                assertThrows(SettingsException.class, () -> new Sources().file(none)).getMessage());
        Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, 1});
        assertEquals(
                binary + ": not UTF-8 text",
                assertThrows(SettingsException.class, () -> new Sources().file(binary))
                        .getMessage());
    }

    @Test
    void anEmptyFileIsFine() throws IOException {
        assertEquals(2, Settings.load(KEYS, new Sources().file(file(""))).get(REPLICAS));
        assertEquals(2, Settings.load(KEYS, new Sources().file(file("# x\n"))).get(REPLICAS));
    }

    @Test
    void aKeyNotLoadedIsAMistakeOfTheProgram() {
        Settings settings = Settings.load(List.of(LEASE), new Sources());
        assertThrows(IllegalArgumentException.class, () -> settings.get(REPLICAS));
        assertThrows(IllegalArgumentException.class, () -> SettingKey.text("Not_A_Key", "", ""));
    }

    @Test
    void spellingFindsTheNearest() {
        assertEquals(0, Spelling.distance("abc", "abc"));
        assertEquals(1, Spelling.distance("abc", "acb"));
        assertEquals(3, Spelling.distance("", "abc"));
        assertEquals(3, Spelling.distance("kitten", "sitting"));
        assertEquals("status", Spelling.nearest("sattus", List.of("stats", "status")));
        assertNull(Spelling.nearest("xyzzy", List.of("status", "mount")));
    }
}
