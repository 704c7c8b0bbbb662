package io.cairn.cli.option;

import io.cairn.node.CommandException;
import io.cairn.node.ProcessContext;
import io.cairn.node.identity.Credentials;
import io.cairn.runtime.OwnerOnly;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/** Options of the command line for the world of a service. */
public final class ProcessOptions {
    @Mixin private TraceOptions traces = new TraceOptions();

    @Mixin private CpuLatencyOption cpuLatency = new CpuLatencyOption();

    /**
     * Looks at the options before anything starts.
     *
     * @throws CommandException with USAGE when they make no sense
     */
    public void check() {
        traces.check();
        var _ = cpuLatency.limitUs();
    }

    /** The world of a service, whose files are its user's alone; the caller closes it. */
    public ProcessContext open() {
        return open(null);
    }

    /**
     * The same of a service with an identity.
     *
     * @param credentials null when its connections are plain
     */
    public ProcessContext open(@Nullable Credentials credentials) {
        OwnerOnly.begin();
        OptionalInt limitUs = cpuLatency.limitUs();
        return new ProcessContext(traces.open(), limitUs, credentials);
    }

    /** The options again, for another process. */
    public List<String> arguments() {
        List<String> arguments = new ArrayList<>(traces.arguments());
        arguments.addAll(cpuLatency.arguments());
        return arguments;
    }
}
