package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Labels;
import io.cairn.cluster.Target;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.Holdings;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.TargetLoad;
import io.cairn.wire.scrub.ScrubReport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Targets 7 and 8 are those of c1, 9 that of c2. */
class TargetClaimsTest {
    private static final ClusterMap MAP =
            new ClusterMap(
                    5,
                    List.of(server(1), server(2)),
                    List.of(new Target(1, 7, 1), new Target(2, 8, 1), new Target(3, 9, 2)),
                    List.of(),
                    List.of());

    private static final List<TargetReport> ALL =
            heartbeat("c9", false, 7, 8, 9, 10, 11, 12).targets();

    private static ChunkServer server(int id) {
        return new ChunkServer(id, "c" + id, new Endpoint("c" + id, 1), id);
    }

    private static Heartbeat heartbeat(String name, boolean adopts, long... identities) {
        List<TargetReport> reports = new ArrayList<>();
        for (long identity : identities) {
            reports.add(new TargetReport(identity, 1L << 40, 1L << 39, 0, true));
        }
        return new Heartbeat(
                1,
                name,
                new Endpoint(name, 1),
                1,
                1,
                reports,
                0,
                new long[0],
                new Declaration(adopts, false, Labels.NONE),
                0);
    }

    private static TargetClaims claims(List<Heartbeat> living) {
        List<ServerView> views = new ArrayList<>();
        for (Heartbeat h : living) {
            views.add(new ServerView(h.name(), h.endpoint(), 1, 1, h.targets(), true));
        }
        views.add(new ServerView("c9", new Endpoint("c9", 1), 1, 1, ALL, false));
        return new TargetClaims(MAP, views);
    }

    private static void taken(List<Heartbeat> living, Heartbeat heartbeat) {
        claims(living).check(heartbeat);
    }

    private static String refused(Errno errno, List<Heartbeat> living, Heartbeat heartbeat) {
        TargetClaims claims = claims(living);
        FsException e = assertThrows(FsException.class, () -> claims.check(heartbeat));
        assertEquals(errno, e.errno());
        return String.valueOf(e.getMessage());
    }

    private static Heartbeat started(boolean adopts, Long... starts) {
        TargetReport report =
                new TargetReport(
                        7,
                        1,
                        1,
                        0,
                        true,
                        0,
                        "/d",
                        TargetLoad.NONE,
                        List.of(),
                        List.of(starts),
                        "",
                        ScrubReport.NONE,
                        Holdings.NONE,
                        0);
        Endpoint at = new Endpoint("c1", 1);
        return new Heartbeat(
                1,
                "c1",
                at,
                1,
                1,
                List.of(report),
                0,
                new long[0],
                new Declaration(adopts, false, Labels.NONE),
                0);
    }

    @Test
    void anOlderCopyIsToldFromTheOriginal() {
        ClusterMap map =
                new ClusterMap(
                        9,
                        List.of(server(1)),
                        List.of(new Target(1, 7, 1).at(1, 55)),
                        List.of(),
                        List.of());
        TargetClaims claims = new TargetClaims(map, List.of());
        claims.check(started(false, 55L));
        claims.check(started(false, 44L, 55L, 66L));
        claims.check(started(false, 0L, 66L));
        claims.check(started(false));
        claims.check(started(true, 44L, 66L));
        Heartbeat copy = started(false, 44L, 66L);
        FsException e = assertThrows(FsException.class, () -> claims.check(copy));
        assertEquals(Errno.EEXIST, e.errno());
        String said = String.valueOf(e.getMessage());
        assertTrue(said.contains("/d of chunk server c1 is an older copy"), said);
        assertTrue(said.contains("--adopt"), said);
    }

    @Test
    void whatWasReplacedIsAnybodys() {
        ClusterMap map =
                new ClusterMap(
                        9, List.of(server(1)), List.of(new Target(1, 7, 0)), List.of(), List.of());
        new TargetClaims(map, List.of()).check(heartbeat("c2", false, 7));
    }

    @Test
    void everyServerKeepsItsOwnAndBringsNewOnes() {
        taken(List.of(), heartbeat("c1", false, 7, 8));
        taken(List.of(heartbeat("c2", false, 9)), heartbeat("c1", false, 7));
        taken(List.of(heartbeat("c1", false, 7)), heartbeat("c1", false, 7, 8, 10));
        taken(List.of(), heartbeat("c3", false, 11));
    }

    @Test
    void aCopyIsRefusedWhileTheOriginalLives() {
        List<Heartbeat> living = List.of(heartbeat("c1", false, 7, 8));
        for (boolean adopts : new boolean[] {false, true}) {
            String said = refused(Errno.EBUSY, living, heartbeat("c3", adopts, 11, 7));
            assertTrue(said.contains("c1") && said.contains("--adopt"), said);
        }
        List<Heartbeat> fresh = List.of(heartbeat("c4", false, 12));
        refused(Errno.EBUSY, fresh, heartbeat("c5", true, 12));
    }

    @Test
    void whatBelongsToAServerThatIsGoneHasToBeAdopted() {
        List<Heartbeat> living = List.of(heartbeat("c2", false, 9));
        String said = refused(Errno.EEXIST, living, heartbeat("c2", false, 9, 7));
        assertTrue(said.contains("c1") && said.contains("--adopt"), said);
        taken(living, heartbeat("c2", true, 9, 7));
        // The disk is out of its server, which lives on.
        taken(List.of(heartbeat("c1", false, 8)), heartbeat("c2", true, 9, 7));
    }
}
