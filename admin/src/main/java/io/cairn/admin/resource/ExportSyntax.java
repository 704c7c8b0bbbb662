package io.cairn.admin.resource;

import java.util.List;

/** The syntax of a list of NFS exports; the gateways know it, masters do not. Thread-safe. */
public interface ExportSyntax {
    /**
     * The path that a line exports.
     *
     * @throws IllegalArgumentException when it is not a line of exports(5); the message says why
     */
    String pathOf(String line);

    /**
     * Checks paths against each other.
     *
     * @throws IllegalArgumentException when two cannot be exported together
     */
    void check(List<String> paths);
}
