package io.cairn.master;

import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Founds the cluster, while this master leads and there is none. Of the thread of the house. */
final class Founding {
    private static final Logger LOG = LoggerFactory.getLogger(MasterService.class);

    private final MasterSettings settings;
    private final Supplier<Namespace> namespace;
    private final LogWriter log;
    private final RandomGenerator random;
    private volatile boolean founding;

    Founding(
            MasterSettings settings,
            Supplier<Namespace> namespace,
            LogWriter log,
            RandomGenerator random) {
        this.settings = settings;
        this.namespace = namespace;
        this.log = log;
        this.random = random;
    }

    /** Forgets what an earlier term began. */
    void reset() {
        founding = false;
    }

    /** Begins, unless it has begun. */
    void tick() {
        if (founding) {
            return;
        }
        founding = true;
        long id = random.nextLong() | 1;
        var _ =
                log.submit(
                                new LeaderMutation.Found(
                                        id,
                                        settings.cluster().standardReplicas(),
                                        settings.inlineLimitBytes(),
                                        settings.uid(),
                                        settings.gid()))
                        .whenComplete(this::founded);
    }

    private void founded(@Nullable Reply reply, @Nullable Throwable error) {
        if (reply instanceof Reply.Done) {
            LOG.info("founded cluster {}", String.format("%016x", namespace.get().clusterId()));
            return;
        }
        founding = false;
        String reason =
                reply instanceof Reply.Failure failure
                        ? failure.message()
                        : RequestHandler.reason(error);
        LOG.warn("the cluster could not be founded: {}", reason);
    }
}
