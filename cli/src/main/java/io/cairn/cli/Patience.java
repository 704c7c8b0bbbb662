package io.cairn.cli;

import io.cairn.cluster.Endpoint;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** The option {@code --wait}: how long a command waits for masters that are starting. */
final class Patience {
    /** How long who gives no number waits, seconds. */
    static final int STANDARD_S = 60;

    /** Who waits longer is told why. */
    static final long SILENT_MS = 2_000;

    private static final int MOST_S = 86_400;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "" + STANDARD_S,
            description = "Wait so long for masters that are starting (default: ${DEFAULT-VALUE}).")
    private int seconds = STANDARD_S;

    /** The limit, milliseconds; fails with USAGE when it makes no sense. */
    long limitMs() {
        return limitS() * 1000L;
    }

    /** The same in seconds. */
    int limitS() {
        Require.between("--wait", seconds, 0, MOST_S);
        return seconds;
    }

    /** The option again, for another process. */
    List<String> arguments() {
        return List.of("--wait", String.valueOf(seconds));
    }

    /** Says that nobody has answered yet. */
    static void tell(String masters, PrintWriter errors) {
        errors.println("cairn: waiting for masters (" + masters + ") ...");
        errors.flush();
    }

    /** Standard error, for who has no command to print for. */
    static PrintWriter errors() {
        return new PrintWriter(System.err, true, System.err.charset());
    }

    /** The masters in a line. */
    static String names(List<Endpoint> masters) {
        return masters.stream().map(Endpoint::toString).collect(Collectors.joining(", "));
    }
}
