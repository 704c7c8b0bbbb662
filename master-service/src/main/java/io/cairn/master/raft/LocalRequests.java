package io.cairn.master.raft;

import io.cairn.master.raft.member.Peer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/**
 * What this process asks its own division about the group: another leader, other members. The
 * network may ask neither. Thread-safe.
 */
final class LocalRequests implements Handover.Masters {
    private final RaftServer server;
    private final RaftServer.Division division;
    private final ClientId clientId;
    private final BooleanSupplier leads;
    private final Executor pause;

    /** Apart from the numbers of entries. */
    private final AtomicLong calls = new AtomicLong(1L << 62);

    /**
     * Asks nothing yet.
     *
     * @param clientId under which this process proposes entries
     * @param leads whether this master leads and is ready for it
     * @param timer runs what comes after a pause
     */
    LocalRequests(
            RaftServer server,
            RaftServer.Division division,
            ClientId clientId,
            BooleanSupplier leads,
            Executor timer) {
        this.server = server;
        this.division = division;
        this.clientId = clientId;
        this.leads = leads;
        pause = CompletableFuture.delayedExecutor(Handover.PAUSE_MS, TimeUnit.MILLISECONDS, timer);
    }

    @Override
    public CompletableFuture<RaftClientReply> elect(String id, long limitMs) {
        TransferLeadershipRequest request =
                new TransferLeadershipRequest(
                        clientId,
                        division.getId(),
                        division.getMemberId().getGroupId(),
                        calls.incrementAndGet(),
                        RaftPeerId.valueOf(id),
                        limitMs);
        try {
            return server.transferLeadershipAsync(request);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Replaces the list of members, if it still is what it was. */
    CompletableFuture<RaftClientReply> setMembers(List<Peer> next) {
        List<RaftPeer> before = List.copyOf(division.getRaftConf().getCurrentPeers());
        SetConfigurationRequest.Arguments arguments =
                SetConfigurationRequest.Arguments.newBuilder()
                        .setServersInNewConf(next.stream().map(Peer::inRatis).toList())
                        .setServersInCurrentConf(before)
                        .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                        .build();
        try {
            return server.setConfigurationAsync(
                    new SetConfigurationRequest(
                            clientId,
                            division.getId(),
                            division.getMemberId().getGroupId(),
                            calls.incrementAndGet(),
                            arguments));
        } catch (IOException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public @Nullable String leader() {
        RaftPeerId leader = division.getInfo().getLeaderId();
        return leader == null ? null : leader.toString();
    }

    @Override
    public boolean leads() {
        return leads.getAsBoolean();
    }

    @Override
    public Executor pause() {
        return pause;
    }
}
