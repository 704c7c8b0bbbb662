package io.cairn.fuse;

import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.sys.MountException;
import io.cairn.runtime.Clock;
import io.cairn.testkit.model.ModelFileSystem;
import java.nio.file.Path;

/**
 * A process that mounts a model filesystem and prints {@code mounted}: {@code MountedModel
 * DIRECTORY [OPTIONS [MAX_LINKS]]}. Ends when it is unmounted or killed.
 */
public final class MountedModel {
    private MountedModel() {}

    public static void main(String[] arguments) throws InterruptedException {
        MountOptions options = MountOptions.parse(arguments.length > 1 ? arguments[1] : "");
        int maxLinks = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 65_000;
        try (ModelFileSystem model = new ModelFileSystem(Clock.system(), maxLinks, 64L << 30);
                FuseMount mount = FuseMount.mount(model, Path.of(arguments[0]), options)) {
            Runtime.getRuntime().addShutdownHook(new Thread(mount::close));
            System.out.println("mounted");
            mount.awaitEnd();
        } catch (MountException e) {
            System.err.println("cairn: " + e.getMessage());
            System.exit(e.category().exitCode());
        }
    }
}
