package io.cairn.nfs.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.testkit.model.ModelFileSystem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
    void listHasALineForEachExportOnceSomebodyHasWrittenOne() {
        assertNull(list.lines());
        write("/b *", "/a/ 10.0.0.0/8");
        assertEquals(List.of("/b *", "/a/ 10.0.0.0/8"), list.lines());
        write();
        assertEquals(List.of(), list.lines());
    }

    @Test
    void changesAreFollowed() {
        try (SharedExports shared =
                new SharedExports(list, List.of(Export.parse("/ *")), scheduler, Runnable::run)) {
            assertEquals(List.of("/"), paths(shared));
            write("/a *");
            later.remove().run();
            assertEquals(List.of("/a"), paths(shared));
            write();
            later.remove().run();
            assertEquals(List.of(), paths(shared), "nothing, once there was a list");
        }
        later.remove().run();
        assertTrue(later.isEmpty(), "nothing is looked at after the end");
    }

    @Test
    void listThatCannotBeReadChangesNothing() {
        write("/a *");
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
            write(line, "/b *");
            later.remove().run();
            assertEquals(List.of("/a", "/b"), paths(shared));
            for (int i = 0; i < 40; i++) {
                later.remove().run();
            }
            assertEquals(List.of("/a", "/b"), paths(shared));
            write("/b *");
            later.remove().run();
            assertEquals(List.of("/b"), paths(shared));
        }
    }

    private static List<String> clients(Export export) {
        return export.rules().stream().map(ClientRule::clients).toList();
    }

    private void write(String... lines) {
        String text = Stream.of(lines).map(line -> line + "\n").collect(Collectors.joining());
        files.setXattr(
                Caller.ROOT,
                FileSystem.ROOT_INO,
                "trusted.cairn.exports".getBytes(StandardCharsets.US_ASCII),
                text.getBytes(StandardCharsets.UTF_8),
                0);
    }
}
