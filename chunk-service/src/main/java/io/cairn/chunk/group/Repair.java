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
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.ReportBad;
import io.cairn.wire.chunk.ChunkRequest.Verify;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a chunk of which a client got a block that failed its checksum. The head lets every
 * serving member verify its replica and replaces each bad one by a good one; the target keeps the
 * bad file in its quarantine. When a block is good nowhere everything stays as it is, and reading
 * the block fails. Thread-safe.
 */
public final class Repair {
    private static final Logger LOG = LoggerFactory.getLogger(Repair.class);
    static final int MAX_RUNNING = 256;
    private static final long VERIFY_TIMEOUT_MS = 30_000;
    private static final long FORWARD_TIMEOUT_MS = 5_000;

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

    /** Begins, in the background; a chunk that is looked at already is not looked at again. */
    public void begin(ReportBad report) {
        Term term = member.enter(report.chunk().epoch());
        Peer head = term.headPeer();
        if (head != null) {
            Futures.finish(
                    station.members()
                            .askOnce(head.server(), Message.of(report::toBytes), FORWARD_TIMEOUT_MS)
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

    /** The members whose replica has a bad block. */
    private CompletableFuture<List<Peer>> bad(Term term, ChunkAddress chunk) {
        List<Peer> bad = new ArrayList<>();
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (Peer peer : term.servingPeers()) {
            answers.add(
                    station.members()
                            .askOnce(
                                    peer.server(),
                                    Message.of(new Verify(chunk)::toBytes),
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
