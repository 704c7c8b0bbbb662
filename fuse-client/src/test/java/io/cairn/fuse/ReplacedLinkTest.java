package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A symbolic link that is replaced again and again, as one that points to what is current. */
final class ReplacedLinkTest extends MountTest {
    private static final int READS = 2000;

    @Test
    void libfuseReadsItWhileAnotherMountReplacesIt() throws Exception {
        Path directory = directory("mnt");
        try (FuseMount _ = mount(directory, DriverKind.JNR)) {
            Path link = directory.resolve("current");
            Files.createSymbolicLink(link, Path.of("target"));
            AtomicBoolean done = new AtomicBoolean();
            Thread replacing = Thread.ofPlatform().start(() -> replace(done));
            try {
                for (int i = 0; i < READS; i++) {
                    assertEquals(Path.of("target"), Files.readSymbolicLink(link));
                }
            } finally {
                done.set(true);
                replacing.join();
            }
        }
    }

    /** Past the mount: libfuse itself loses a link that is replaced through it. */
    private void replace(AtomicBoolean done) {
        Name fresh = Name.of("fresh");
        byte[] target = "target".getBytes(StandardCharsets.UTF_8);
        while (!done.get()) {
            model.symlink(Caller.ROOT, FileSystem.ROOT_INO, fresh, target);
            model.rename(
                    Caller.ROOT,
                    FileSystem.ROOT_INO,
                    fresh,
                    FileSystem.ROOT_INO,
                    Name.of("current"),
                    0);
        }
    }
}
