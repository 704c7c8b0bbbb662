package io.cairn.cli.option;

import io.cairn.cluster.Endpoint;
import io.cairn.node.MasterList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where probes and Prometheus find a service from other machines. */
public final class MetricsOption {
    @Option(
            names = "--metrics",
            paramLabel = "HOST:PORT",
            description = "Also serve /health and /metrics, and nothing else, here (default: no).")
    private @Nullable String metrics;

    /** The address, or null. */
    public @Nullable Endpoint endpoint() {
        return metrics == null ? null : MasterList.endpoint(metrics);
    }

    /** The option again, for another process. */
    public List<String> arguments() {
        return metrics == null ? List.of() : List.of("--metrics", metrics);
    }
}
