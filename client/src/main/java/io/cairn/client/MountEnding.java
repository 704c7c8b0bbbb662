package io.cairn.client;

import io.cairn.base.FsException;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInode;
import io.cairn.client.session.Await;
import io.cairn.client.tree.AccessTimes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The orderly end of a mount, in bounded time. */
final class MountEnding {
    private static final Logger LOG = LoggerFactory.getLogger(MountEnding.class);

    private static final int MAX_TOLD = 100;

    private final Mount mount;
    private final AccessTimes accessTimes;
    private final long timeoutMs;

    MountEnding(Mount mount, AccessTimes accessTimes, long timeoutMs) {
        this.mount = mount;
        this.accessTimes = accessTimes;
        this.timeoutMs = timeoutMs;
    }

    /** Commits, tells the access times, ends the session, closes the connections. */
    void run() {
        long deadlineMs = mount.nowMs() + timeoutMs;
        CompletableFuture<Void> names = mount.master().young().recall(0);
        CompletableFuture<?>[] commits =
                mount.dirty().all().stream()
                        .map(OpenInode::commit)
                        .toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture<Void> all = CompletableFuture.allOf(commits);
            Await.get(CompletableFuture.allOf(all, names), Math.max(1, timeoutMs - 2000));
        } catch (FsException e) {
            List<OpenInode> left = mount.dirty().all();
            LOG.error(
                    "what was last written to {} files could not be stored and is lost ({}): inodes"
                            + " {}{}",
                    left.size(),
                    e.getMessage(),
                    left.stream().limit(MAX_TOLD).map(OpenInode::ino).toList(),
                    left.size() > MAX_TOLD ? " and others" : "");
        }
        try {
            Await.get(accessTimes.tell(), Math.clamp(deadlineMs - mount.nowMs(), 1, 1000));
        } catch (FsException e) {
            LOG.debug("access times are lost: {}", e.getMessage());
        }
        try {
            // A master that cannot be told in time what was lost has to see the session expire.
            CompletableFuture<?>[] abandoned =
                    mount.dirty().all().stream()
                            .map(state -> state.growth().abandon())
                            .toArray(CompletableFuture<?>[]::new);
            Await.get(CompletableFuture.allOf(abandoned), 500);
            long leftMs = Math.max(500, deadlineMs - mount.nowMs());
            Await.get(mount.master().end(leftMs), leftMs);
        } catch (FsException e) {
            LOG.warn("the session was not ended: {}", e.getMessage());
            mount.master().close();
        }
        mount.chunks().close();
    }
}
