package io.cairn.net;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Chooses TCP ports for services that must know their own before they listen. The kernel would give
 * one of those that it also gives to outgoing connections, so that it may be taken when the service
 * listens, or when it comes back after a restart; these are below them (32768 on Linux). No port is
 * given twice: who asked first may not listen yet. Thread-safe.
 */
public final class FreePorts {
    private static final int LOWEST = 20_000;
    private static final int END = 32_000;
    private static final int MAX_TRIES = 200;

    private final RandomGenerator random;
    private final int lowest;
    private final int end;
    private final Set<Integer> given = new HashSet<>();

    /** Chooses by a generator that is safe for the threads that ask. */
    public FreePorts(RandomGenerator random) {
        this(random, LOWEST, END);
    }

    /** The same among the ports from the lowest one to the one before an end. */
    public FreePorts(RandomGenerator random, int lowest, int end) {
        this.random = random;
        this.lowest = lowest;
        this.end = end;
    }

    /**
     * A port of the loopback interface that nobody uses now and that was not given before.
     *
     * @throws FsException EBUSY when none was found
     */
    public synchronized int next() {
        for (int i = 0; i < MAX_TRIES; i++) {
            int port = random.nextInt(lowest, end);
            if (!given.contains(port) && isFree(port)) {
                given.add(port);
                return port;
            }
        }
        throw new FsException(
                Errno.EBUSY,
                "no free TCP port among %d tried from %d to %d"
                        .formatted(MAX_TRIES, lowest, end - 1));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
