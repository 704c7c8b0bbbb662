package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mount rules as the applications of a mount see them. */
final class MountRulesMountTest {
    private static final String CLOSED = "/ 10.0.0.0/8(rw)";

    @TempDir private Path directory;

    private void exports(String... words) {
        List<String> arguments = new ArrayList<>(List.of("exports"));
        arguments.addAll(List.of(words));
        arguments.addAll(List.of("--yes", "--data", directory.resolve("data").toString()));
        CommandResult result = CommandResult.of(arguments);
        assertEquals(ExitCode.OK, result.code(), result.errors() + result.out());
    }

    @Test
    void aMountDoesWhatItsRuleSays() throws Exception {
        Path whole = Files.createDirectory(directory.resolve("whole"));
        Path part = Files.createDirectory(directory.resolve("part"));
        String masters = "127.0.0.1:" + ProcessCluster.freePort();
        List<String> up =
                List.of(
                        "up",
                        "--data",
                        directory.resolve("data").toString(),
                        "--mount",
                        whole.toString(),
                        "--chunk-servers",
                        "1",
                        "--listen",
                        masters,
                        "--admin",
                        "127.0.0.1:0");
        List<String> mount = List.of("mount", masters + ":/open", part.toString(), "--foreground");
        try (CairnProcess cluster = CairnProcess.start(directory.resolve("up.log"), up)) {
            cluster.await(CairnProcess.READY, 90);
            Files.createDirectories(whole.resolve("open/sub"));
            Files.createDirectories(whole.resolve("closed"));
            cluster.awaitFirstToken();
            exports("add", CLOSED);
            CairnProcess.Result refused = CairnProcess.run(directory, mount.toArray(String[]::new));
            assertEquals(ExitCode.NO_PERMISSION, refused.exitCode(), refused.output());
            assertTrue(
                    refused.output().contains("no mount rule lets 127.0.0.1 in"), refused.output());
            exports("add", "/open 127.0.0.1(rw,deny=rmdir)");
            try (CairnProcess second = CairnProcess.start(directory.resolve("part.log"), mount)) {
                second.await(CairnProcess.READY, 60);
                lives(whole, part);
            }
        } finally {
            ProcessCluster.unmount(part);
            ProcessCluster.unmount(whole);
        }
    }

    private void lives(Path whole, Path part) throws Exception {
        Files.writeString(part.resolve("sub/f"), "x".repeat(100_000));
        assertEquals(100_000, Files.readString(part.resolve("sub/f")).length());
        assertTrue(Files.getFileStore(part).getTotalSpace() > 0);
        Path empty = Files.createDirectory(part.resolve("empty"));
        IOException denied = assertThrows(IOException.class, () -> Files.delete(empty));
        assertTrue(String.valueOf(denied.getMessage()).contains("not permitted"), denied::toString);
        Poll.until("no listing of the rest", 30, () -> isDenied(whole.resolve("closed")));
        exports("add", "/open 127.0.0.1(ro)", "--at", "1");
        IOException readOnly =
                assertThrows(IOException.class, () -> Files.createDirectory(part.resolve("other")));
        assertTrue(String.valueOf(readOnly.getMessage()).contains("Read-only"), readOnly::toString);
        assertEquals(100_000, Files.size(part.resolve("sub/f")));
        exports("add", "/ *(rw)", "--at", "1");
        Files.delete(empty);
        Files.writeString(whole.resolve("closed/g"), "y");
    }

    private static boolean isDenied(Path path) throws IOException {
        try (Stream<Path> names = Files.list(path)) {
            return names.count() < 0;
        } catch (AccessDeniedException e) {
            return true;
        }
    }
}
