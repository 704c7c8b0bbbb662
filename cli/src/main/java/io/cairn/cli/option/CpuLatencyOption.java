package io.cairn.cli.option;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.runtime.CpuLatency;
import java.util.List;
import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** How quickly processors shall wake up while a process has much to do in small pieces. */
public final class CpuLatencyOption {
    private static final String AUTO = "auto";
    private static final String OFF = "off";

    /** Sleep states that take longer than this to leave are rare. */
    private static final int MOST_US = 100_000;

    @Option(
            names = "--cpu-latency",
            paramLabel = "auto|off|US",
            defaultValue = OFF,
            description =
                    "While busy with small requests, let no processor of this machine sleep so that"
                        + " it takes longer than US microseconds to wake it; 0: not at all. Needs"
                        + " root. It costs power, and concerns all processes. auto: 0 in virtual"
                        + " machines that can (cpuidle-haltpoll), else off. Default:"
                        + " ${DEFAULT-VALUE}.")
    private String value = OFF;

    /**
     * The limit in microseconds; empty for none.
     *
     * @throws CommandException with USAGE when the value makes no sense
     */
    OptionalInt limitUs() {
        if (value.equals(AUTO)) {
            return CpuLatency.suggestedUs();
        }
        if (value.equals(OFF)) {
            return OptionalInt.empty();
        }
        try {
            int us = Integer.parseInt(value);
            Require.between("--cpu-latency", us, 0, MOST_US);
            return OptionalInt.of(us);
        } catch (NumberFormatException e) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--cpu-latency is '"
                            + value
                            + "'; it must be auto, off, or a number of microseconds",
                    e);
        }
    }

    /** The option again, for another process. */
    List<String> arguments() {
        return value.equals(OFF) ? List.of() : List.of("--cpu-latency", value);
    }
}
