package io.cairn.fuse;

import io.cairn.fs.FileSystem;
import io.cairn.fuse.jnr.JnrDriver;
import io.cairn.fuse.kernel.KernelDriver;
import io.cairn.fuse.loop.Driver;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.loop.MountState;
import io.cairn.fuse.loop.RequestLoop;
import io.cairn.fuse.sys.MountException;
import io.cairn.fuse.sys.MountException.Category;
import io.cairn.os.MountCalls;
import io.cairn.runtime.PollLoop;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A filesystem behind a directory of this machine, from {@link #mount} until {@link #close} or
 * until somebody unmounts it. Does not close the filesystem. Thread-safe.
 *
 * <p>A process must not map files of its own mount into memory: a page fault of Java code waits for
 * a thread of the same JVM, and a garbage collection in between waits for both.
 */
public final class FuseMount implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FuseMount.class);
    private static final long FIRST_ANSWER_MS = 30_000;
    private static final long PATIENCE_MS = 2000;
    private static final long JOIN_MS = 2000;
    private static final long FLUSH_MS = 10_000;
    private static final long END_MS = 3 * JOIN_MS + FLUSH_MS;

    private final Mountpoint mountpoint;
    private final MountState state;
    private final Driver driver;
    private final RequestLoop loop;
    private final AtomicBoolean ending = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    private FuseMount(Mountpoint mountpoint, MountState state, Driver driver) {
        this.mountpoint = mountpoint;
        this.state = state;
        this.driver = driver;
        this.loop = new RequestLoop(driver, state, this::finishSoon);
    }

    /**
     * Checks that a directory can be mounted on, before anything is started for it; removes what a
     * killed predecessor left there.
     *
     * @throws MountException in one line what is wrong and what to do
     */
    public static void check(Path directory, MountOptions options) {
        var _ = Mountpoint.prepare(directory, options.nonEmpty());
    }

    /**
     * Mounts, and returns when the mount answers.
     *
     * @throws MountException in one line what is wrong and what to do; nothing is mounted then
     */
    public static FuseMount mount(FileSystem fileSystem, Path directory, MountOptions options) {
        return mount(fileSystem, FileSystem.ROOT_INO, directory, options, PollLoop.NONE);
    }

    /**
     * Mounts a directory of the filesystem as the root, and returns when the mount answers.
     *
     * @param rootIno an inode that is a directory
     * @param polled run by the threads of the mount between requests, until it ends
     * @throws MountException in one line what is wrong and what to do; nothing is mounted then
     */
    public static FuseMount mount(
            FileSystem fileSystem,
            long rootIno,
            Path directory,
            MountOptions options,
            PollLoop polled) {
        Mountpoint mountpoint = Mountpoint.prepare(directory, options.nonEmpty());
        MountState state = new MountState(fileSystem, rootIno, options, polled);
        Driver driver =
                switch (options.driver()) {
                    case JNR -> JnrDriver.mount(state, mountpoint.path());
                    case KERNEL -> KernelDriver.mount(state, mountpoint.path());
                };
        FuseMount mount = new FuseMount(mountpoint, state, driver);
        mount.loop.start();
        mount.awaitFirstAnswer();
        mountpoint.setReadAhead(options.readAheadKb());
        if (options.kernelFlags().contains("nosymfollow")) {
            mount.refuseSymlinks(options);
        }
        LOG.info("mounted on {} by driver {}", mountpoint.path(), options.driver());
        return mount;
    }

    private void awaitFirstAnswer() {
        int result;
        try {
            result = Mountpoint.answer(mountpoint.path(), FIRST_ANSWER_MS);
        } catch (MountException e) {
            close();
            throw e;
        } catch (TimeoutException e) {
            close();
            throw new MountException(
                    Category.UNAVAILABLE,
                    "the filesystem did not answer within %d s; is the cluster running?"
                            .formatted(FIRST_ANSWER_MS / 1000),
                    e);
        }
        if (result != 0 && result != -MountCalls.EACCES) {
            close();
            throw new MountException(
                    Category.UNAVAILABLE,
                    "the mount on %s answers with error %d; see the log"
                            .formatted(mountpoint.path(), -result));
        }
    }

    private void refuseSymlinks(MountOptions options) {
        try {
            mountpoint.setNoSymlinks(options);
        } catch (MountException e) {
            close();
            throw e;
        }
    }

    /** The directory, absolute and without symbolic links. */
    public Path path() {
        return mountpoint.path();
    }

    /** Whether requests are served. */
    public boolean isMounted() {
        return !ending.get();
    }

    /** Waits until the mount has ended, by {@link #close} or by umount(8). */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /**
     * As {@link #awaitEnd()}, but not longer than a time.
     *
     * @return whether it has ended
     */
    public boolean awaitEnd(long timeoutMs) throws InterruptedException {
        return ended.await(timeoutMs, TimeUnit.MILLISECONDS);
    }

    /**
     * Unmounts, with force when it is still in use after two seconds; flushes what is open. Returns
     * within half a minute. Idempotent.
     */
    @Override
    public void close() {
        close(PATIENCE_MS);
    }

    /** As {@link #close()} with another time before force. */
    void close(long patienceMs) {
        // A process that waits for a lock keeps the mount busy.
        state.waits().close();
        if (!mountpoint.isMounted() || mountpoint.unmount(patienceMs)) {
            finishSoon();
        }
        try {
            if (!ended.await(END_MS, TimeUnit.MILLISECONDS)) {
                LOG.error("{} is not unmounted; run: umount -l {}", path(), path());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Once the kernel has let go: puts everything away, on a thread of its own. */
    private void finishSoon() {
        if (ending.compareAndSet(false, true)) {
            Thread.ofPlatform().daemon().name("fuse-end").start(this::finish);
        }
    }

    private void finish() {
        try {
            state.waits().close();
            state.replaced().close();
            boolean joined = loop.join(JOIN_MS);
            if (!joined) {
                loop.interrupt();
                joined = loop.join(JOIN_MS);
            }
            Thread flush =
                    Thread.ofPlatform().daemon().name("fuse-flush").start(state.files()::closeAll);
            flush.join(FLUSH_MS);
            if (joined) {
                driver.destroy();
            } else {
                LOG.warn("{} threads are stuck; their mount is not freed", loop.threadCount());
            }
            LOG.info("unmounted {}", mountpoint.path());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }
}
