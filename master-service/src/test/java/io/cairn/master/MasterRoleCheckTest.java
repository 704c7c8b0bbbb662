package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Target;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.net.Refusals.Reason;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MasterRoleCheckTest {
    private static final byte[] QUERY = MasterRequest.query(1, new Query.GetStatus(), 1);
    private static final byte[] BEGIN_LOGIN =
            MasterRequest.query(0, new Query.BeginLogin("n,,n=alice,r=12345678"), 1);
    private static final byte[] FINISH_LOGIN =
            MasterRequest.query(0, new Query.FinishLogin("c=biws"), 1);
    private static final byte[] MUTATION = {(byte) MasterRequest.MUTATION.code(), 1, 2, 3};
    private static final byte[] ADMIN = {(byte) MasterRequest.ADMIN.code(), 1};
    private static final byte[] SYNCED = cluster(new ClusterRequest.MemberSynced(1, 2, 3));
    private static final byte[] PRESENT = cluster(new ClusterRequest.MasterPresent("m2", 1));
    private static final byte[] JOIN = cluster(new ClusterRequest.Join("secret", new byte[1]));
    private static final byte[] RENEW = cluster(new ClusterRequest.RenewCertificate(new byte[1]));

    private final Refusals refusals = new Refusals("master", Clock.system());
    private final MasterRoleCheck door = new MasterRoleCheck(refusals);

    private static byte[] cluster(ClusterRequest request) {
        return MasterRequest.cluster(request, 1);
    }

    @Test
    void eachRoleMayDoItsWorkAndNothingElse() {
        Set<Role> clients = EnumSet.of(Role.MOUNT, Role.GATEWAY, Role.ADMIN, Role.USER);
        Set<Role> askers = EnumSet.copyOf(clients);
        askers.add(Role.CHUNK);
        Set<Role> known = EnumSet.copyOf(askers);
        known.add(Role.NEWCOMER);
        Set<Role> invited = EnumSet.allOf(Role.class);
        invited.removeIf(role -> !role.isInvited());
        check(MUTATION, clients);
        check(QUERY, askers);
        check(BEGIN_LOGIN, known);
        check(FINISH_LOGIN, known);
        check(Arrays.copyOf(BEGIN_LOGIN, 9), askers);
        check(ADMIN, EnumSet.of(Role.MASTER));
        check(PRESENT, EnumSet.of(Role.MASTER));
        check(SYNCED, EnumSet.of(Role.CHUNK));
        check(JOIN, EnumSet.of(Role.NEWCOMER));
        check(RENEW, invited);
        check(new byte[] {(byte) MasterRequest.PUSH.code(), 1}, Set.of());
        check(new byte[0], Set.of());
    }

    private void check(byte[] frame, Set<Role> allowed) {
        for (Role role : Role.values()) {
            Principal asker = new Principal(role, "x", "10.0.0.1");
            if (allowed.contains(role) || role == Role.ANONYMOUS) {
                assertDoesNotThrow(() -> door.require(asker, frame), role.toString());
            } else {
                long before = refusals.count(Reason.ROLE);
                FsException error =
                        assertThrows(
                                FsException.class,
                                () -> door.require(asker, frame),
                                role.toString());
                assertEquals(Errno.EACCES, error.errno());
                assertEquals(before + 1, refusals.count(Reason.ROLE));
            }
        }
    }

    /** Group 5 in epoch 9: c1 heads it, c2 is a member; c3 has nothing of it. */
    private static ClusterMap map() {
        List<ChunkServer> servers = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            servers.add(new ChunkServer(i, "c" + i, new Endpoint("c" + i, 9500), 1));
            targets.add(new Target(i, i, i));
        }
        PlacementGroup group =
                new PlacementGroup(
                        5,
                        1,
                        9,
                        List.of(
                                new Member(1, MemberState.SERVING),
                                new Member(2, MemberState.SYNCING)));
        return new ClusterMap(9, servers, targets, List.of(), List.of(group));
    }

    private void maySpeak(boolean expected, String server, ClusterRequest request) {
        Principal sender = new Principal(Role.CHUNK, server, "10.0.0.3");
        long before = refusals.count(Reason.ROLE);
        if (expected) {
            assertDoesNotThrow(() -> door.requireOwnGroup(sender, request, map()));
        } else {
            FsException error =
                    assertThrows(
                            FsException.class, () -> door.requireOwnGroup(sender, request, map()));
            assertEquals(Errno.EACCES, error.errno());
        }
        assertEquals(before + (expected ? 0 : 1), refusals.count(Reason.ROLE));
        Principal anonymous = Principal.anonymous("127.0.0.1");
        assertDoesNotThrow(() -> door.requireOwnGroup(anonymous, request, map()));
    }

    @Test
    void aChunkServerSpeaksForItsGroupsOnly() {
        ClusterRequest failed = new ClusterRequest.MemberFailed(5, 9, 1, "it is silent");
        maySpeak(true, "c1", failed);
        maySpeak(true, "c2", failed);
        maySpeak(false, "c3", failed);
        ClusterRequest synced = new ClusterRequest.MemberSynced(5, 9, 2);
        maySpeak(true, "c1", synced);
        maySpeak(false, "c2", synced);
        maySpeak(false, "c3", synced);
        maySpeak(false, "c1", new ClusterRequest.MemberSynced(6, 9, 2));
        // For an epoch that is to come, and for one that is over.
        maySpeak(false, "c3", new ClusterRequest.MemberFailed(5, 10, 1, "it is silent"));
        maySpeak(true, "c3", new ClusterRequest.MemberFailed(5, 8, 1, "it is silent"));
    }

    @Test
    void aMasterSpeaksForItselfOnly() {
        Principal master = new Principal(Role.MASTER, "m2", "10.0.0.2");
        ClusterRequest own = new ClusterRequest.MasterPresent("m2", 1);
        ClusterRequest other = new ClusterRequest.MasterPresent("m3", 1);
        assertDoesNotThrow(() -> door.requireOwnName(master, own));
        assertThrows(FsException.class, () -> door.requireOwnName(master, other));
        assertDoesNotThrow(() -> door.requireOwnName(Principal.anonymous("127.0.0.1"), other));
    }
}
