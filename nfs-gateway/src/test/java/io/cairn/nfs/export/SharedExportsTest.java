package io.cairn.nfs.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.testkit.model.ModelFileSystem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SharedExportsTest {
    private final FileSystem files = new ModelFileSystem(Clock.system());
    private final ExportList list = new ExportList(files);
    private final Deque<Runnable> later = new ArrayDeque<>();

    private final Scheduler scheduler =
            new Scheduler() {
                @Override
                public Timer schedule(Runnable task, long delayMs) {
                    later.add(task);
                    return () -> later.remove(task);
                }

                @Override
                public void execute(Runnable task) {
                    later.add(task);
                }
            };

    private static List<String> paths(Exports exports) {
        return exports.all().stream().map(Export::path).toList();
    }

    @Test
    void listKeepsOneLineForEachPath() {
        assertNull(list.lines());
        assertFalse(list.remove("/a"));
        list.put("/a *(rw)");
        list.put("/b *");
        list.put("/a/ 10.0.0.0/8");
        assertEquals(List.of("/b *", "/a/ 10.0.0.0/8"), list.lines());
        assertTrue(list.remove("/a"));
        assertFalse(list.remove("/a"));
        assertThrows(IllegalArgumentException.class, () -> list.put("/c *(fast)"));
        assertThrows(IllegalArgumentException.class, () -> list.put("/c *(rsize=5000)"));
        assertEquals(List.of("/b *"), list.lines());
    }

    @Test
    void changesAtTheSameMomentAreAllKept() throws Exception {
        List<Thread> writers = new ArrayList<>();
        for (int w = 0; w < 4; w++) {
            String path = "/w" + w + "-";
            writers.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        for (int i = 0; i < 10; i++) {
                                            list.put(path + i + " *");
                                        }
                                    }));
        }
        for (Thread writer : writers) {
            writer.join();
        }
        List<String> lines = list.lines();
        assertEquals(40, lines == null ? 0 : lines.size());
    }

    @Test
    void changesAreFollowed() {
        try (SharedExports shared =
                new SharedExports(list, List.of(Export.parse("/ *")), scheduler, Runnable::run)) {
            assertEquals(List.of("/"), paths(shared));
            list.put("/a *");
            later.remove().run();
            assertEquals(List.of("/a"), paths(shared));
            list.remove("/a");
            later.remove().run();
            assertEquals(List.of(), paths(shared), "nothing, once there was a list");
        }
        later.remove().run();
        assertTrue(later.isEmpty(), "nothing is looked at after the end");
    }

    @Test
    void listThatCannotBeReadChangesNothing() {
        list.put("/a *");
        try (SharedExports shared = new SharedExports(list, List.of(), scheduler, Runnable::run)) {
            write("nonsense");
            later.remove().run();
            assertEquals(List.of("/a"), paths(shared));
        }
    }

    /** A machine that was taken out of service must not take the others along. */
    @Test
    void clientNobodyKnowsIsLeftOut() {
        String line = "/a no-such-host.invalid(rw) 10.0.0.1(rw)";
        write(line);
        try (SharedExports shared = new SharedExports(list, List.of(), scheduler, Runnable::run)) {
            assertEquals(List.of("/a"), paths(shared));
            assertEquals(List.of("10.0.0.1"), clients(shared.all().get(0)));
            list.put("/b *");
            assertEquals(List.of(line, "/b *"), list.lines());
            later.remove().run();
            assertEquals(List.of("/a", "/b"), paths(shared));
            for (int i = 0; i < 40; i++) {
                later.remove().run();
            }
            assertEquals(List.of("/a", "/b"), paths(shared));
            assertTrue(list.remove("/a"));
            later.remove().run();
            assertEquals(List.of("/b"), paths(shared));
        }
    }

    private static List<String> clients(Export export) {
        return export.rules().stream().map(ClientRule::clients).toList();
    }

    private void write(String text) {
        files.setXattr(
                Caller.ROOT,
                FileSystem.ROOT_INO,
                "trusted.cairn.exports".getBytes(StandardCharsets.US_ASCII),
                (text + "\n").getBytes(StandardCharsets.UTF_8),
                0);
    }
}
