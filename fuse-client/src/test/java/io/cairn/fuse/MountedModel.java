package io.cairn.fuse;

import io.cairn.runtime.Clock;
import io.cairn.testkit.ModelFileSystem;
import java.nio.file.Path;

/**
 * A process that mounts a model filesystem and prints {@code mounted}: {@code MountedModel
 * DIRECTORY [OPTIONS]}. Ends when it is unmounted, or is killed by a test.
 */
public final class MountedModel {
    private MountedModel() {}

    public static void main(String[] arguments) throws InterruptedException {
        MountOptions options = MountOptions.parse(arguments.length > 1 ? arguments[1] : "");
        try (ModelFileSystem fileSystem = new ModelFileSystem(Clock.system());
                FuseMount mount = FuseMount.mount(fileSystem, Path.of(arguments[0]), options)) {
            Runtime.getRuntime().addShutdownHook(new Thread(mount::close));
            System.out.println("mounted");
            mount.awaitEnd();
        } catch (MountException e) {
            System.err.println("cairn: " + e.getMessage());
            System.exit(e.category().exitCode());
        }
    }
}
