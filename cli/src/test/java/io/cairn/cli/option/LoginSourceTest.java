package io.cairn.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.FsException;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LoginSourceTest {
    @TempDir private Path directory;

    private Path file(String text, String rights) throws IOException {
        Path file = directory.resolve("login");
        Files.deleteIfExists(file);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
        return file;
    }

    private static LoginSource.@Nullable Login read(@Nullable String user, Path file) {
        return new LoginSource(user, file).read();
    }

    private void refused(int code, String says, String text, String rights) throws IOException {
        Path file = file(text, rights);
        var e = assertThrows(CommandException.class, () -> read(null, file), text);
        String message = String.valueOf(e.getMessage());
        assertEquals(code, e.exitCode(), message);
        assertTrue(message.contains(says) && message.contains(file.toString()), message);
        assertFalse(message.contains("horse"), message);
    }

    @Test
    void aFileTellsNameAndPassword() throws IOException {
        String text = "# of the web servers\n\nusername = alice\r\npassword= correct=horse ,\n";
        var login = read(null, file(text, "rw-------"));
        assertEquals(new LoginSource.Login("alice", " correct=horse ,"), login);
        assertFalse(String.valueOf(login).contains("horse"));
        assertEquals(
                new LoginSource.Login("bob", "battery"),
                read("bob", file("user=alice\npassword=battery\n", "r--------")));
        assertNull(new LoginSource(null, null).read());
        assertFalse(new LoginSource("alice", directory).asks());
        assertTrue(new LoginSource("alice", null).asks());
    }

    @Test
    void theAuthorityIsForPasswordsWithoutACertificate() throws IOException {
        assertNull(new LoginSource(null, null).authority(null, true));
        LoginSource alice = new LoginSource("alice", null);
        LoginSource nobody = new LoginSource(null, null);
        String file = file("no certificate", "rw-r--r--").toString();
        var twice = assertThrows(CommandException.class, () -> alice.authority(file, true));
        assertEquals(ExitCode.USAGE, twice.exitCode());
        var without = assertThrows(CommandException.class, () -> nobody.authority(file, false));
        assertEquals(ExitCode.USAGE, without.exitCode());
        assertTrue(String.valueOf(without.getMessage()).contains("credentials=FILE"));
        var bad = assertThrows(FsException.class, () -> alice.authority(file, false));
        assertTrue(String.valueOf(bad.getMessage()).contains(file));
    }

    @Test
    void aFileThatIsNoLoginIsRefused() throws IOException {
        String good = "user=alice\npassword=correct horse\n";
        refused(ExitCode.NO_PERMISSION, "chmod 600", good, "rw-r-----");
        refused(ExitCode.NO_PERMISSION, "chmod 600", good, "rw----r--");
        refused(ExitCode.USAGE, "no line user=NAME", "password=correct horse", "rw-------");
        refused(ExitCode.USAGE, "no line password=PASSWORD", "user=alice", "rw-------");
        refused(ExitCode.USAGE, "is empty", "user=alice\npassword=", "rw-------");
        refused(ExitCode.USAGE, "has a name of", "user=a b\npassword=horse", "rw-------");
        refused(ExitCode.USAGE, "neither", "correct horse", "rw-------");
        Path missing = directory.resolve("missing");
        var e = assertThrows(CommandException.class, () -> read(null, missing));
        assertEquals(ExitCode.NO_INPUT, e.exitCode());
    }
}
