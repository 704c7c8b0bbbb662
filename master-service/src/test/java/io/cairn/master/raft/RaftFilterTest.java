package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.raft.member.Hello;
import io.cairn.master.raft.member.Peer;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.metadata.state.StateHash.Mark;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.netty.NettyFactory;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupInfoRequest;
import org.apache.ratis.protocol.GroupListRequest;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.LeaderElectionManagementRequest;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the port of Raft takes from somebody who speaks Ratis well and is no master. */
class RaftFilterTest {
    private static final RaftGroupId GROUP =
            RaftGroupId.valueOf(
                    UUID.nameUUIDFromBytes(
                            "io.cairn.master/shard/0".getBytes(StandardCharsets.US_ASCII)));

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private final ClientId stranger = ClientId.randomId();

    @Test
    void noRequestOfAClientIsTaken() throws Exception {
        for (int masters : List.of(1, 3)) {
            Path here = directory.resolve(String.valueOf(masters));
            try (TestGroup group = new TestGroup(here, masters, CheckpointRule.standard());
                    RaftClientRpc network =
                            new NettyFactory(new Parameters())
                                    .newRaftClientRpc(stranger, new RaftProperties())) {
                group.startAll();
                TestSession session = new TestSession(group::leaderLog);
                session.create("first");
                group.awaitAgreement();
                int leader = group.leader();
                RatisSettings settings = group.settings(leader);
                RaftPeer peer =
                        RaftPeer.newBuilder()
                                .setId(settings.id())
                                .setAddress(settings.self().raft().toString())
                                .build();
                network.addRaftPeers(List.of(peer));
                long before = group.leaderLog().namespace().appliedIndex();
                byte[] print = group.leaderLog().namespace().fingerprint();
                for (RaftClientRequest each : requests(peer)) {
                    IOException error =
                            assertThrows(
                                    IOException.class,
                                    () -> {
                                        RaftClientReply reply = network.sendRequest(each);
                                        assertFalse(reply.isSuccess(), reply.toString());
                                    },
                                    each.toString());
                    assertTrue(
                            String.valueOf(error.getMessage()).contains("masters"),
                            each + ": " + error);
                }
                assertEquals(before, group.leaderLog().namespace().appliedIndex());
                assertEquals(
                        TestGroup.hex(print),
                        TestGroup.hex(group.leaderLog().namespace().fingerprint()));
                assertEquals(leader, group.leader());
                session.create("second");
                group.awaitAgreement();
            }
        }
    }

    private List<RaftClientRequest> requests(RaftPeer peer) {
        RaftPeerId to = peer.getId();
        byte[] change = new Envelope(0, 7, 0, 0, new LeaderMutation.RaiseLevel(2)).toBytes();
        byte[] entry =
                ByteBuffer.allocate(4 + change.length).putInt(change.length).put(change).array();
        List<RaftClientRequest> requests = new ArrayList<>();
        for (RaftClientRequest.Type type :
                List.of(
                        RaftClientRequest.writeRequestType(),
                        RaftClientRequest.readRequestType(),
                        RaftClientRequest.staleReadRequestType(0),
                        RaftClientRequest.watchRequestType())) {
            requests.add(
                    RaftClientRequest.newBuilder()
                            .setClientId(stranger)
                            .setServerId(to)
                            .setGroupId(GROUP)
                            .setCallId(requests.size() + 1)
                            .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(entry)))
                            .setType(type)
                            .build());
        }
        requests.add(
                new SetConfigurationRequest(
                        stranger,
                        to,
                        GROUP,
                        11,
                        SetConfigurationRequest.Arguments.newBuilder()
                                .setServersInNewConf(List.of(peer))
                                .build()));
        requests.add(new TransferLeadershipRequest(stranger, to, GROUP, 12, to, 1000));
        requests.add(SnapshotManagementRequest.newCreate(stranger, to, GROUP, 13, 1000, 0));
        requests.add(LeaderElectionManagementRequest.newPause(stranger, to, GROUP, 14));
        requests.add(new GroupListRequest(stranger, to, GROUP, 15));
        requests.add(new GroupInfoRequest(stranger, to, GROUP, 16));
        requests.add(
                GroupManagementRequest.newAdd(
                        stranger,
                        to,
                        17,
                        RaftGroup.valueOf(RaftGroupId.randomId(), List.of(peer)),
                        true));
        requests.add(GroupManagementRequest.newRemove(stranger, to, 18, GROUP, true, false));
        return requests;
    }

    @Test
    void aHelloIsReadAsItWasWritten() {
        Hello hello =
                new Hello(
                        "m1",
                        -5,
                        true,
                        false,
                        0x99,
                        0x55,
                        true,
                        3,
                        -1,
                        true,
                        false,
                        true,
                        new Endpoint("client.example", 9871),
                        12,
                        List.of(
                                new Peer("m1", new Endpoint("a.example", 1)),
                                new Peer("m2", new Endpoint("::1", 2))),
                        List.of(new Mark(64, -3)));
        assertEquals(hello, Hello.decode(hello.encode()));
        assertNull(Hello.decode(UnsafeByteOperations.unsafeWrap(new byte[20])));
        assertNull(Hello.decode(hello.encode().substring(0, 30)));
        assertTrue(Hello.isQuestion(Hello.question()));
        assertFalse(Hello.isQuestion(hello.encode()));
    }
}
