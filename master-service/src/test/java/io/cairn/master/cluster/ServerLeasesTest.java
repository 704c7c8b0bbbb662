package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.simulated.Simulation;
import org.junit.jupiter.api.Test;

/** Until when a chunk server may act, in the eyes of the leader. Leases last 6 s. */
class ServerLeasesTest {
    private final Simulation clock = new Simulation(1);
    private final ServerLeases leases = new ServerLeases(clock, 6_000);

    ServerLeasesTest() {
        leases.lead();
    }

    @Test
    void aServerMayServeForALeaseAndAQuarter() {
        clock.run(100_000);
        leases.heard("c", true);
        clock.run(7_499);
        assertTrue(leases.mayServe("c", false));
        clock.run(1);
        assertFalse(leases.mayServe("c", false));
        assertFalse(leases.isAlive("c"));
    }

    /** Then it has answered no reads for a while, and cannot write without the others. */
    @Test
    void oneThatOthersCannotReachMayServeForAReadLeaseAndAQuarter() {
        leases.heard("c", true);
        clock.run(1_249);
        assertTrue(leases.mayServe("c", true));
        assertFalse(leases.giveUp("c"));
        clock.run(1);
        assertFalse(leases.mayServe("c", true));
        assertTrue(leases.mayServe("c", false));
        assertTrue(leases.giveUp("c"));
        assertFalse(leases.mayServe("c", false));
        assertFalse(leases.isAlive("c"));
        leases.heard("c", true);
        assertTrue(leases.mayServe("c", true));
    }

    /** It loses the groups that it was reported for, and no others. */
    @Test
    void oneThatIsHeardAndNotRenewedIsNotGivenUp() {
        leases.heard("c", true);
        clock.run(1_250);
        leases.heard("c", false);
        assertFalse(leases.mayServe("c", true));
        assertFalse(leases.giveUp("c"));
        assertTrue(leases.isAlive("c"));
    }

    /** The leader before may have renewed the lease just before this one began to lead. */
    @Test
    void aFreshLeaderTakesServersForRenewed() {
        clock.run(50_000);
        leases.lead();
        clock.run(1_249);
        assertTrue(leases.mayServe("c", true));
        leases.heard("c", false);
        clock.run(1);
        assertFalse(leases.mayServe("c", true));
        assertTrue(leases.mayServe("c", false));
        clock.run(6_250);
        assertFalse(leases.mayServe("c", false));
    }

    @Test
    void oneThatEndedItsLeaseMayServeNoMore() {
        leases.heard("c", true);
        leases.ended("c");
        assertFalse(leases.mayServe("c", false));
        assertFalse(leases.isAlive("c"));
        leases.heard("c", true);
        assertTrue(leases.isAlive("c"));
    }
}
