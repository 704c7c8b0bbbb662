package io.cairn.client.tree;

import io.cairn.client.file.Mount;
import io.cairn.client.session.Await;
import io.cairn.fs.Usage;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import org.jspecify.annotations.Nullable;

/** Answers of the master about more than one inode. Thread-safe; blocks. */
public final class ClusterFacts {
    private static final long USAGE_TTL_MS = 1000;

    private final Mount mount;
    private volatile @Nullable KnownUsage known;

    private record KnownUsage(Usage usage, long untilMs) {}

    public ClusterFacts(Mount mount) {
        this.mount = mount;
    }

    /** The usage as it is believed still, or null: tools ask for it again and again. */
    public @Nullable Usage knownUsage() {
        KnownUsage usage = known;
        return usage != null && mount.nowMs() - usage.untilMs < 0 ? usage.usage : null;
    }

    /** The usage of the filesystem now; it is believed for a second. */
    public Usage usage() {
        Usage usage = ask(new Query.GetUsage(), Reply.UsageReply.class).usage();
        known = new KnownUsage(usage, mount.nowMs() + USAGE_TTL_MS);
        return usage;
    }

    /** The room for an inode, as far as quotas limit it. */
    public Usage usage(long ino) {
        Usage whole = knownUsage();
        if (mount.master().session().quotas() != 0) {
            return ask(new Query.GetRoom(ino), Reply.UsageReply.class).usage();
        }
        return whole != null ? whole : usage();
    }

    /** The path of an inode, from the root; ENOENT without a name. */
    public byte[] path(long ino) {
        return ask(new Query.GetPath(ino), Reply.BytesReply.class).bytes();
    }

    /** The state of the leading master, a JSON document. */
    public String status() {
        return ask(new Query.GetStatus(), Reply.TextReply.class).text();
    }

    private <T extends Reply> T ask(Query query, Class<T> kind) {
        return Await.expect(mount.master().ask(query), kind);
    }
}
