package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerOnlyTest {
    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"rwxr-xr-x", "rwxrwxrwx", "rwx--x---", "rwx------"})
    void anOpenDirectoryIsClosed(String before) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(before));
        OwnerOnly.close(directory);
        assertEquals("rwx------", rights(directory));
    }

    @Test
    void noRightsAreGivenAndAMissingDirectoryIsNoFailure() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-xr-x---"));
        OwnerOnly.close(directory);
        assertEquals("r-x------", rights(directory));
        OwnerOnly.close(directory.resolve("none"));
    }

    @Test
    void whatIsMadeIsClosedAndWhatIsThereStays() throws Exception {
        Path made = directory.resolve("a/b");
        OwnerOnly.make(made);
        assertEquals("rwx------", rights(made));
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
        OwnerOnly.make(made);
        assertEquals("rwxr-xr-x", rights(made));
    }

    private static String rights(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
