package io.cairn.master.raft.member;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.master.MasterGroup.Change;
import io.cairn.master.MasterGroup.Newcomer;
import io.cairn.master.MasterGroup.Standing;
import io.cairn.master.store.Membership;
import io.cairn.runtime.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftClientReply;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out changes of who the masters are, one at a time, on the leader. Ratis gives a newcomer
 * everything first; then the old and the new masters have to agree, each by a majority.
 * Thread-safe.
 */
public final class MemberChanges {
    private static final Logger LOG = LoggerFactory.getLogger(MemberChanges.class);

    /** A newcomer that has everything takes its vote at once; else it does later. */
    private static final long VOTE_LIMIT_MS = 10_000;

    /** With fewer masters Ratis wants one to come before another one goes. */
    private static final int LEAST_TO_SWAP = 3;

    private final MemberList members;
    private final HelloQuestions others;
    private final LocalRequests requests;
    private final Membership seat;
    private final Clock clock;
    private final Runnable listChanges;
    private final AtomicReference<@Nullable Change> running = new AtomicReference<>();

    /**
     * Changes nothing yet.
     *
     * @param listChanges called before the list may change and when it has changed
     */
    public MemberChanges(
            MemberList members,
            HelloQuestions others,
            LocalRequests requests,
            Membership seat,
            Clock clock,
            Runnable listChanges) {
        this.members = members;
        this.others = others;
        this.requests = requests;
        this.seat = seat;
        this.clock = clock;
        this.listChanges = listChanges;
    }

    /** Whether the list may change at any time. */
    public boolean isRunning() {
        return running.get() != null;
    }

    /** Who gets everything and is none of the masters yet, or null. */
    public @Nullable Peer joining() {
        Change change = running.get();
        Newcomer joins = change == null ? null : change.joins();
        return joins == null || members.contains(joins.id()) ? null : peer(joins);
    }

    /** See {@code MasterGroup.refusal}. */
    public @Nullable String refusal(Change change, List<Standing> now) {
        Change other = running.get();
        if (other != null) {
            return "Another change of the masters is under way: %s.".formatted(text(other));
        }
        Newcomer joins = change.joins();
        Hello answer =
                joins == null || members.contains(joins.id()) ? null : others.askNow(peer(joins));
        return new MemberRules(now, seat.clusterId()).refusal(change, answer);
    }

    /** See {@code MasterGroup.warnings}. */
    public List<String> warnings(Change change, List<Standing> now) {
        return new MemberRules(now, seat.clusterId()).warnings(change);
    }

    /** See {@code MasterGroup.change}. */
    public CompletableFuture<Void> start(Change change) {
        if (!running.compareAndSet(null, change)) {
            return failed("another change of the masters is under way");
        }
        LOG.info("the masters change: {}", text(change));
        listChanges.run();
        Supplier<CompletableFuture<Void>> steps =
                change.joins() != null
                                && change.leaves() != null
                                && members.peers().size() < LEAST_TO_SWAP
                        ? () ->
                                step(new Change(change.joins(), null))
                                        .thenCompose(_ -> step(new Change(null, change.leaves())))
                        : () -> step(change);
        return steps.get()
                .whenComplete(
                        (_, error) -> {
                            running.set(null);
                            listChanges.run();
                            if (error == null) {
                                LOG.info("the masters are {}", MemberList.text(members.peers()));
                            } else {
                                LOG.warn("the masters stay: {}", Wording.of(error));
                            }
                        });
    }

    private CompletableFuture<Void> step(Change change) {
        List<Peer> next = new ArrayList<>();
        for (Peer each : members.peers()) {
            if (!each.id().equals(change.leaves())) {
                // Its address may have changed while nobody else had to know it.
                next.add(each.id().equals(members.id()) ? members.self() : each);
            }
        }
        Newcomer joins = change.joins();
        if (joins != null) {
            next.add(peer(joins));
        }
        return requests.setMembers(next)
                .handle(MemberChanges::result)
                .thenCompose(
                        _ ->
                                joins == null
                                        ? CompletableFuture.completedFuture(null)
                                        : voting(joins.id(), clock.millis() + VOTE_LIMIT_MS));
    }

    private static @Nullable Void result(
            @Nullable RaftClientReply reply, @Nullable Throwable error) {
        if (reply != null && reply.isSuccess()) {
            return null;
        }
        Throwable cause = reply != null ? reply.getException() : error;
        String why = cause == null ? "no reason was given" : Wording.of(cause);
        throw new CompletionException(
                new FsException(Errno.NOT_READY, "the masters did not change: " + why));
    }

    /** Completes when the newcomer has its vote, or will have it when it is ready. */
    private CompletableFuture<Void> voting(String id, long untilMs) {
        Hello hello = others.recent().get(id);
        if ((hello != null && hello.votes()) || clock.millis() - untilMs > 0) {
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.runAsync(() -> {}, requests.pause())
                .thenCompose(_ -> voting(id, untilMs));
    }

    private static CompletableFuture<Void> failed(String why) {
        return CompletableFuture.failedFuture(new FsException(Errno.NOT_READY, why));
    }

    private static Peer peer(Newcomer newcomer) {
        return new Peer(newcomer.id(), newcomer.raft());
    }

    private static String text(Change change) {
        Newcomer joins = change.joins();
        if (joins == null) {
            return change.leaves() + " goes";
        }
        return change.leaves() == null
                ? peer(joins) + " comes"
                : peer(joins) + " takes the place of " + change.leaves();
    }
}
