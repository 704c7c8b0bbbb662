package io.cairn.chunk.store.grant;

import java.nio.file.Path;

/** Hands open files to other processes of this machine. Thread-safe. */
public interface Handover {
    /** Identity of the start of this machine; a client of another one gets nothing. */
    long machine();

    /** The name of the socket. */
    String socket();

    /** Number of this start of the server, which the socket asks for. */
    long server();

    /**
     * Opens a file to be read; the number for which the socket gives it, once and soon. EOPNOTSUPP.
     */
    long deposit(Path file);
}
