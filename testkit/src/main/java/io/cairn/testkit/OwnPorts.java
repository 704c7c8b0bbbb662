package io.cairn.testkit;

import io.cairn.base.FsException;
import io.cairn.net.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;

/**
 * TCP ports that no other test on this machine gets, in whatever JVM it runs. A port that was
 * chosen is free until its service listens, and again while the service is restarted; others that
 * choose at random would take it now and then.
 *
 * <p>The ports from 10000 to 19999 are divided into blocks. Whoever listens on the first port of a
 * block has the others; the kernel gives it back when the JVM ends. Services choose from 20000 on
 * by themselves, see {@link FreePorts}. Thread-safe.
 */
public final class OwnPorts {
    private static final int LOWEST = 10_000;
    private static final int BLOCK = 500;
    private static final int BLOCKS = 20;

    /** The JVM would close a socket that nothing refers to. */
    private static final Queue<ServerSocket> CLAIMS = new ConcurrentLinkedQueue<>();

    private final RandomGenerator random;
    private FreePorts ports;

    /** Claims a block; chooses by a generator that is safe for the threads that ask. */
    public OwnPorts(RandomGenerator random) {
        this.random = random;
        this.ports = claimed(random);
    }

    /** A port of the loopback interface that nobody uses now and that was not given before. */
    public synchronized int next() {
        try {
            return ports.next();
        } catch (FsException e) {
            ports = claimed(random);
            return ports.next();
        }
    }

    /** The ports of a block that nobody has; of those of all when there is none. */
    private static FreePorts claimed(RandomGenerator random) {
        for (int i = 0; i < BLOCKS; i++) {
            int first = LOWEST + i * BLOCK;
            if (isClaimed(first)) {
                return new FreePorts(random, first + 1, first + BLOCK);
            }
        }
        return new FreePorts(random);
    }

    /** Listens there until the JVM ends. */
    private static boolean isClaimed(int port) {
        try {
            return CLAIMS.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
        } catch (IOException e) {
            return false; // Another one has it.
        }
    }
}
