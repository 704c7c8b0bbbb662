package io.cairn.node;

import io.cairn.cluster.Endpoint;
import io.cairn.http.AdminServer;
import io.cairn.http.WebAnswer;
import io.cairn.http.WebHandler;
import io.cairn.http.WebProblem;
import io.cairn.http.WebRequest;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The admin address of a process: health, metrics, status, and for masters the admin API; and the
 * address for probes and metrics alone. Answers "not ready" until {@link #show}.
 */
public final class AdminPage implements AutoCloseable {
    private volatile Supplier<@Nullable String> notReady = () -> "starting";
    private volatile Supplier<String> status = () -> "{}";
    private volatile WebHandler others = AdminPage::nothing;
    private final Closing closing = new Closing();
    private final AdminServer door;

    private AdminPage(
            ProcessContext world,
            Endpoint at,
            @Nullable AdminAddress master,
            @Nullable Endpoint probes) {
        AdminServer.Pages bare =
                new AdminServer.Pages(this::reasons, world.metrics()::scrape, null);
        boolean isOpen = master == null || master.isLoopback();
        door =
                closing.add(
                        new AdminServer(
                                world.clock(),
                                at,
                                master == null ? null : master.certificate(),
                                new AdminServer.Pages(
                                        this::reasons,
                                        world.metrics()::scrape,
                                        isOpen ? () -> status.get() : null),
                                request -> others.answer(request)));
        try {
            if (probes != null) {
                closing.add(new AdminServer(world.clock(), probes, bare));
            }
        } catch (RuntimeException e) {
            closing.close();
            throw e;
        }
    }

    private static WebAnswer nothing(WebRequest request) {
        return WebProblem.of(
                        404,
                        "not-found",
                        "Not found",
                        request.path() + " is not here; /health/live, /health/ready, /metrics are.")
                .toAnswer();
    }

    private List<String> reasons() {
        String reason = notReady.get();
        return reason == null ? List.of() : List.of(reason);
    }

    /** Listens, for a service that is only looked at; {@code probes} is a further address. */
    public static AdminPage open(ProcessContext world, Endpoint at, @Nullable Endpoint probes) {
        return new AdminPage(world, at, null, probes);
    }

    /** Listens, for a master. */
    public static AdminPage open(ProcessContext world, AdminAddress at) {
        return new AdminPage(world, at.endpoint(), at, at.metrics());
    }

    /** The answer of the service from now on; a null reason means ready. */
    public void show(Supplier<@Nullable String> newNotReady, Supplier<String> newStatus) {
        notReady = newNotReady;
        status = newStatus;
    }

    /** The handler of all other paths from now on. */
    public void serve(WebHandler handler) {
        others = handler;
    }

    public Endpoint endpoint() {
        return door.endpoint();
    }

    @Override
    public void close() {
        closing.close();
    }
}
