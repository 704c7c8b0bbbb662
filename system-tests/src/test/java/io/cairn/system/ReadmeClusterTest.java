package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of the README that start a cluster with three masters, as they are written there: in
 * namespaces of their own, so that ports and directories are free. Only {@code ./cairn} is not the
 * launcher, which would build the tree that is being built.
 */
final class ReadmeClusterTest {
    private static final String BEGIN = "<!-- three masters: begin -->";
    private static final String END = "<!-- three masters: end -->";
    private static final String INDENT = "    ";

    @TempDir private Path directory;

    private static List<String> commands() throws Exception {
        String readme =
                Files.readString(
                        Path.of(
                                Objects.requireNonNull(System.getProperty("cairn.root")),
                                "README.md"));
        String part = readme.substring(readme.indexOf(BEGIN), readme.indexOf(END));
        return part.lines().filter(line -> line.startsWith(INDENT)).map(String::strip).toList();
    }

    private void makeLauncher() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Path launcher = directory.resolve("cairn");
        Files.writeString(
                launcher,
                "#!/bin/sh\nexec "
                        + java
                        + " --enable-native-access=ALL-UNNAMED"
                        + " --sun-misc-unsafe-memory-access=allow -Xmx300m -XX:+UseSerialGC"
                        + " -XX:TieredStopAtLevel=1 '"
                        + String.join("' '", ClassArchive.options())
                        + "' io.cairn.cli.Cairn \"$@\"\n");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    @Timeout(300)
    void nineCommandsMakeACluster() throws Exception {
        List<String> commands = commands();
        assertTrue(commands.size() < 10, commands.toString());
        makeLauncher();
        String script =
                "export HOME="
                        + directory
                        + "\nip link set lo up\nmount -t tmpfs tmpfs /srv\n"
                        // What this machine has there is out of the way in here only.
                        + "umount -l /mnt/cairn 2>/dev/null || true\n"
                        + "mount -t tmpfs tmpfs /mnt\n"
                        + String.join("\n", commands)
                        + "\nhead -c 500000 /dev/urandom >/mnt/cairn/file\nsync /mnt/cairn/file\n"
                        + "cmp /mnt/cairn/file /mnt/cairn/file\numount /mnt/cairn\n";
        Path file = directory.resolve("readme.sh");
        Files.writeString(file, script);
        String output =
                Shell.run(
                        directory,
                        "unshare --net --mount --pid --fork --mount-proc --kill-child sh -eu "
                                + file
                                + " 2>&1",
                        240);
        assertTrue(output.contains("cairn mount of"), output);
        assertTrue(output.contains("cluster   "), output);
        for (String server : List.of("c1", "c2", "c3")) {
            assertTrue(output.contains("chunk     " + server), output);
        }
    }
}
