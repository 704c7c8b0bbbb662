package io.cairn.client;

import io.cairn.fs.Usage;
import io.cairn.wire.Query;
import io.cairn.wire.Reply;
import org.jspecify.annotations.Nullable;

/** What the master tells of more than one inode. Thread-safe; blocks. */
final class ClusterFacts {
    private static final long USAGE_TTL_MS = 1000;

    private final Mount mount;
    private volatile @Nullable KnownUsage known;

    private record KnownUsage(Usage usage, long untilMs) {}

    ClusterFacts(Mount mount) {
        this.mount = mount;
    }

    /** The usage as it is believed still, or null: tools ask for it again and again. */
    @Nullable Usage knownUsage() {
        KnownUsage usage = known;
        return usage != null && mount.nowMs() - usage.untilMs < 0 ? usage.usage : null;
    }

    /** The usage of the filesystem now; it is believed for a second. */
    Usage usage() {
        Usage usage = ask(new Query.GetUsage(), Reply.UsageReply.class).usage();
        known = new KnownUsage(usage, mount.nowMs() + USAGE_TTL_MS);
        return usage;
    }

    /** The path of an inode, from the root; ENOENT without a name. */
    byte[] path(long ino) {
        return ask(new Query.GetPath(ino), Reply.BytesReply.class).bytes();
    }

    /** The state of the leading master, a JSON document. */
    String status() {
        return ask(new Query.GetStatus(), Reply.TextReply.class).text();
    }

    private <T extends Reply> T ask(Query query, Class<T> kind) {
        return Await.expect(mount.master().ask(query), kind);
    }
}
