package io.cairn.chunk.direct;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.grant.GrantWords;
import io.cairn.chunk.store.grant.Handover;
import io.cairn.runtime.Clock;
import io.cairn.runtime.local.LocalSocket;
import io.cairn.runtime.local.OpenDescriptor;
import io.cairn.runtime.local.SharedWords;
import io.cairn.wire.chunk.DirectRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket at which clients of this machine get open files of a chunk server, with a thread for
 * each connection. Only the user of the server, and root, may connect. Thread-safe.
 *
 * <p>A message is two numbers. A client asks {@code HELLO, number of the server} first and gets
 * {@code DONE, time of the server} with the shared memory, then {@code TAKE, ticket} and gets the
 * file. {@code REFUSED} says that there is none.
 */
public final class DirectSocket implements Handover, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectSocket.class);

    /** Blobs that can be granted at a time. */
    private static final int WORDS = 8192;

    private static final int MAX_CONNECTIONS = 64;
    private static final int MAX_TICKETS = 256;
    private static final long TICKET_NS = 5_000_000_000L;

    /** After an error of the socket: too many files may be open for a moment. */
    private static final long PAUSE_NS = 5_000_000_000L;

    private record Ticket(OpenDescriptor file, long madeNs) {}

    private final Path path;
    private final long machine;
    private final long server;
    private final RandomGenerator random;
    private final Clock clock;
    private final LocalSocket listening;
    private final SharedWords.Shared memory;
    private final GrantWords words;

    // Guarded by this.
    @GuardedBy("this")
    private final Map<Long, Ticket> tickets = new LinkedHashMap<>();

    @GuardedBy("this")
    private final Set<LocalSocket> connections = new HashSet<>();

    @GuardedBy("this")
    private boolean closed;

    private DirectSocket(Path path, long machine, RandomGenerator random, Clock clock)
            throws IOException {
        this.path = path;
        this.machine = machine;
        this.random = random;
        this.clock = clock;
        this.server = random.nextLong();
        this.memory = SharedWords.create(WORDS);
        this.words = new GrantWords(memory.words());
        try {
            this.listening = LocalSocket.listen(path);
        } catch (IOException e) {
            memory.file().close();
            throw e;
        }
    }

    /**
     * Listens; null, and a line in the log, where that is not possible.
     *
     * @param path of the socket, in a directory of the server
     * @param machine identity of the start of this machine
     * @param random draws tickets; used by one thread at a time
     */
    public static @Nullable DirectSocket open(
            Path path, long machine, RandomGenerator random, Clock clock) {
        Path absolute = path.toAbsolutePath();
        if (!LocalSocket.canName(absolute)) {
            LOG.info("No direct reads: {} is too long for a socket", absolute);
            return null;
        }
        try {
            DirectSocket door = new DirectSocket(absolute, machine, random, clock);
            Thread.ofPlatform().daemon().name("direct-door").start(door::listen);
            return door;
        } catch (IOException e) {
            LOG.info("No direct reads: {}", e.getMessage());
            return null;
        }
    }

    /** The memory shared with clients. */
    public GrantWords words() {
        return words;
    }

    @Override
    public long machine() {
        return machine;
    }

    @Override
    public String socket() {
        return path.toString();
    }

    @Override
    public long server() {
        return server;
    }

    @Override
    public long deposit(Path file) {
        try {
            return keep(OpenDescriptor.reading(file));
        } catch (IOException e) {
            throw new FsException(Errno.EOPNOTSUPP, "no grant: " + e.getMessage(), e);
        }
    }

    private synchronized long keep(OpenDescriptor opened) {
        long ticket = random.nextLong();
        Ticket before = tickets.put(ticket, new Ticket(opened, clock.nanoTime()));
        if (before != null) {
            before.file.close();
        }
        long nowNs = clock.nanoTime();
        Iterator<Ticket> eldest = tickets.values().iterator();
        while (eldest.hasNext()) {
            Ticket next = eldest.next();
            if (tickets.size() <= MAX_TICKETS && nowNs - next.madeNs < TICKET_NS && !closed) {
                break;
            }
            eldest.remove();
            next.file.close();
        }
        return ticket;
    }

    private synchronized @Nullable OpenDescriptor take(long ticket) {
        Ticket found = tickets.remove(ticket);
        return found == null ? null : found.file;
    }

    private void listen() {
        while (true) {
            LocalSocket connection;
            try {
                connection = listening.accept();
            } catch (IOException e) {
                if (isClosed()) {
                    return;
                }
                LOG.warn("No new clients of direct reads for a moment: {}", e.getMessage());
                LockSupport.parkNanos(this, PAUSE_NS);
                continue;
            }
            if (add(connection)) {
                Thread.ofPlatform().daemon().name("direct-client").start(() -> serve(connection));
            } else {
                connection.close();
            }
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized boolean add(LocalSocket connection) {
        return !closed && connections.size() < MAX_CONNECTIONS && connections.add(connection);
    }

    private void serve(LocalSocket connection) {
        try {
            while (true) {
                LocalSocket.Received asked = connection.receive();
                if (asked.file() != null) {
                    asked.file().close();
                }
                answer(connection, asked);
            }
        } catch (IOException e) {
            LOG.debug("a client of direct reads has gone: {}", e.getMessage());
        } finally {
            synchronized (this) {
                connections.remove(connection);
            }
            connection.close();
        }
    }

    private void answer(LocalSocket connection, LocalSocket.Received asked) throws IOException {
        if (asked.first() == DirectRequest.HELLO && asked.second() == server) {
            connection.send(DirectRequest.DONE, clock.nanoTime(), memory.file());
            return;
        }
        OpenDescriptor file = asked.first() == DirectRequest.TAKE ? take(asked.second()) : null;
        if (file == null) {
            connection.send(DirectRequest.REFUSED, 0, null);
            return;
        }
        try (file) {
            connection.send(DirectRequest.DONE, 0, file);
        }
    }

    /** Ends all grants and connections. Idempotent. */
    @Override
    public void close() {
        words.allowUntil(DirectRequest.NO_LEASE);
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            listening.close();
            connections.forEach(LocalSocket::close);
            tickets.values().forEach(ticket -> ticket.file.close());
            tickets.clear();
            // No connection is left that could pass it.
            memory.file().close();
        }
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.debug("{} stays: {}", path, e.getMessage());
        }
    }
}
