package io.cairn.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.cairn.testkit.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the launchers do about a rehearsal that does not end. */
final class RehearsalScriptTest {
    private static final Path SCRIPT =
            Path.of(System.getProperty("cairn.root"), ".mvn", "rehearse.sh");

    @TempDir private Path dir;

    private void command(String name, String lines) throws IOException {
        Path file = Files.createDirectories(dir.resolve("commands")).resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + lines);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void oneThatWaitsForItsOwnMountIsCutOff() throws Exception {
        Path cut = dir.resolve("cut");
        command(
                "timeout",
                "for i in $(seq 300); do [ -s %s ] && exit 1; /bin/sleep 0.1; done\n".formatted(cut)
                        + "echo was left alone >%s\n".formatted(cut));
        command("sleep", "");
        command("umount", "[ \"$1\" = -l ] || echo \"$2\" >" + cut + "\n");
        Shell.run(
                dir,
                """
                PATH=%s/commands:/usr/bin:/bin
                TMPDIR=%s
                CAIRN_JDK=none
                df() { :; }
                cairn_jvm_options() { :; }
                . %s
                cairn_rehearse lib %s/cairn.aot log 2>&1
                """
                        .formatted(dir, dir, SCRIPT, dir));
        String mountpoint = Files.readString(cut).strip();
        assertEquals("mnt", Path.of(mountpoint).getFileName().toString());
        Path scratch = Objects.requireNonNull(Path.of(mountpoint).getParent());
        assertEquals(dir, scratch.getParent());
        assertFalse(Files.exists(scratch), "nothing is left");
    }
}
