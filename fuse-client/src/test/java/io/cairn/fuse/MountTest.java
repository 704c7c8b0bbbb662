package io.cairn.fuse;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.runtime.Clock;
import io.cairn.testkit.model.ModelFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.io.TempDir;

/**
 * A test that mounts a model in this JVM, and leaves no mount behind. It must not map files of the
 * mount into memory: see {@link FuseMount}.
 */
public class MountTest {
    @TempDir Path temp;

    public final ModelFileSystem model = new ModelFileSystem(Clock.system());
    private final List<Path> directories = new ArrayList<>();

    /** A fresh mountpoint. */
    public Path directory(String name) throws IOException {
        Path directory = Files.createDirectory(temp.toRealPath().resolve(name));
        directories.add(directory);
        return directory;
    }

    public FuseMount mount(Path directory, DriverKind driver) {
        return FuseMount.mount(model, directory, MountOptions.standard().withDriver(driver));
    }

    @AfterEach
    public void unmountAll() {
        directories.forEach(Mounts::clean);
    }

    public static void write(Path file, String text) throws IOException {
        Files.write(file, text.getBytes(UTF_8));
    }

    public static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), UTF_8);
    }

    /** Polls until a condition holds, 30 seconds at most. */
    public static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                Assertions.fail("not within 30 s: " + what);
            }
            Thread.sleep(5);
        }
    }
}
