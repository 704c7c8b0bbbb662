package io.cairn.cli;

import io.cairn.runtime.OwnerOnly;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import picocli.CommandLine.Mixin;

/** What the world of a service is told by its command line. */
final class WorldOptions {
    @Mixin private TraceOptions traces = new TraceOptions();

    @Mixin private CpuLatencyOption cpuLatency = new CpuLatencyOption();

    /**
     * Looks at the options before anything starts.
     *
     * @throws CommandException with USAGE when they make no sense
     */
    void check() {
        traces.check();
        var _ = cpuLatency.limitUs();
    }

    /** The world of a service, whose files are its user's alone; the caller closes it. */
    World open() {
        OwnerOnly.begin();
        OptionalInt limitUs = cpuLatency.limitUs();
        return new World(traces.open(), limitUs);
    }

    /** The options again, for another process. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>(traces.arguments());
        arguments.addAll(cpuLatency.arguments());
        return arguments;
    }
}
