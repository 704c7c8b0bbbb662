package io.cairn.fuse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Set-uid and set-gid end with a write, and the kernel knows it at once. */
@Timeout(120)
class SetUidTest extends MountTest {
    private static final int USER = 12_345;

    @BeforeEach
    void letOthersIn() throws IOException {
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String asUser(String command) throws Exception {
        Process process =
                new ProcessBuilder(
                                "setpriv",
                                "--reuid",
                                Integer.toString(USER),
                                "--regid",
                                Integer.toString(USER),
                                "--clear-groups",
                                "bash",
                                "-c",
                                command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), command);
        assertEquals(0, process.exitValue(), command);
        return out;
    }

    private static FuseMount mountWithSetUid(Path at, FileSystem files, DriverKind driver) {
        return FuseMount.mount(files, at, MountOptions.parse("suid").withDriver(driver));
    }

    /** A program that says as whom it runs. */
    private static Path program(Path at) throws Exception {
        Path file = at.resolve("program");
        Files.copy(Path.of("/usr/bin/id"), file);
        Files.setAttribute(file, "unix:mode", 06777);
        assertEquals("0", asUser(file + " -u"), "set-uid is honoured");
        return file;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "KERNEL;echo text >>FILE",
                "KERNEL;printf '\\177' 1<>FILE",
                "KERNEL;truncate -s +3 FILE",
                "KERNEL;fallocate -l 1000000 FILE",
                "KERNEL;printf '\\177' | dd of=FILE conv=notrunc status=none",
                "JNR;echo text >>FILE",
                "JNR;printf '\\177' 1<>FILE",
                "JNR;truncate -s +3 FILE",
                "JNR;fallocate -l 1000000 FILE",
            })
    void aWriteByAnotherUserTakesItAwayAtOnce(DriverKind driver, String command) throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mountWithSetUid(at, model, driver)) {
            Path file = program(at);
            asUser(command.replace("FILE", file.toString()));
            assertEquals(Integer.toString(USER), asUser(file + " -u"), command);
            assertEquals(0777, mode(file), command);
        }
    }

    private static int mode(Path file) throws IOException {
        return (int) Files.getAttribute(file, "unix:mode") & 07777;
    }

    @Test
    void whatAnotherMountTookAwayIsNotHonouredForASecond() throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mountWithSetUid(at, model, DriverKind.KERNEL)) {
            Path file = program(at);
            long ino = model.lookup(Caller.ROOT, FileSystem.ROOT_INO, Name.of("program")).ino();
            model.setAttributes(Caller.ROOT, ino, AttributeChange.NONE.withMode(0777));
            assertEquals(Integer.toString(USER), asUser(file + " -u"));
        }
    }

    @Test
    void setUidCountsForNothingUnlessAskedFor() throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mount(at, DriverKind.KERNEL)) {
            Path file = at.resolve("program");
            Files.copy(Path.of("/usr/bin/id"), file);
            Files.setAttribute(file, "unix:mode", 06777);
            assertEquals(Integer.toString(USER), asUser(file + " -u"));
        }
    }
}
