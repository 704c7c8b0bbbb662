package io.cairn.admin.resource;

import java.util.List;

/** The syntax of a list of NFS exports; the gateways know it, masters do not. Thread-safe. */
public interface ExportSyntax {
    /**
     * Checks a new line: options are those that there are, and hosts that it names are known.
     *
     * @throws IllegalArgumentException when it is not a line of exports(5); the message says why
     */
    void check(String line);

    /**
     * The path that a line exports. Its clients are not asked for: of a line that was checked once
     * some may be gone.
     *
     * @throws IllegalArgumentException when there is none; the message says why
     */
    String pathOf(String line);

    /**
     * Checks paths against each other.
     *
     * @throws IllegalArgumentException when two cannot be exported together
     */
    void check(List<String> paths);
}
