package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.cluster.Layout;
import io.cairn.net.Message;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkRange;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.CopiesReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.ReportBad;
import io.cairn.wire.chunk.ChunkRequest.Verify;
import io.cairn.wire.chunk.HeadRequest.VerifyCopies;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a chunk of which a client got a block that failed its checksum. The head lets every
 * serving member verify its replica and replaces each bad one by a good one; the target keeps the
 * bad file in its quarantine. When a block is good nowhere everything stays as it is, and reading
 * the block fails. Masters have copies looked at in the same way. Thread-safe.
 */
public final class Repair {
    private static final Logger LOG = LoggerFactory.getLogger(Repair.class);
    static final int MAX_RUNNING = 256;
    private static final long VERIFY_TIMEOUT_MS = 30_000;
    private static final long FORWARD_TIMEOUT_MS = 5_000;

    /** Chunks that are verified for one request, and how long no other one is begun for it. */
    private static final int MAX_VERIFIED = 256;

    private static final long TURN_MS = 2_000;

    private final PeerContext station;
    private final GroupMember member;
    private final Set<ChunkKey> running = new HashSet<>();

    Repair(PeerContext station, GroupMember member) {
        this.station = station;
        this.member = member;
    }

    /** Begins for a chunk whose replica here is known to have a bad block, if this server may. */
    public void begin(ChunkState state) {
        ChunkKey key = new ChunkKey(state.oid(), state.index());
        Term term = member.term();
        try {
            int log2 = state.chunkSizeLog2();
            int known = log2 == 0 ? Layout.STANDARD_CHUNK_SIZE_LOG2 : log2;
            begin(new ReportBad(member.address(term, key, known), 0));
        } catch (FsException e) {
            LOG.debug("Not repaired now: {}", e.getMessage());
        }
    }

    /**
     * Begins, in the background; a chunk that is looked at already is not looked at again, nor one
     * whose key was dropped.
     */
    public void begin(ReportBad report) {
        Term term = member.enter(report.chunk().epoch());
        if (GroupMember.isLost(term)) {
            return;
        }
        Peer head = term.headPeer();
        if (head != null) {
            Futures.finish(
                    station.members()
                            .askOnce(
                                    head.server(),
                                    head.addressed(Message.of(report::toBytes)),
                                    FORWARD_TIMEOUT_MS)
                            .thenAccept(Message::release),
                    (done, thrown) -> ended(report.chunk(), thrown));
            return;
        }
        member.headship(term);
        ChunkKey key = new ChunkKey(report.chunk().oid(), report.chunk().index());
        synchronized (running) {
            if (running.size() >= MAX_RUNNING || !running.add(key)) {
                return;
            }
        }
        LOG.warn("A bad block was found near byte {} of {}", report.offsetBytes(), name(report));
        Futures.finish(
                station.copies()
                        .run(
                                () ->
                                        member.turns()
                                                .exclusive(
                                                        key, () -> examine(term, report.chunk()))),
                (done, thrown) -> {
                    synchronized (running) {
                        running.remove(key);
                    }
                    ended(report.chunk(), thrown);
                });
    }

    private static String name(ReportBad report) {
        return name(report.chunk());
    }

    private static String name(ChunkAddress chunk) {
        return "chunk "
                + Long.toHexString(chunk.oid())
                + "."
                + chunk.index()
                + " of group "
                + chunk.group();
    }

    private static void ended(ChunkAddress chunk, @Nullable Throwable thrown) {
        if (thrown != null) {
            String reason = Futures.failure(thrown).getMessage();
            LOG.error("{} was not repaired: {}", name(chunk), reason);
        }
    }

    private CompletableFuture<Void> examine(Term term, ChunkAddress chunk) {
        ChunkKey key = new ChunkKey(chunk.oid(), chunk.index());
        Agreement agreement = member.headship(term).agreement();
        agreement.doubt(key);
        return agreement
                .ensure(key)
                .thenCompose(
                        agreed ->
                                station.fromDisk(
                                        () -> {
                                            member.check(term);
                                            ChunkState state = member.state(term, key);
                                            boolean good =
                                                    state.sequence() == 0
                                                            || term.target().verify(chunk);
                                            return bad(term, chunk)
                                                    .thenCompose(b -> mend(term, state, good, b));
                                        }));
    }

    /**
     * Verifies all copies of some chunks, as far as it gets in a moment, and replaces those that
     * are bad. Fails when a serving member cannot be asked.
     */
    public CompletableFuture<CopiesReply> verifyCopies(VerifyCopies request) {
        Term term = member.enterAsHead(request.chunk().epoch());
        ChunkAddress first = request.chunk();
        ChunkRange range = new ChunkRange(first.oid(), first.index(), request.endIndex());
        CopiesReply none = new CopiesReply(first.index(), 0, 0, 0, 0, 0);
        long untilMs = station.world().clock().millis() + TURN_MS;
        return station.onDisk(() -> indices(term, range))
                .thenCompose(found -> verify(term, request, found, none, untilMs));
    }

    /** The chunks there that are here or should be, in order; the last number is no part of it. */
    private static Deque<Long> indices(Term term, ChunkRange range) {
        int most = MAX_VERIFIED + 1;
        TreeSet<Long> found = new TreeSet<>(term.target().find(term.groupId(), range, most));
        found.addAll(term.target().verification().noted(term.groupId(), range, most));
        Deque<Long> list = new ArrayDeque<>(found);
        while (list.size() > most) {
            list.removeLast();
        }
        if (list.size() < most) {
            list.add(range.endIndex());
        }
        return list;
    }

    private CompletableFuture<CopiesReply> verify(
            Term term, VerifyCopies request, Deque<Long> rest, CopiesReply sum, long untilMs) {
        long index = rest.remove();
        boolean isLate = sum.chunks() > 0 && station.world().clock().millis() >= untilMs;
        if (rest.isEmpty() || isLate) {
            return CompletableFuture.completedFuture(sum.goOnAt(index));
        }
        ChunkAddress chunk =
                member.address(
                        term,
                        new ChunkKey(request.chunk().oid(), index),
                        request.chunk().chunkSizeLog2());
        return station.copies()
                .run(() -> verified(term, chunk))
                .thenCompose(one -> verify(term, request, rest, sum.plus(one), untilMs));
    }

    /** The copies of a chunk: how many there are, of which length, and how many are bad. */
    private record Look(int copies, long lengthBytes, int bad) {
        CopiesReply told(int mended) {
            return new CopiesReply(
                    0, copies > 0 ? 1 : 0, copies, copies * lengthBytes, bad, mended);
        }
    }

    private CompletableFuture<CopiesReply> verified(Term term, ChunkAddress chunk) {
        ChunkKey key = new ChunkKey(chunk.oid(), chunk.index());
        return look(term, chunk)
                .thenCompose(
                        before ->
                                before.bad == 0
                                        ? member.turns()
                                                .exclusive(key, () -> compared(term, key))
                                                .thenApply(done -> before.told(0))
                                        : replaced(term, chunk, before));
    }

    private CompletableFuture<Void> compared(Term term, ChunkKey key) {
        Agreement agreement = member.headship(term).agreement();
        agreement.doubt(key);
        return agreement.ensure(key);
    }

    private CompletableFuture<CopiesReply> replaced(Term term, ChunkAddress chunk, Look before) {
        ChunkKey key = new ChunkKey(chunk.oid(), chunk.index());
        return member.turns()
                .exclusive(key, () -> examine(term, chunk))
                .handle(
                        (done, thrown) -> {
                            ended(chunk, thrown);
                            return term;
                        })
                .thenCompose(same -> look(same, chunk))
                .thenApply(
                        now ->
                                new Look(before.copies, now.lengthBytes, before.bad)
                                        .told(Math.max(0, before.bad - now.bad)));
    }

    /** Reads all copies; writes go on meanwhile. */
    private CompletableFuture<Look> look(Term term, ChunkAddress chunk) {
        return station.onDisk(() -> lookHere(term, chunk))
                .thenCompose(
                        here -> {
                            if (here.copies == 0) {
                                return CompletableFuture.completedFuture(here);
                            }
                            int copies = 1 + term.servingPeers().size();
                            return bad(term, chunk)
                                    .thenApply(
                                            b ->
                                                    new Look(
                                                            copies,
                                                            here.lengthBytes,
                                                            here.bad + b.size()));
                        });
    }

    private Look lookHere(Term term, ChunkAddress chunk) {
        member.check(term);
        ChunkKey key = new ChunkKey(chunk.oid(), chunk.index());
        boolean isGood = !member.isUnusable(term, key) && term.target().verify(chunk);
        ChunkState state = member.state(term, key);
        boolean isThere = !isGood || state.sequence() > 0;
        return new Look(isThere ? 1 : 0, state.lengthBytes(), isGood ? 0 : 1);
    }

    /** The members whose replica has a bad block. */
    private CompletableFuture<List<Peer>> bad(Term term, ChunkAddress chunk) {
        List<Peer> bad = new ArrayList<>();
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (Peer peer : term.servingPeers()) {
            answers.add(
                    station.members()
                            .askOnce(
                                    peer.server(),
                                    peer.addressed(Message.of(new Verify(chunk)::toBytes)),
                                    VERIFY_TIMEOUT_MS)
                            .thenAccept(Message::release)
                            .exceptionallyCompose(
                                    thrown -> {
                                        Errno errno = Futures.failure(thrown).errno();
                                        if (errno != Errno.EBADMSG && errno != Errno.EIO) {
                                            return CompletableFuture.failedFuture(thrown);
                                        }
                                        synchronized (bad) {
                                            bad.add(peer);
                                        }
                                        return Futures.DONE;
                                    }));
        }
        return Futures.all(answers).thenApply(done -> bad);
    }

    private CompletableFuture<Void> mend(
            Term term, ChunkState state, boolean goodHere, List<Peer> bad) {
        if (state.sequence() == 0) {
            return Futures.DONE;
        }
        BlobCopy copy = new BlobCopy(station, term);
        CompletableFuture<Void> here =
                goodHere ? Futures.DONE : copy.mend(state, term.servingPeers());
        return here.thenCompose(
                        done ->
                                Futures.forEach(
                                        bad, bad.size(), peer -> copy.push(state, peer, List.of())))
                .thenAccept(
                        done ->
                                LOG.info(
                                        "Chunk {}.{} of {}: {} repaired",
                                        Long.toHexString(state.oid()),
                                        state.index(),
                                        term,
                                        Wording.count(bad.size() + (goodHere ? 0 : 1), "replica")));
    }
}
