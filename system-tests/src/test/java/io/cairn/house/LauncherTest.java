package io.cairn.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the launcher script in a copy of the tree whose JDK, Maven and Java program are scripts that
 * tell how they were called. The copy's path has a blank in it, and the copy looks for JDKs in a
 * directory of the test instead of {@code /usr/lib/jvm}.
 */
class LauncherTest {
    private static final Path ROOT =
            Path.of(
                    Objects.requireNonNull(
                            System.getProperty("cairn.root"),
                            "-Dcairn.root is the root of the repository; ./mvnw sets it"));

    @TempDir Path dir;
    private Path tree;
    private Path jvms;
    private Path lib;
    private final Map<String, String> environment = new HashMap<>();

    /** What a run of a script gave: both streams, in order. */
    private record Outcome(int exitCode, String output) {}

    @BeforeEach
    void plantTree() throws IOException {
        tree = Files.createDirectories(dir.resolve("my cairn"));
        jvms = Files.createDirectories(dir.resolve("jvm"));
        lib = tree.resolve("cli/target/dist/lib");
        copy("cairn");
        copy(".mvn/packages.sh");
        copy(".mvn/jvm-options.sh");
        copy(".mvn/rehearse.sh");
        copy(".mvn/mount-helper.sh");
        copy(".mvn/first-look.sh");
        script(
                tree.resolve(".mvn/find-jdk.sh"),
                Files.readString(ROOT.resolve(".mvn/find-jdk.sh"))
                        .replace("/usr/lib/jvm/", jvms + "/"));
        Files.writeString(tree.resolve("pom.xml"), "");
        Files.createDirectories(tree.resolve("cli/src/main"));
        Files.writeString(tree.resolve("cli/pom.xml"), "");
        maven("mkdir -p cli/target/dist/lib; echo built >>built");
        environment.put("PATH", "/usr/bin:/bin");
        environment.put("HOME", dir.toString());
    }

    @Test
    void withoutJdkSaysWhatToInstall() throws Exception {
        Outcome outcome = cairn("status");
        assertEquals(69, outcome.exitCode());
        assertTrue(outcome.output().startsWith("cairn: no JDK 25 or newer found"), outcome::output);
        assertEquals(1, outcome.output().lines().count(), outcome::output);
    }

    @Test
    void refusesAnOldJdkThatWasNamed() throws Exception {
        environment.put("CAIRN_JAVA_HOME", jdk("old", "17.0.15").toString());
        Outcome outcome = cairn("status");
        assertEquals(69, outcome.exitCode());
        assertTrue(outcome.output().contains("is not a JDK 25 or newer"), outcome::output);
    }

    @Test
    void passesOverAnOldJavaHome() throws Exception {
        environment.put("JAVA_HOME", jdk("old", "21.0.1").toString());
        jdk("new", "27-ea");
        Path best = jdk("right", "25.0.3");
        Outcome outcome = cairn("status");
        assertEquals(0, outcome.exitCode(), outcome::output);
        assertTrue(outcome.output().contains(best + "/bin/java"), outcome::output);
    }

    @Test
    void findsTheJdkOfSdkman() throws Exception {
        Path home = jdk("../.sdkman/candidates/java/25-tem", "25");
        Outcome outcome = cairn("status");
        assertEquals(0, outcome.exitCode(), outcome::output);
        assertTrue(outcome.output().contains(home.normalize() + "/bin/java"), outcome::output);
    }

    @Test
    void buildsOnceAndAgainWhenASourceIsNewer() throws Exception {
        jdk("right", "25.0.3");
        assertTrue(cairn("status").output().contains("cairn: building "));
        assertFalse(cairn("status").output().contains("building"));
        Path source = Files.writeString(tree.resolve("cli/src/main/A.java"), "");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(2)));
        assertTrue(cairn("status").output().contains("cairn: building "));
        assertEquals(2, Files.readAllLines(tree.resolve("built")).size());
    }

    @Test
    void tellsHowFarTheBuildIs() throws Exception {
        jdk("right", "25.0.3");
        String line = "[INFO] Building Cairn cli 0.1.0-SNAPSHOT                 [8/8]";
        maven(
                "echo '"
                        + line
                        + "'; i=0; until grep -q 'building .8/8. Cairn cli$' ../output || [ $i -gt"
                        + " 300 ]; do i=$((i+1)); sleep 0.1; done; mkdir -p cli/target/dist/lib");
        Outcome outcome = cairn("status");
        assertTrue(
                outcome.output().contains("\ncairn: building [8/8] Cairn cli\n"), outcome::output);
    }

    /** The other one holds the lock until the line is there. */
    @Test
    void saysThatItWaitsForTheBuildOfAnotherCommand() throws Exception {
        jdk("right", "25.0.3");
        Files.createDirectories(tree.resolve("target"));
        Path held = dir.resolve("held");
        script(
                dir.resolve("other"),
                "#!/bin/sh\n: >held; i=0; until grep -q 'waiting for it' output || [ $i -gt 300 ];"
                        + " do i=$((i+1)); sleep 0.1; done\n");
        Process other =
                new ProcessBuilder("flock", tree.resolve("target/build.lock").toString(), "./other")
                        .directory(dir.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(dir.resolve("other.out").toFile())
                        .start();
        try {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!Files.exists(held)) {
                assertTrue(other.isAlive() && System.nanoTime() < end, "nobody holds the lock");
                Thread.sleep(10);
            }
            Outcome outcome = cairn("status");
            assertEquals(0, outcome.exitCode(), outcome::output);
            assertTrue(
                    outcome.output().startsWith("cairn: another command builds " + tree),
                    outcome::output);
        } finally {
            other.destroyForcibly();
        }
    }

    /** A build takes a minute: what is wrong with the command is told before. */
    @Test
    void looksAtWhatUpNeedsBeforeTheBuild() throws Exception {
        needsNoPackages();
        jdk("right", "25.0.3");
        Path full = Files.createDirectory(dir.resolve("full dir"));
        Files.writeString(full.resolve("x"), "");
        refusedUnbuilt(66, "mountpoint " + full + " is not empty", "--mount", full.toString());
        refusedUnbuilt(66, "is not a directory", "--mount=" + full.resolve("x"));
        refusedUnbuilt(66, "create it: mkdir -p", "--mount", dir + "/no/mnt");
        refusedUnbuilt(66, "unmount it first", "--mount", "/proc");
        refusedUnbuilt(73, "choose another --data", "--data", full.resolve("x").toString());
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String taken = "127.0.0.1:" + socket.getLocalPort();
            refusedUnbuilt(75, "--listen " + taken + ": another process", "--listen", taken);
            refusedUnbuilt(75, "--nfs " + taken + ": another process", "--nfs=" + taken);
        }
        Outcome outcome =
                cairn(
                        "up",
                        "--mount",
                        full.toString(),
                        "-o",
                        "ro,nonempty",
                        "--listen=127.0.0.1:0",
                        "--admin=127.0.0.1:0");
        assertTrue(outcome.output().contains("cairn: building"), outcome::output);
    }

    private void refusedUnbuilt(int code, String says, String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("up"));
        words.addAll(List.of(options));
        Outcome outcome = cairn(words.toArray(String[]::new));
        assertEquals(code, outcome.exitCode(), outcome::output);
        assertTrue(outcome.output().contains(says), outcome::output);
        assertFalse(outcome.output().contains("building"), outcome::output);
    }

    @Test
    void rehearsesOnceWhatOthersBuiltOrAnotherJdkRehearsed() throws Exception {
        Path jdk = jdk("right", "25.0.3");
        assertTrue(cairn("status").output().contains("cairn: rehearsing once"));
        assertFalse(cairn("status").output().contains("rehearsing"));
        Path jar = Files.writeString(lib.resolve("a.jar"), "");
        Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(1)));
        Outcome outcome = cairn("status");
        assertTrue(outcome.output().contains("cairn: rehearsing once"), outcome::output);
        assertFalse(outcome.output().contains("building"), outcome::output);
        Files.setLastModifiedTime(jar, FileTime.from(Instant.EPOCH));
        assertFalse(cairn("status").output().contains("rehearsing"));
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.4\"\n");
        assertTrue(cairn("status").output().contains("cairn: rehearsing once"));
        assertFalse(cairn("status").output().contains("rehearsing"));
    }

    @Test
    void aRehearsalDoesNotSeeSettingsAndLeavesNoCacheWhenItFails() throws Exception {
        Path cache = tree.resolve("cli/target/dist/cairn.aot");
        environment.put("CAIRN_DATA", "/precious");
        learns(jdk("right", "25.0.3"), 0);
        assertFalse(cairn("status").output().contains("failed"));
        assertTrue(Files.readString(cache).contains("PATH="), Files.readString(cache));
        assertFalse(Files.readString(cache).contains("CAIRN_"), Files.readString(cache));
        learns(jdk("right", "25.0.4"), 1);
        Outcome outcome = cairn("status");
        assertTrue(outcome.output().contains("the rehearsal failed"), outcome::output);
        assertEquals(0, outcome.exitCode(), outcome::output);
        assertFalse(Files.exists(cache));
    }

    /** A Java that keeps what it sees of the environment as what it has learned. */
    private static void learns(Path jdk, int exitCode) throws IOException {
        script(
                jdk.resolve("bin/java"),
                """
                #!/bin/sh
                for a in "$@"; do
                    case $a in -XX:AOTCacheOutput=*) env >"${a#*=}"; exit %d ;; esac
                done
                """
                        .formatted(exitCode));
    }

    @Test
    void failedBuildNamesItsLog() throws Exception {
        jdk("right", "25.0.3");
        maven("echo '[ERROR] A.java: no such thing'; exit 1");
        Outcome outcome = cairn("status");
        assertEquals(70, outcome.exitCode());
        assertTrue(outcome.output().contains("[ERROR] A.java: no such thing"), outcome::output);
        assertTrue(
                outcome.output().contains("the build failed; see " + tree + "/target/build.log"),
                outcome::output);
    }

    @Test
    void passesArgumentsAndOptionsAsTheyAre() throws Exception {
        jdk("right", "25.0.3");
        environment.put("CAIRN_JAVA_OPTS", "-Xmx3g -Dx=y");
        String output = cairn("master", "--data", "a  b", "*").output();
        assertTrue(output.contains("[-Xmx2g]"), output);
        assertTrue(
                output.contains(
                        "[-Xmx3g][-Dx=y][-cp]["
                                + lib
                                + "/*][io.cairn.cli.Cairn][master][--data][a  b][*]"),
                output);
    }

    /** With the file of those that all have, which counts as one. */
    @Test
    void givesNoRoleMoreThanEightOptions() throws Exception {
        Path cache = Files.writeString(dir.resolve("cairn.aot"), "");
        Path program = dir.resolve("options");
        for (int processors : new int[] {1, 2, 4, 64}) {
            script(
                    program,
                    "#!/bin/sh\n. '"
                            + tree
                            + "/.mvn/jvm-options.sh'\ncairn_processors() { echo "
                            + processors
                            + "; }\ncairn_jvm_options \"$1\" \"$2\"\n");
            for (String role : List.of("up", "master", "chunk", "mount", "nfs", "status")) {
                String options = run(program, role, cache.toString()).output();
                assertTrue(options.contains("-XX:AOTCache=" + cache), options);
                assertTrue(options.strip().split("\\s+", -1).length < 8, role + ": " + options);
            }
        }
        jdk("right", "25.0.3");
        String output = cairn("status").output();
        assertTrue(output.contains("[@" + lib + "/java.options][-Xmx"), output);
    }

    /** The first compiler alone does not use the instructions of the processor for AES. */
    @Test
    void givesEncryptionBothCompilersOnFewProcessors() throws Exception {
        needsNoPackages();
        jdk("right", "25.0.3");
        script(dir.resolve("bin/nproc"), "#!/bin/sh\necho 2\n");
        environment.put("PATH", dir.resolve("bin") + ":/usr/bin:/bin");
        Path bare = Files.createDirectory(dir.resolve("bare"));
        Path plain = config("plain", "data: " + bare + "\n#master-key-file: /k\n");
        assertFalse(hasBoth("mount", "h:1", "/mnt", "-o", "ro,names=async"));
        assertFalse(hasBoth("mount", "h:1", "/mnt", "--identity", "/x"));
        assertFalse(hasBoth("chunk", "--data", bare.toString()));
        assertFalse(hasBoth("chunk", "--data", bare.toString(), "--join=TOKEN"));
        assertFalse(hasBoth("chunk", "--config", plain.toString()));
        // A pipe can be read once.
        Path pipe = dir.resolve("pipe");
        assertEquals(0, run(Path.of("/usr/bin/mkfifo"), pipe.toString()).exitCode());
        assertFalse(hasBoth("chunk", "--config", pipe.toString()));
        assertFalse(hasBoth("status", "--master-key-file", "/x"));
        assertTrue(hasBoth("chunk", "--data", bare.toString(), "--master-key-file", "/k"));
        Path key = config("key", "data: " + bare + "\nmaster-key-command: x\n");
        assertTrue(hasBoth("chunk", "--config=" + key));
        assertTrue(hasBoth("chunk", "--config", key.toString()));
        environment.put("CAIRN_MASTER_KEY_FILE", "/k");
        assertTrue(hasBoth("chunk", "--data", bare.toString()));
    }

    private Path config(String name, String lines) throws IOException {
        return Files.writeString(dir.resolve(name + ".yaml"), lines);
    }

    private boolean hasBoth(String... arguments) throws Exception {
        Outcome outcome = cairn(arguments);
        assertEquals(0, outcome.exitCode(), outcome::output);
        return !outcome.output().contains("[-XX:TieredStopAtLevel=1]");
    }

    @Test
    void followsTheLinkItWasCalledThrough() throws Exception {
        jdk("right", "25.0.3");
        Path link = Files.createSymbolicLink(dir.resolve("link"), tree.resolve("cairn"));
        Outcome outcome = run(link, "status");
        assertEquals(0, outcome.exitCode(), outcome::output);
        assertTrue(outcome.output().contains("[" + lib + "/*]"), outcome::output);
    }

    @Test
    void mountsWhenCalledAsTheHelperOfMount() throws Exception {
        needsNoPackages();
        jdk("right", "25.0.3");
        Path link = Files.createSymbolicLink(dir.resolve("mount.cairn"), tree.resolve("cairn"));
        Outcome outcome = run(link, "host:1", "/mnt");
        assertTrue(outcome.output().contains("needs mounting "), outcome::output);
        assertTrue(outcome.output().endsWith("[mount][host:1][/mnt]"), outcome::output);
    }

    @Test
    void nobodyLogsInBecauseAnOrdinaryUserMounts() throws Exception {
        needsNoPackages();
        jdk("right", "25.0.3");
        Path link = Files.createSymbolicLink(dir.resolve("mount.cairn"), tree.resolve("cairn"));
        Outcome outcome =
                run(
                        link,
                        "host:1",
                        "/m",
                        "-o",
                        "rw,noexec,user=joe,username=a",
                        "-t",
                        "fuse.cairn");
        assertTrue(outcome.output().contains("[-o][rw,noexec,username=a]"), outcome::output);
    }

    @Test
    void leavesRemountingToTheKernel() throws Exception {
        script(dir.resolve("bin/mount"), "#!/bin/sh\nprintf '[%s]' \"$@\"\n");
        environment.put("PATH", dir.resolve("bin") + ":/usr/bin:/bin");
        Path link = Files.createSymbolicLink(dir.resolve("mount.cairn"), tree.resolve("cairn"));
        String options = "rw,remount,ro,user_id=0,default_permissions,noatime";
        Outcome outcome = run(link, "host:1", "/m n", "-n", "-o", options, "-t", "fuse.cairn");
        assertEquals(
                "[-i][-o][remount,rw,ro,noatime][host:1][/m n]", outcome.output(), outcome::output);
    }

    @Test
    void helpNeedsNoPackages() throws Exception {
        needsNoPackages();
        jdk("right", "25.0.3");
        assertFalse(cairn("mount", "--help").output().contains("needs"));
        assertFalse(cairn("up").output().contains("needs"));
        assertTrue(cairn("up", "--mount=/mnt").output().contains("needs mounting "));
    }

    @Test
    void testCountsTheReports() throws Exception {
        needsNoPackages();
        jdk("right", "25.0.3");
        maven(report("common", 5, 0, 0, 0) + report("cli", 4, 0, 0, 0));
        Outcome outcome = cairn("test");
        assertEquals(0, outcome.exitCode(), outcome::output);
        assertTrue(outcome.output().endsWith("9 passed, 0 failed, 0 skipped\n"), outcome::output);
    }

    @Test
    void testFailsOnASkippedTest() throws Exception {
        needsNoPackages();
        jdk("right", "25.0.3");
        maven(report("common", 5, 0, 0, 2));
        Outcome outcome = cairn("test");
        assertEquals(1, outcome.exitCode(), outcome::output);
        assertTrue(outcome.output().endsWith("3 passed, 0 failed, 2 skipped\n"), outcome::output);
    }

    @Test
    void testFailsWhenMavenDoes() throws Exception {
        needsNoPackages();
        jdk("right", "25.0.3");
        maven(report("common", 5, 1, 2, 0) + "exit 1");
        Outcome outcome = cairn("test");
        assertEquals(1, outcome.exitCode(), outcome::output);
        assertTrue(outcome.output().endsWith("2 passed, 3 failed, 0 skipped\n"), outcome::output);
    }

    @Test
    void testFailsWhenNoTestRan() throws Exception {
        needsNoPackages();
        jdk("right", "25.0.3");
        maven("");
        Outcome outcome = cairn("test");
        assertEquals(1, outcome.exitCode(), outcome::output);
        assertTrue(outcome.output().endsWith("0 passed, 0 failed, 0 skipped\n"), outcome::output);
    }

    /** A line of shell that leaves the report of a module as surefire does. */
    private static String report(String module, int tests, int errors, int failures, int skipped) {
        return """
        mkdir -p %1$s/target/surefire-reports
        cat >%1$s/target/surefire-reports/TEST-%1$s.xml <<'E'
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuite xmlns:xsi="x" version="3.0.2" name="A" time="0.201" tests="%2$d" errors="%3$d" \
        skipped="%5$d" failures="%4$d" flakes="0">
          <testcase name="a" classname="A" time="0.1"/>
        </testsuite>
        E
        """
                .formatted(module, tests, errors, failures, skipped);
    }

    /** The machine of this test may lack packages; they are the launcher's other room. */
    private void needsNoPackages() throws IOException {
        Files.writeString(
                tree.resolve(".mvn/packages.sh"),
                """
                CAIRN_TEST_PACKAGES=x
                CAIRN_MOUNT_PACKAGES=y
                cairn_need_packages() { echo "needs $*"; }
                """);
    }

    private Path jdk(String name, String version) throws IOException {
        Path home = Files.createDirectories(jvms.resolve(name));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        script(
                home.resolve("bin/java"),
                "#!/bin/sh\necho \"$0\"\nfor a in \"$@\"; do printf '[%s]' \"$a\"; done\n");
        script(home.resolve("bin/javac"), "#!/bin/sh\n");
        return home;
    }

    private void maven(String commands) throws IOException {
        script(tree.resolve("mvnw"), "#!/bin/sh\n" + commands + "\n");
    }

    private void copy(String path) throws IOException {
        script(tree.resolve(path), Files.readString(ROOT.resolve(path)));
    }

    private static void script(Path path, String text) throws IOException {
        Files.createDirectories(Objects.requireNonNull(path.getParent()));
        Files.writeString(path, text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Outcome cairn(String... arguments) throws Exception {
        return run(tree.resolve("cairn"), arguments);
    }

    private Outcome run(Path program, String... arguments) throws Exception {
        Path output = dir.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(program.toString());
        builder.command().addAll(List.of(arguments));
        builder.directory(dir.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.redirectErrorStream(true).redirectOutput(output.toFile());
        Process process = builder.start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        return new Outcome(process.waitFor(), Files.readString(output));
    }
}
