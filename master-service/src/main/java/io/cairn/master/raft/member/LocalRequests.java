package io.cairn.master.raft.member;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/**
 * What this process asks its own division: to log an entry, another leader, other members. The
 * network may ask none of it. Thread-safe.
 */
public final class LocalRequests implements Handover.Masters {
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
    public LocalRequests(
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

    /**
     * Proposes an entry to the division, without a detour over Ratis' own threads.
     *
     * @param number of the entry among those of this process
     * @param answered the numbers of entries that Ratis may forget
     */
    public CompletableFuture<RaftClientReply> propose(
            long number, byte[] entry, List<Long> answered) {
        RaftClientRequest request =
                RaftClientRequest.newBuilder()
                        .setClientId(clientId)
                        .setServerId(division.getId())
                        .setGroupId(division.getMemberId().getGroupId())
                        .setCallId(number)
                        .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(entry)))
                        .setType(RaftClientRequest.writeRequestType())
                        // Ratis need not remember its replies for retries: there are none.
                        .setRepliedCallIds(answered)
                        .build();
        try {
            return ((RaftClientAsynchronousProtocol) division).submitClientRequestAsync(request);
        } catch (IOException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
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
