package io.cairn.client.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.client.chunk.ChunkConnections.Link;
import io.cairn.client.session.Await;
import io.cairn.client.session.Backoff;
import io.cairn.client.session.Promises;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.net.Callee;
import io.cairn.net.Message;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.HeadRequest;
import io.cairn.wire.chunk.Ticket;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request about a chunk on its way through all its tries, and the promise of its answer.
 *
 * <p>A try looks the group up in the youngest map and asks the head, or for a read any serving
 * member that has not disappointed yet. A failure that may go away with another map or a moment
 * later (WRONG_EPOCH, NOT_READY, broken connection, no answer) is tried again until the time is
 * over. The request is the same each time but for the epoch. A read that yields bad bytes or a disk
 * error goes on to the next replica. When all serving members are bad it waits for the members of
 * the group that do not serve now. The head knows what they may have, and may say that the chunk is
 * lost. It fails with EIO when there is no member to wait for.
 *
 * <p>Never blocks. One try is under way at a time, so the fields need no lock: each try
 * happens-after the one before.
 */
final class ChunkCall extends CompletableFuture<ChunkCall.Received> {
    /** An answer; the receiver releases the payload. */
    record Received(ChunkReply reply, @Nullable ByteBuf payload) {
        void release() {
            if (payload != null) {
                payload.release();
            }
        }
    }

    /** Looks at an answer before it is believed. */
    interface Check {
        /** The offset in the chunk of the first bad block, or -1 when all is good. */
        int firstBad(Received received);
    }

    /** How long a younger map is waited for before the next try, in milliseconds. */
    private static final long REFRESH_MS = 2000;

    /** How long tickets may be refused, one after the other, in milliseconds. */
    private static final long TICKET_MS = 3000;

    /** Between two tries: a group that loses a server goes on within a second. */
    private static final long LONGEST_PAUSE_MS = 160;

    private final ChunkIo io;
    private final ChunkPlace place;
    private final Function<ChunkAddress, ChunkRequest> request;
    private final @Nullable ByteBuf payload;
    private final WritePermit permit;
    private final @Nullable Check check;
    private final long deadlineMs;
    private final Backoff backoff;
    private final Span span = Scope.current();
    private final List<Integer> disappointing = new ArrayList<>();
    private FsException lastError = new FsException(Errno.ETIMEDOUT, "not tried");
    private final Set<Integer> bad = new HashSet<>();
    private boolean lost;
    private boolean outlasting;

    /** The target that is asked now; 0 for none. */
    private volatile int asking;

    /** Whether the last try went over another member. */
    private boolean relaying;

    /** When a ticket was refused, and a new one asked for, in ms of this call; -1 for never. */
    private long refusedMs = -1;

    /**
     * A request to the head, or with a check to any serving member.
     *
     * @param payload taken over; sent with each try
     * @param permit asked before each try
     */
    ChunkCall(
            ChunkIo io,
            ChunkPlace place,
            Function<ChunkAddress, ChunkRequest> request,
            @Nullable ByteBuf payload,
            WritePermit permit,
            @Nullable Check check) {
        this.io = io;
        this.place = place;
        this.request = request;
        this.payload = payload;
        this.permit = permit;
        this.check = check;
        this.deadlineMs = io.deadlineMs();
        this.backoff = new Backoff(io.random(), LONGEST_PAUSE_MS);
    }

    /** The target that is asked now; 0 for none. */
    int asking() {
        return asking;
    }

    /** Asks another target than this one first. Before the first try. */
    void avoid(int target) {
        disappointing.add(target);
    }

    /** Makes the next try. */
    void attempt() {
        if (Scope.is(span)) {
            attemptNow();
        } else {
            Scope.run(span, this::attempt);
        }
    }

    private void attemptNow() {
        asking = 0;
        if (isDone()) {
            // Another replica was faster.
            ended();
            return;
        }
        long leftMs = io.leftMs(deadlineMs);
        if (leftMs <= 0) {
            giveUp();
            return;
        }
        long waitedMs = io.requestTimeoutMs() - leftMs;
        if (!outlasting && waitedMs >= ChunkOutage.PATIENCE_MS) {
            outlasting = true;
            io.outage().begin(place, lastError);
        }
        WritePermit.Answer may = permit.ask();
        if (may == WritePermit.Answer.YES) {
            place();
        } else if (may == WritePermit.Answer.NOT_NOW) {
            lastError = new FsException(Errno.ETIMEDOUT, "no master renews the lease of the locks");
            io.later(this::attempt, backoff.nextMs());
        } else {
            fail(new FsException(Errno.EIO, place + ": the locks it was written under are lost"));
        }
    }

    private void place() {
        ClusterMap map = io.map();
        PlacementGroup group = map.groupOf(place.layout(), place.index());
        Integer target = group == null ? null : choose(group);
        ChunkServer server = target == null ? null : map.serverOfTarget(target);
        if (group == null || target == null || server == null) {
            unplaced(group);
            return;
        }
        ChunkServer relay =
                io.connections().isSuspect(Callee.of(server)) ? relay(map, group, target) : null;
        relaying = relay != null;
        ChunkAddress address =
                new ChunkAddress(
                        group.id(),
                        group.epoch(),
                        place.oid(),
                        place.index(),
                        place.layout().chunkSizeLog2());
        asking = target;
        CompletableFuture<Link> connecting =
                io.connections().to(Callee.of(relay == null ? server : relay));
        if (connecting.isDone() && !connecting.isCompletedExceptionally()) {
            ask(connecting.join(), target, address);
        } else {
            Promises.whenDone(
                    connecting,
                    (connection, failure) -> {
                        if (connection == null) {
                            failed(target, address, null, Await.failure(failure));
                        } else {
                            ask(connection, target, address);
                        }
                    });
        }
    }

    /**
     * Another serving member that may reach the head, which this client cannot; null when there is
     * none, or the last try was made in that way.
     */
    private @Nullable ChunkServer relay(ClusterMap map, PlacementGroup group, int target) {
        if (relaying || !isHead(target, group.id())) {
            return null;
        }
        for (PlacementGroup.Member member : group.members()) {
            ChunkServer server =
                    member.targetId() == target || member.state() != MemberState.SERVING
                            ? null
                            : map.serverOfTarget(member.targetId());
            if (server != null && !io.connections().isSuspect(Callee.of(server))) {
                return server;
            }
        }
        return null;
    }

    private long tryTimeoutMs() {
        return Math.max(1, Math.min(io.leftMs(deadlineMs), io.attemptTimeoutMs()));
    }

    private void ask(Link connection, int target, ChunkAddress bare) {
        Ticket ticket = connection.isSecured() ? io.tickets().now() : Ticket.NONE;
        if (ticket == null) {
            fetchTicket(target, bare);
            return;
        }
        ChunkAddress address = bare.showing(ticket);
        ChunkRequest asked = request.apply(address);
        ChunkRequest sent = relaying ? new HeadRequest.Relay(asked) : asked;
        Message message =
                new Message(sent::toBytes, payload == null ? null : payload.retainedDuplicate());
        Promises.whenDone(
                connection.call(message, tryTimeoutMs()),
                (answer, failure) -> {
                    if (answer == null) {
                        failed(target, address, connection, Await.failure(failure));
                    } else {
                        answered(connection, target, address, answer);
                    }
                });
    }

    /** Time may pass until the answer: the try begins again. */
    private void fetchTicket(int target, ChunkAddress address) {
        Promises.whenDone(
                io.tickets().fetch(),
                (ticket, failure) -> {
                    if (ticket == null) {
                        failed(target, address, null, Await.failure(failure));
                    } else {
                        attempt();
                    }
                });
    }

    /** Another one helps, or the next heartbeat, with which servers hear the leader's clock. */
    private void ticketRefused(ChunkAddress address, FsException error) {
        long nowMs = io.requestTimeoutMs() - io.leftMs(deadlineMs);
        if (refusedMs < 0) {
            refusedMs = nowMs;
            io.tickets().refused(address.ticket());
            attempt();
        } else if (nowMs - refusedMs < TICKET_MS) {
            io.tickets().refusedAgain(address.ticket());
            io.later(this::attempt, backoff.nextMs());
        } else {
            fail(new FsException(Errno.EACCES, place + ": " + error.getMessage(), error));
        }
    }

    /** The target to ask, or null when the group has none that serves. */
    private @Nullable Integer choose(PlacementGroup group) {
        PlacementGroup.Member head = group.head();
        if (head == null) {
            return null;
        }
        if (check == null) {
            return head.targetId();
        }
        List<Integer> serving = new ArrayList<>(group.members().size());
        for (PlacementGroup.Member member : group.members()) {
            if (member.state() == MemberState.SERVING && !bad.contains(member.targetId())) {
                serving.add(member.targetId());
            }
        }
        if (serving.isEmpty()) {
            return null;
        }
        if (disappointing.containsAll(serving)) {
            disappointing.retainAll(bad);
            return serving.get(0);
        }
        serving.removeAll(disappointing);
        if (serving.size() > 1 && !serving.stream().allMatch(io::avoids)) {
            serving.removeIf(io::avoids);
        }
        return disappointing.isEmpty()
                ? serving.get(io.preference(place, serving.size()))
                : serving.get(0);
    }

    private void unplaced(@Nullable PlacementGroup group) {
        if (group != null && !bad.isEmpty() && (lost || group.isComplete())) {
            fail(
                    new FsException(
                            Errno.EIO,
                            place
                                    + ": bad on "
                                    + Wording.count(bad.size(), "replica")
                                    + ", no good one serves"));
            return;
        }
        String reason =
                group == null
                        ? "the cluster map does not know its pool"
                        : "no "
                                + (bad.isEmpty() ? "" : "good ")
                                + "replica in placement group "
                                + group.id()
                                + " is serving";
        lastError = new FsException(Errno.ETIMEDOUT, reason);
        bad.clear();
        disappointing.clear();
        refreshAndRetry(true);
    }

    private void answered(Link connection, int target, ChunkAddress address, Message answer) {
        ChunkReply reply;
        try {
            reply = ChunkReply.decode(answer.decoder());
        } catch (MalformedMessageException e) {
            answer.release();
            fail(new FsException(Errno.EPROTO, place + ": " + e.getMessage(), e));
            return;
        }
        Received received = new Received(reply, answer.payload());
        int bad = check == null ? -1 : check.firstBad(received);
        if (bad < 0) {
            ended();
            if (!complete(received)) {
                received.release();
            }
            return;
        }
        received.release();
        io.reportBad(connection, address, bad);
        disappoint(target, new FsException(Errno.EBADMSG, "checksum mismatch at " + bad));
    }

    private void failed(int target, ChunkAddress address, @Nullable Link via, FsException error) {
        lastError = error;
        // What came in between may have taken so long that the new ticket has expired, too.
        refusedMs = error.errno() == Errno.BAD_TICKET ? refusedMs : -1;
        switch (error.errno()) {
            case NOT_HEAD -> {
                disappointing.add(target);
                if (check != null && !isHead(target, address.group())) {
                    askHead();
                } else {
                    refreshAndRetry(true);
                }
            }
            case WRONG_EPOCH -> {
                disappointing.add(target);
                refreshAndRetry(io.epochOf(address.group()) == address.epoch());
            }
            case NOT_READY, NOT_LEADER -> {
                disappointing.add(target);
                refreshAndRetry(true);
            }
            case BAD_TICKET -> ticketRefused(address, error);
            case EAGAIN -> io.later(this::attempt, backoff.nextMs());
            case DISCONNECTED, ETIMEDOUT -> {
                if (via != null && error.errno() == Errno.ETIMEDOUT) {
                    io.connections().giveUp(via);
                }
                disappointing.add(target);
                if (!relaying && isRelayed(target, address.group())) {
                    attempt();
                } else if (check != null && disappointing.size() < io.replicas(place)) {
                    attempt();
                } else {
                    refreshAndRetry(true);
                }
            }
            case EIO, EBADMSG -> {
                if (check == null) {
                    fail(new FsException(error.errno(), place + ": " + error.getMessage(), error));
                } else {
                    lost |= isHead(target, address.group());
                    disappoint(target, error);
                }
            }
            default ->
                    fail(new FsException(error.errno(), place + ": " + error.getMessage(), error));
        }
    }

    /** The map is right, and other members would say the same. */
    private void askHead() {
        PlacementGroup group = io.map().groupOf(place.layout(), place.index());
        PlacementGroup.Member head = group == null ? null : group.head();
        if (group != null && head != null) {
            for (PlacementGroup.Member member : group.members()) {
                if (member.targetId() != head.targetId()) {
                    disappointing.add(member.targetId());
                }
            }
        }
        attempt();
    }

    /** Whether the next try of a request to the head would go over another member. */
    private boolean isRelayed(int target, int groupId) {
        ClusterMap map = io.map();
        PlacementGroup group = map.group(groupId);
        ChunkServer server = map.serverOfTarget(target);
        if (check != null || group == null || server == null) {
            return false;
        }
        io.connections().suspect(Callee.of(server));
        return relay(map, group, target) != null;
    }

    private boolean isHead(int target, int groupId) {
        PlacementGroup group = io.map().group(groupId);
        PlacementGroup.Member head = group == null ? null : group.head();
        return head != null && head.targetId() == target;
    }

    /** A replica is bad: on to the next. */
    private void disappoint(int target, FsException error) {
        bad.add(target);
        disappointing.add(target);
        lastError = error;
        io.noteBad(place, target, error);
        attempt();
    }

    /** Without masters there is no other map, but the servers of this one may come back. */
    private void refreshAndRetry(boolean delayed) {
        long delayMs = delayed ? backoff.nextMs() : 0;
        AtomicBoolean retried = new AtomicBoolean();
        Runnable retry =
                () -> {
                    if (retried.compareAndSet(false, true)) {
                        attempt();
                    }
                };
        CompletableFuture<ClusterMap> refreshed = io.refresh();
        if (!refreshed.isDone()) {
            io.later(retry, REFRESH_MS);
        }
        Promises.whenDone(
                refreshed,
                (map, failure) -> {
                    if (delayMs == 0) {
                        retry.run();
                    } else {
                        io.later(retry, delayMs);
                    }
                });
    }

    private void giveUp() {
        Errno errno = bad.isEmpty() ? Errno.ETIMEDOUT : Errno.EIO;
        fail(
                new FsException(
                        errno,
                        place
                                + ": no chunk server answered within "
                                + io.requestTimeoutMs()
                                + " ms ("
                                + lastError.getMessage()
                                + ")"));
    }

    private void fail(FsException error) {
        ended();
        completeExceptionally(error);
    }

    private void ended() {
        if (outlasting) {
            io.outage().end();
        }
        if (payload != null) {
            payload.release();
        }
    }
}
