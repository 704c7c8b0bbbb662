package io.cairn.node;

import io.cairn.base.Wording;
import io.cairn.master.store.Headroom;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Disk;
import io.cairn.runtime.FileDisk;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A master for as long as the process runs. When its disk was filled by others faster than it could
 * stop, it is closed, and opened again when there is room: what it had acknowledged is in its log.
 * Any other failure ends the process.
 *
 * <p>The write that failed tells whether it was for want of room: there may be room again when
 * somebody looks. A master may fail while it is being opened, as others send it what it missed.
 * Then it is closed after that, and opened once more.
 */
public final class MasterRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MasterRun.class);
    private static final long LOOK_MS = 500;
    private static final long LAST_ANSWERS_MS = 2_000;

    /** Who fails again so soon waits twice as long as before. */
    private static final long SOON_NS = TimeUnit.SECONDS.toNanos(60);

    private static final long LONGEST_PAUSE_MS = 8_000;

    private final String id;
    private final Path directory;
    private final Function<MasterNode.Ends, Member> opener;
    private final Environment environment;

    /** Held while the master is opened or closed. */
    private final Object turn = new Object();

    // With the turn.
    private int openings;
    private long openedNs;
    private long pauseMs;

    private @Nullable Member member;
    private boolean closed;

    /** A master that is open. */
    interface Member extends AutoCloseable {
        /** Tells that it is open. */
        void announce();

        @Override
        void close();
    }

    /**
     * Where it runs.
     *
     * @param halt ends the process with an exit code
     * @param lookMs how often it looks for room
     */
    record Environment(Disk disk, Clock clock, IntConsumer halt, long lookMs) {}

    /**
     * Opens the master.
     *
     * @param founder as {@link MasterNode} wants it
     * @param opened hears of it each time it was opened
     */
    public MasterRun(
            ProcessContext world,
            MasterNode.Plan plan,
            Account founder,
            Consumer<MasterNode> opened) {
        this(
                plan.id(),
                plan.directory(),
                ends -> new Running(new MasterNode(world, plan, founder, ends), opened),
                new Environment(
                        new FileDisk(),
                        world.clock(),
                        code -> Runtime.getRuntime().halt(code),
                        LOOK_MS));
    }

    /** The same with any member in the place of a master. */
    MasterRun(
            String id,
            Path directory,
            Function<MasterNode.Ends, Member> opener,
            Environment environment) {
        this.id = id;
        this.directory = directory;
        this.opener = opener;
        this.environment = environment;
        this.pauseMs = environment.lookMs;
        synchronized (turn) {
            try {
                open();
            } catch (RuntimeException e) {
                close();
                throw e;
            }
        }
    }

    /** A master and who hears that it is open. */
    private record Running(MasterNode node, Consumer<MasterNode> opened) implements Member {
        @Override
        public void announce() {
            opened.accept(node);
        }

        @Override
        public void close() {
            node.close();
        }
    }

    /** With the turn. */
    private void open() {
        int number = ++openings;
        Member fresh =
                opener.apply(new MasterNode.Ends(cause -> failed(number, cause), this::dismissed));
        openedNs = environment.clock.nanoTime();
        synchronized (this) {
            if (closed) {
                fresh.close();
                return;
            }
            member = fresh;
        }
        fresh.announce();
    }

    /** On a thread of the log, which must not wait for itself. */
    private void failed(int number, @Nullable Throwable cause) {
        if (!isFull(cause)) {
            environment.halt.accept(ExitCode.SOFTWARE);
            return;
        }
        Thread.ofPlatform().name("master-again").start(() -> again(number));
    }

    private boolean isFull(@Nullable Throwable cause) {
        return Headroom.isBehind(cause) || Headroom.isScarce(environment.disk, directory);
    }

    /**
     * Who started it anew although it had been removed should see that it failed. Who had a leader
     * removed waits for its answer, which may still be on its way.
     */
    private void dismissed(boolean was) {
        System.err.printf("cairn: master %s was removed from its cluster%n", id);
        System.err.flush();
        if (was) {
            Thread.ofPlatform().name("master-ends").start(this::endSoon);
        } else {
            environment.halt.accept(ExitCode.DATA);
        }
    }

    private void endSoon() {
        try {
            TimeUnit.MILLISECONDS.sleep(LAST_ANSWERS_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            environment.halt.accept(ExitCode.OK);
        }
    }

    private void again(int number) {
        synchronized (turn) {
            if (number != openings) {
                return; // It did not even open, and another one was opened instead.
            }
            try {
                LOG.error("{} is full: this master goes on when there is room", directory);
                Member old = take();
                if (old != null) {
                    old.close();
                }
                boolean soon = environment.clock.nanoTime() - openedNs < SOON_NS;
                pauseMs = soon ? longerPauseMs() : environment.lookMs;
                do {
                    awaitRoom();
                } while (!reopen());
            } catch (RuntimeException | InterruptedException e) {
                LOG.error("the master cannot go on: start it again", e);
                environment.halt.accept(ExitCode.SOFTWARE);
            }
        }
    }

    private long longerPauseMs() {
        return Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }

    private synchronized @Nullable Member take() {
        Member old = member;
        member = null;
        return old;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void awaitRoom() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(pauseMs);
        while (!isClosed() && Headroom.isScarce(environment.disk, directory)) {
            TimeUnit.MILLISECONDS.sleep(environment.lookMs);
        }
    }

    /** False when there was too little room for that, too. */
    private boolean reopen() {
        if (isClosed()) {
            return true;
        }
        LOG.info("{} has room again", directory);
        try {
            open();
            return true;
        } catch (CommandException e) {
            if (!isFull(e)) {
                throw e;
            }
            LOG.warn("the master does not open: {}", Wording.of(e));
            pauseMs = longerPauseMs();
            return false;
        }
    }

    @Override
    public void close() {
        Member last;
        synchronized (this) {
            closed = true;
            last = member;
            member = null;
        }
        if (last != null) {
            last.close();
        }
    }
}
