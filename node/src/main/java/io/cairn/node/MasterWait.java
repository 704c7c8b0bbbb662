package io.cairn.node;

import io.cairn.cluster.Endpoint;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;

/** How processes wait for masters that are starting, and what they say meanwhile. */
public final class MasterWait {
    /** The limit unless another one is asked for, seconds. */
    public static final int STANDARD_S = 60;

    /** After this time a process says why it waits, milliseconds. */
    public static final long SILENT_MS = 2_000;

    private MasterWait() {}

    /** Says that nobody has answered yet. */
    public static void tell(String masters, PrintWriter errors) {
        errors.println("cairn: waiting for masters (" + masters + ") ...");
        errors.flush();
    }

    /** Standard error, for who has no command to print for. */
    public static PrintWriter errors() {
        return new PrintWriter(System.err, true, System.err.charset());
    }

    /** The masters in a line. */
    public static String names(List<Endpoint> masters) {
        return masters.stream().map(Endpoint::toString).collect(Collectors.joining(", "));
    }
}
