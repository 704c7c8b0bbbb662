package io.cairn.master.cluster;

import static io.cairn.cluster.MemberState.OFFLINE;
import static io.cairn.cluster.MemberState.SERVING;
import static io.cairn.cluster.MemberState.SYNCING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Spread;
import io.cairn.master.cluster.MovingCluster.Server;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
final class MemberMovesTest {
    private static final int MOST_LOOKS = 1_000;

    private final MovingCluster cluster = new MovingCluster(4);

    /** A group of two copies with a member on a server. */
    private PlacementGroup pair(int server) {
        return cluster.map.groups().stream()
                .filter(group -> cluster.copies(group) == 2)
                .filter(group -> stateOn(group, server) != null)
                .findFirst()
                .orElseThrow();
    }

    private static MemberState stateOn(PlacementGroup group, int server) {
        return group.stateOf(server); // the targets have the numbers of the servers
    }

    private PlacementGroup now(PlacementGroup group) {
        return Objects.requireNonNull(cluster.map.group(group.id()));
    }

    static void rest(MovingCluster cluster) {
        for (int i = 0; i < MOST_LOOKS; i++) {
            long epoch = cluster.map.epoch();
            cluster.tell();
            cluster.map.groups().forEach(group -> cluster.sync(group.id()));
            cluster.servers.values().forEach(cluster::clear);
            cluster.pass(1_000);
            cluster.tick();
            if (cluster.map.epoch() == epoch && i > MovingCluster.GRACE_MS / 1_000 + 2) {
                return;
            }
        }
        throw new AssertionError("it does not come to rest: " + cluster.map.groups());
    }

    @Test
    void nothingMovesBeforeTheGraceTimeIsOver() {
        PlacementGroup group = pair(1);
        cluster.server(1).up = false;
        cluster.tick();
        cluster.pass(MovingCluster.GRACE_MS - 1);
        cluster.tick();
        assertEquals(OFFLINE, stateOn(now(group), 1));
        assertEquals(2, now(group).members().size());
        cluster.pass(1);
        cluster.tick();
        long syncing =
                cluster.map.groups().stream()
                        .flatMap(each -> each.members().stream())
                        .filter(member -> member.state() == SYNCING)
                        .count();
        assertTrue(syncing > 0 && syncing <= 8, syncing + " at a time");
    }

    @Test
    void aFailedDiskIsReplacedAtOnceAndDeletesWhatItHasWhenItIsWell() {
        PlacementGroup group = pair(1);
        cluster.server(1).healthy = false;
        rest(cluster);
        assertNull(stateOn(now(group), 1));
        assertEquals(2, MovingCluster.serving(now(group)));
        assertTrue(now(group).left().contains(1));
        assertTrue(cluster.server(1).copies.containsKey(group.id()));
        cluster.server(1).healthy = true;
        rest(cluster);
        assertFalse(cluster.server(1).copies.containsKey(group.id()));
        assertEquals(List.of(), now(group).left());
    }

    @Test
    void whoComesBackBeforeItWasReplacedStaysAndTheNewcomerGoes() {
        PlacementGroup group = pair(1);
        cluster.server(1).up = false;
        cluster.tick();
        cluster.pass(MovingCluster.GRACE_MS);
        while (now(group).members().size() == 2) {
            cluster.map.groups().stream()
                    .filter(each -> each.id() != group.id())
                    .forEach(each -> cluster.sync(each.id()));
            cluster.tick();
            cluster.pass(1_000);
        }
        Member newcomer = now(group).members().getLast();
        assertEquals(SYNCING, newcomer.state());
        cluster.server(1).up = true;
        cluster.tick();
        cluster.sync(group.id());
        rest(cluster);
        assertEquals(2, now(group).members().size());
        assertEquals(2, MovingCluster.serving(now(group)));
    }

    @Test
    void theOnlyMemberThatServesIsKeptWhateverBecomesOfIt() {
        PlacementGroup group = pair(1);
        int other = group.members().stream().mapToInt(Member::targetId).filter(t -> t != 1).sum();
        cluster.server(other).up = false;
        cluster.tick();
        cluster.server(1).up = false;
        cluster.pass(20 * MovingCluster.GRACE_MS);
        cluster.tick();
        cluster.pass(20 * MovingCluster.GRACE_MS);
        cluster.tick();
        assertEquals(MemberState.LAST_SERVING, stateOn(now(group), 1));
        assertNotNull(stateOn(now(group), other));
        assertEquals(List.of(), now(group).left());
    }

    @Test
    void aMemberThatMayHaveTheLastGoodCopyOfAChunkIsKept() {
        PlacementGroup group = pair(1);
        int other = group.members().stream().mapToInt(Member::targetId).filter(t -> t != 1).sum();
        cluster.server(other).damaged.add(group.id());
        cluster.server(1).up = false;
        rest(cluster);
        assertEquals(2, MovingCluster.serving(now(group)));
        assertEquals(OFFLINE, stateOn(now(group), 1));
        cluster.server(other).damaged.clear();
        rest(cluster);
        assertNull(stateOn(now(group), 1));
    }

    @Test
    void withoutAnotherServerNothingCanBeDone() {
        MovingCluster small = new MovingCluster(3);
        small.server(1).up = false;
        rest(small);
        small.map.groups().stream()
                .filter(group -> small.copies(group) == 3)
                .forEach(group -> assertEquals(2, MovingCluster.serving(group)));
        small.server(1).up = true;
        rest(small);
        small.map.groups().stream()
                .filter(group -> small.copies(group) == 3)
                .forEach(group -> assertEquals(3, MovingCluster.serving(group)));
    }

    @Test
    void placesKeepTheirOrderSoThatHeadsStaySpread() {
        PlacementGroup group =
                cluster.map.groups().stream()
                        .filter(g -> g.members().size() == 3 && g.head().targetId() == 1)
                        .findFirst()
                        .orElseThrow();
        cluster.server(1).up = false;
        rest(cluster);
        assertEquals(4, now(group).members().getFirst().targetId());
        assertEquals(SERVING, now(group).members().getFirst().state());
    }

    @Test
    void aTargetIsEmptiedAndTakesNothingMore() {
        cluster.drain(2, true);
        long most = 0;
        for (int i = 0; i < 100; i++) {
            cluster.tell();
            cluster.tick();
            most = Math.max(most, cluster.map.groups().stream().filter(g -> g.isSyncing()).count());
            cluster.map.groups().forEach(group -> cluster.sync(group.id()));
            cluster.pass(1_000);
        }
        assertTrue(most > 1 && most <= 8, most + " at a time");
        rest(cluster);
        for (PlacementGroup group : cluster.map.groups()) {
            assertNull(stateOn(group, 2), "" + group);
            assertEquals(cluster.copies(group), MovingCluster.serving(group));
        }
        assertEquals(0, cluster.server(2).copies.size());
    }

    @Test
    void aNewServerInAFullClusterTakesItsPartAndNoMore() {
        cluster.map.groups().stream()
                .filter(group -> cluster.copies(group) == 3)
                .forEach(group -> cluster.full.add(group.id()));
        assertEquals(0.0, cluster.spread());
        cluster.add(5);
        rest(cluster);
        assertTrue(cluster.spread() <= 5, cluster.spread() + " % apart");
        int moves = cluster.server(5).copies.size();
        long epoch = cluster.map.epoch();
        for (int i = 0; i < 30; i++) {
            cluster.pass(1_000);
            cluster.tick();
        }
        assertEquals(epoch, cluster.map.epoch(), "it rests");
        assertTrue(moves <= 40, moves + " groups have moved");
    }

    @Test
    void anEmptyServerGetsPlacesAgain() {
        cluster.server(1).up = false;
        rest(cluster);
        cluster.server(1).up = true;
        rest(cluster);
        long places =
                cluster.map.groups().stream().filter(group -> stateOn(group, 1) != null).count();
        assertTrue(places >= 24, places + " places");
    }

    /** A server has what a state that was set back does not know, and what nobody else has. */
    private static Server stray(MovingCluster moving, PlacementGroup group, long write) {
        Server stray =
                moving.servers.values().stream()
                        .filter(server -> stateOn(group, server.number) == null)
                        .findFirst()
                        .orElseThrow();
        moving.full.add(group.id());
        stray.copies.put(group.id(), write);
        return stray;
    }

    @Test
    void aCopyThatNobodyKnowsIsTakenInAndDeletedAfterItHasServed() {
        PlacementGroup group = pair(1);
        Server stray = stray(cluster, group, 7);
        cluster.tick();
        assertEquals(MemberState.ADOPTED, stateOn(now(group), stray.number));
        rest(cluster);
        assertEquals(7, cluster.written.get(group.id()));
        assertEquals(2, now(group).members().size());
        assertEquals(List.of(), now(group).left());
        long copies =
                cluster.servers.values().stream()
                        .filter(server -> server.copies.containsKey(group.id()))
                        .peek(server -> assertEquals(7, server.copies.get(group.id())))
                        .count();
        assertEquals(2, copies);
    }

    @Test
    void aCopyThatNobodyKnowsStaysWhenItsServerGoesAwayBeforeItHasServed() {
        MovingCluster small = new MovingCluster(3);
        PlacementGroup group =
                small.map.groups().stream()
                        .filter(each -> small.copies(each) == 2)
                        .findFirst()
                        .orElseThrow();
        Server stray = stray(small, group, 7);
        Server lost = small.server(group.members().getLast().targetId());
        lost.up = false;
        small.tick();
        small.pass(MovingCluster.GRACE_MS);
        small.tick();
        assertNotNull(stateOn(small.map.group(group.id()), stray.number));
        stray.up = false; // Nothing was synced yet.
        small.tick();
        lost.up = true;
        rest(small);
        assertEquals(0, small.written.get(group.id()));
        stray.up = true;
        stray.incarnation++;
        for (int i = 0; i < 3; i++) {
            small.tell();
            small.clear(stray);
            small.tick();
        }
        assertEquals(7, stray.copies.get(group.id()));
        rest(small);
        assertEquals(7, small.written.get(group.id()));
    }

    /** Servers come and go, disks fail, clients write, copies are brought up to date. */
    @Property(tries = 20)
    void whateverHappensNothingIsLostAndItComesToRest(@ForAll long seed) {
        Random random = new Random(seed);
        int racks = random.nextBoolean() ? 0 : 2 + random.nextInt(3);
        int disks = 1 + random.nextInt(2);
        int count = disks == 1 ? 3 + random.nextInt(4) : 6 + random.nextInt(3);
        MovingCluster moving = new MovingCluster(count, racks, disks);
        for (int step = 0; step < 200; step++) {
            act(moving, random);
        }
        moving.map.groups().stream()
                .filter(group -> random.nextInt(4) == 0)
                .forEach(group -> moving.full.add(group.id()));
        for (Server server : moving.servers.values()) {
            server.up = true;
            server.healthy = true;
            server.damaged.clear();
        }
        List<Server> all = List.copyOf(moving.servers.values());
        all.forEach(server -> moving.drain(server.number, false));
        if (all.size() > 3) {
            moving.drain(all.get(random.nextInt(all.size())).number, true);
        }
        rest(moving);
        Spread spread = new Spread(moving.map);
        for (PlacementGroup group : moving.map.groups()) {
            List<Integer> ids = group.members().stream().map(Member::targetId).toList();
            for (int id : ids) {
                assertFalse(Objects.requireNonNull(moving.map.target(id)).isDraining());
                List<Integer> others = ids.stream().filter(other -> other != id).toList();
                assertTrue(spread.mayJoin(id, others, ids.size()), "too close: " + group);
            }
            assertEquals(moving.copies(group), MovingCluster.serving(group), "" + group);
            assertEquals(moving.copies(group), group.members().size(), "" + group);
            assertEquals(List.of(), group.left());
            for (Member member : group.members()) {
                assertEquals(
                        moving.written.get(group.id()),
                        moving.server(member.targetId()).copies.get(group.id()));
            }
            for (Server server : moving.servers.values()) {
                assertEquals(
                        stateOn(group, server.number) != null,
                        server.copies.containsKey(group.id()),
                        "what c" + server.number + " has of " + group);
            }
        }
    }

    private static void act(MovingCluster moving, Random random) {
        List<Server> servers = List.copyOf(moving.servers.values());
        Server server = servers.get(random.nextInt(servers.size()));
        int group = 1 + random.nextInt(moving.map.groups().size());
        switch (random.nextInt(13)) {
            case 0 -> moving.power(server, false);
            case 1, 2 -> moving.power(server, true);
            case 3 -> server.healthy = random.nextInt(4) > 0;
            case 4, 5 -> moving.write(group);
            case 6 -> moving.map.groups().forEach(each -> moving.sync(each.id()));
            case 7 -> moving.clear(server);
            case 8 -> moving.tell();
            case 9 -> moving.pass(random.nextInt(2 * (int) MovingCluster.GRACE_MS));
            case 10 -> {
                if (servers.size() < 8 && random.nextInt(8) == 0) {
                    moving.add(servers.size() + 1);
                }
            }
            case 11 -> moving.drain(server.number, random.nextInt(3) == 0);
            default -> moving.tick();
        }
        moving.tick();
    }
}
