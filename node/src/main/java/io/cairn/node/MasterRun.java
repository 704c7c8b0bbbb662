package io.cairn.node;

import io.cairn.master.store.Headroom;
import io.cairn.runtime.FileDisk;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A master for as long as the process runs. When its disk was filled by others faster than it could
 * stop, it is closed, and opened again when there is room: what it had acknowledged is in its log.
 * Any other failure ends the process.
 */
public final class MasterRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MasterRun.class);
    private static final long LOOK_MS = 500;
    private static final long LAST_ANSWERS_MS = 2_000;

    private final ProcessContext world;
    private final MasterNode.Plan plan;
    private final Account founder;
    private final Consumer<MasterNode> opened;
    private @Nullable MasterNode node;
    private boolean closed;

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
        this.world = world;
        this.plan = plan;
        this.founder = founder;
        this.opened = opened;
        open();
    }

    private void open() {
        MasterNode fresh =
                new MasterNode(
                        world, plan, founder, new MasterNode.Ends(this::failed, this::dismissed));
        synchronized (this) {
            if (closed) {
                fresh.close();
                return;
            }
            node = fresh;
        }
        opened.accept(fresh);
    }

    /** On a thread of the log, which must not wait for itself. */
    private void failed() {
        if (!Headroom.isScarce(new FileDisk(), plan.directory())) {
            Runtime.getRuntime().halt(ExitCode.SOFTWARE);
        }
        Thread.ofPlatform().name("master-again").start(this::again);
    }

    /**
     * Who started it anew although it had been removed should see that it failed. Who had a leader
     * removed waits for its answer, which may still be on its way.
     */
    private void dismissed(boolean was) {
        System.err.printf("cairn: master %s was removed from its cluster%n", plan.id());
        System.err.flush();
        if (was) {
            Thread.ofPlatform().name("master-ends").start(MasterRun::endSoon);
        } else {
            Runtime.getRuntime().halt(ExitCode.DATA);
        }
    }

    private static void endSoon() {
        try {
            TimeUnit.MILLISECONDS.sleep(LAST_ANSWERS_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Runtime.getRuntime().halt(ExitCode.OK);
        }
    }

    private void again() {
        try {
            LOG.error("{} is full: this master goes on when there is room", plan.directory());
            MasterNode old;
            synchronized (this) {
                old = node;
                node = null;
            }
            if (old != null) {
                old.close();
            }
            while (Headroom.isScarce(new FileDisk(), plan.directory())) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
            LOG.info("{} has room again", plan.directory());
            open();
        } catch (RuntimeException | InterruptedException e) {
            LOG.error("the master cannot go on: start it again", e);
            Runtime.getRuntime().halt(ExitCode.SOFTWARE);
        }
    }

    @Override
    public void close() {
        MasterNode last;
        synchronized (this) {
            closed = true;
            last = node;
            node = null;
        }
        if (last != null) {
            last.close();
        }
    }
}
