package io.cairn.fuse.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.cairn.fs.FileSystem;
import io.cairn.fuse.FuseMount;
import io.cairn.fuse.MountTest;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.os.MountCalls;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a mount tells of its slowest requests. */
@Timeout(60)
class SlowRequestsTest extends MountTest {
    /** Much longer than what is never slow. */
    private static final long SLOW_NS = TimeUnit.MILLISECONDS.toNanos(2);

    /** The model, where changes of names and questions for paths take a while. */
    private FileSystem slow() {
        return (FileSystem)
                Proxy.newProxyInstance(
                        FileSystem.class.getClassLoader(),
                        new Class<?>[] {FileSystem.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("mkdir")) {
                                LockSupport.parkNanos(SLOW_NS);
                            }
                            if (method.getName().equals("path")) {
                                LockSupport.parkNanos(SLOW_NS);
                                return "/told".getBytes(StandardCharsets.UTF_8);
                            }
                            try {
                                return method.invoke(model, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static String told(Path at) {
        byte[] told =
                MountCalls.getxattr(at, SlowRequests.NAME, errno -> fail("getxattr: " + errno));
        return told == null ? "" : new String(told, StandardCharsets.UTF_8);
    }

    @Test
    void whoAsksIsNotToldOfTheQuestions() throws Exception {
        Path at = directory("mnt");
        MountOptions options = MountOptions.standard().withDriver(DriverKind.KERNEL);
        try (FuseMount _ = FuseMount.mount(slow(), at, options)) {
            Files.createDirectory(at.resolve("d"));
            // A request may be answered a moment before it is kept.
            MountTest.await("the change", () -> told(at).contains("mkdir\t"));
            for (int i = 0; i < 3; i++) {
                String lines = told(at);
                assertTrue(lines.contains("\t/told\n"), lines);
                assertFalse(lines.contains("getxattr\t"), lines);
            }
        }
    }

    @Test
    void aPathTooLongIsLeftOutAndNothingElse() {
        List<String> lines = List.of("a\t", "b\t", "c\t");
        String huge = "x".repeat(256 << 10);
        assertEquals("a\t/1\nb\t\nc\t/3\n", joined(lines, List.of("/1", huge, "/3")));
        // Fewer characters than there is room for bytes.
        String wide = "\u20ac".repeat(SlowRequests.MOST_BYTES / 2);
        assertEquals("a\t\nb\t/2\nc\t/3\n", joined(lines, List.of(wide, "/2", "/3")));
    }

    @Test
    void linesAreToldBeforePaths() {
        List<String> lines = Collections.nCopies(400, "line of a request\t");
        String told = joined(lines, Collections.nCopies(400, "/path".repeat(100)));
        assertTrue(told.length() <= SlowRequests.MOST_BYTES, told.length() + " bytes");
        assertTrue(told.startsWith("line of a request\t/path"), told);
        assertEquals(400, told.lines().count());
    }

    private static String joined(List<String> lines, List<String> paths) {
        return new String(SlowRequests.joined(lines, paths), StandardCharsets.UTF_8);
    }
}
