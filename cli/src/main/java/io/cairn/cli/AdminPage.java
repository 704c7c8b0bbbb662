package io.cairn.cli;

import io.cairn.cluster.Endpoint;
import io.cairn.net.AdminDoor;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The admin address of a process: health, metrics, status. Answers "not ready" until {@link #show}.
 */
final class AdminPage implements AutoCloseable {
    private volatile Supplier<@Nullable String> notReady = () -> "starting";
    private volatile Supplier<String> status = () -> "{}";
    private final AdminDoor door;

    private AdminPage(World world, Endpoint at) {
        door =
                new AdminDoor(
                        world.loops(),
                        at,
                        new AdminDoor.Pages(
                                this::reasons, world.metrics()::scrape, () -> status.get()));
    }

    private List<String> reasons() {
        String reason = notReady.get();
        return reason == null ? List.of() : List.of(reason);
    }

    /** Listens. */
    static AdminPage open(World world, Endpoint at) {
        return new AdminPage(world, at);
    }

    /** What the service behind it answers from now on; a null reason means ready. */
    void show(Supplier<@Nullable String> newNotReady, Supplier<String> newStatus) {
        notReady = newNotReady;
        status = newStatus;
    }

    Endpoint endpoint() {
        return door.endpoint();
    }

    @Override
    public void close() {
        door.close();
    }
}
