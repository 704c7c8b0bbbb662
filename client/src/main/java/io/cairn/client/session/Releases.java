package io.cairn.client.session;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;

/** Tells the master, in batches, which inodes the session holds open no more. Thread-safe. */
final class Releases {
    private static final long DELAY_MS = 10;

    private final ClientSettings settings;
    private final Scheduler scheduler;
    private final SessionState state;
    private final MasterLink link;
    private final Backoff backoff;

    Releases(ClientSettings settings, ClientRuntime runtime, SessionState state, MasterLink link) {
        this.settings = settings;
        this.scheduler = runtime.scheduler();
        this.state = state;
        this.link = link;
        this.backoff = new Backoff(runtime.random());
    }

    /** An inode is held open once less. */
    void add(long ino) {
        if (state.release(ino)) {
            scheduler.schedule(this::tell, DELAY_MS);
        }
    }

    /** Tells all that were added. */
    void tell() {
        Connection connection = link.ready();
        if (connection == null) {
            // The greeting of the next connection tells what is still open.
            return;
        }
        long[] inos = state.takeReleased();
        if (inos.length == 0) {
            return;
        }
        long session = state.session();
        Query release = new Query.Release(inos);
        Promises.whenDone(
                connection.call(
                        Message.of(v -> MasterRequest.query(session, release, v)),
                        settings.attemptTimeoutMs()),
                (message, failure) -> {
                    if (message != null) {
                        message.release();
                        backoff.reset();
                    } else {
                        untold(inos, connection, Await.failure(failure));
                    }
                });
    }

    private void untold(long[] inos, Connection connection, FsException error) {
        if (error.errno() == Errno.EAGAIN || error.errno() == Errno.NOT_READY) {
            if (state.returnReleased(inos)) {
                scheduler.schedule(this::tell, backoff.nextMs());
            }
        } else {
            // Whether it arrived is unknown: greet anew with the whole list.
            link.broken(connection, error);
        }
    }
}
