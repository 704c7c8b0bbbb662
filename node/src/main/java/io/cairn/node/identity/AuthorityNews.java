package io.cairn.node.identity;

import io.cairn.base.FsException;
import io.cairn.identity.Authorities;
import io.cairn.master.Certification;
import io.cairn.master.MasterGroup.Standing;
import io.cairn.master.identity.AuthorityRotation;
import io.cairn.master.raft.tls.AuthorityOffer;
import io.cairn.runtime.Scheduler;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the authorities that the state of a master names, while one is replaced: has this master
 * follow, tells chunk servers and clients, and hands the key to the other masters. Looks twice a
 * second.
 */
public final class AuthorityNews implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuthorityNews.class);
    private static final long PAUSE_MS = 500;

    private final AuthorityKeeper keeper;
    private final AuthorityRotation rotation;
    private final Certification certification;
    private final AuthorityOffer offer;
    private final Supplier<List<Standing>> others;
    private final Scheduler scheduler;
    private volatile boolean closed;

    /** So that what lasts is told once. */
    private volatile String complaint = "";

    /**
     * Begins to look.
     *
     * @param offer closed with this
     * @param others the other masters
     */
    public AuthorityNews(
            AuthorityKeeper keeper,
            AuthorityRotation rotation,
            Certification certification,
            AuthorityOffer offer,
            Supplier<List<Standing>> others,
            Scheduler scheduler) {
        this.keeper = keeper;
        this.rotation = rotation;
        this.certification = certification;
        this.offer = offer;
        this.others = others;
        this.scheduler = scheduler;
        scheduler.schedule(this::begin, 0);
    }

    /** Files are written and masters are called: not on the thread of the timer. */
    private void begin() {
        if (!closed) {
            Thread.ofVirtual().name("cairn-authority").start(this::look);
        }
    }

    private void look() {
        try {
            Authorities named = rotation.named();
            if (named != null) {
                keeper.follow(named);
                complaint = "";
                if (rotation.holdsPresent()) {
                    certification.tellAuthorities(named);
                    handOver(named);
                }
            }
        } catch (FsException e) {
            String why = String.valueOf(e.getMessage());
            if (!why.equals(complaint)) {
                complaint = why;
                LOG.warn("the authorities of the cluster cannot be followed: {}", why);
            }
        } catch (RuntimeException e) {
            if (!closed) {
                LOG.warn("the authorities of the cluster cannot be followed", e);
            }
        } finally {
            scheduler.schedule(this::begin, PAUSE_MS);
        }
    }

    private void handOver(Authorities named) {
        if (named.anchors().size() < 2) {
            return;
        }
        for (Standing each : others.get()) {
            if (keeper.holders().contains(each.id())) {
                continue;
            }
            try {
                keeper.heard(
                        each.id(), offer.offer(each.id(), each.raft(), keeper.held().secret()));
            } catch (IOException e) {
                LOG.debug("master {} does not take the key of the authority", each.id(), e);
            }
        }
    }

    /** Looks no more. Idempotent. */
    @Override
    public void close() {
        closed = true;
        offer.close();
    }
}
