package io.cairn.node;

/** How this program is started. */
public final class Program {
    /** The class that has the {@code main} of every process of Cairn. */
    public static final String MAIN_CLASS = "io.cairn.cli.Cairn";

    private Program() {}

    /** The command that people type to run it: the launcher tells how it was called. */
    public static String name() {
        return System.getProperty("cairn.command", "cairn");
    }
}
