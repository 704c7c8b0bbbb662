package io.cairn.master.raft.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterGroup.Change;
import io.cairn.master.MasterGroup.Newcomer;
import io.cairn.master.MasterGroup.Share;
import io.cairn.master.MasterGroup.Standing;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which changes of the masters are refused, and what is told of the others. */
class MemberRulesTest {
    private static final long CLUSTER = 7;
    private static final Newcomer M9 = new Newcomer("m9", new Endpoint("10.0.0.9", 9872));

    /** Masters m1, m2, ...: up, down or catching up; the first one leads. */
    private static List<Standing> masters(String... states) {
        List<Standing> masters = new ArrayList<>();
        for (String state : states) {
            int number = masters.size() + 1;
            Endpoint raft = new Endpoint("10.0.0." + number, 9872);
            masters.add(
                    new Standing(
                            "m" + number,
                            raft,
                            null,
                            number == 1,
                            5,
                            state.equals("down") ? 60_000 : 0,
                            state.equals("catching up") ? Share.CATCHING_UP : Share.FULL));
        }
        return masters;
    }

    private static Hello hello(String id, long clusterId, boolean joins) {
        return new Hello(
                id,
                1,
                false,
                false,
                clusterId,
                0,
                false,
                0,
                -1,
                false,
                false,
                joins,
                new Endpoint("10.0.0.9", 9871),
                -1,
                List.of(),
                List.of());
    }

    private static @Nullable String refusal(
            List<Standing> now, @Nullable Newcomer joins, @Nullable String leaves) {
        return new MemberRules(now, CLUSTER)
                .refusal(new Change(joins, leaves), hello("m9", 0, true));
    }

    private static void assertRefused(@Nullable String refusal, String... words) {
        assertNotNull(refusal);
        for (String word : words) {
            assertTrue(refusal.contains(word), refusal);
        }
    }

    @Test
    void anEmptyNewcomerThatWasToldToJoinIsTaken() {
        assertNull(refusal(masters("up"), M9, null));
        assertNull(refusal(masters("up", "up", "down"), M9, null));
        assertNull(
                new MemberRules(masters("up"), CLUSTER)
                        .refusal(new Change(M9, null), hello("m9", CLUSTER, true)),
                "it began to join before");
    }

    @Test
    void anybodyElseIsRefusedWithTheRemedy() {
        MemberRules rules = new MemberRules(masters("up", "up"), CLUSTER);
        Change add = new Change(M9, null);
        assertRefused(rules.refusal(add, null), "10.0.0.9:9872", "--join");
        assertRefused(rules.refusal(add, hello("m8", 0, true)), "m8", "m9");
        assertRefused(
                rules.refusal(add, hello("m9", 8, true)), "cluster 0000000000000008", "empty");
        assertRefused(rules.refusal(add, hello("m9", 0, false)), "--join");
        assertRefused(
                refusal(masters("up"), new Newcomer("m1", M9.raft()), null), "10.0.0.1", "name");
        assertRefused(
                refusal(masters("up"), new Newcomer("m9", new Endpoint("10.0.0.1", 9872)), null),
                "m1");
        assertRefused(refusal(masters("up"), new Newcomer("a b", M9.raft()), null), "a b");
    }

    @Test
    void whoIsReachedOnItsOwnMachineOnlyGetsNoCompanyElsewhere() {
        Standing lone =
                new Standing("m1", new Endpoint("127.0.0.1", 1), null, true, 1, 0, Share.FULL);
        assertRefused(refusal(List.of(lone), M9, null), "127.0.0.1:1", "--raft");
        assertNull(refusal(List.of(lone), new Newcomer("m9", new Endpoint("127.0.0.1", 2)), null));
    }

    @Test
    void noRemovalLosesTheMajorityThatLives() {
        assertRefused(refusal(masters("up"), null, "m1"), "last");
        assertRefused(refusal(masters("up"), null, "m2"), "no master 'm2'", "m1");
        assertNull(refusal(masters("up", "up"), null, "m2"));
        assertRefused(refusal(masters("up", "up", "down"), null, "m2"), "m3 (down)", "majority");
        assertNull(refusal(masters("up", "up", "down"), null, "m3"), "a dead one may go");
        assertRefused(refusal(masters("up", "up", "catching up"), null, "m2"), "catching up");
        assertNull(refusal(masters("up", "up", "up", "up", "down"), null, "m4"));
        assertRefused(refusal(masters("up", "up", "up", "down", "down"), null, "m3"), "majority");
    }

    @Test
    void aReplacementKeepsTheNumber() {
        assertNull(refusal(masters("up", "up", "down"), M9, "m3"));
        assertNull(refusal(masters("up", "up", "down"), M9, "m2"));
        assertNull(refusal(masters("up"), M9, "m1"));
        assertRefused(refusal(masters("up", "up", "up", "down", "down"), M9, "m6"), "m6");
    }

    @Test
    void evenAndSmallNumbersAreWarnedOf() {
        assertEquals(1, new MemberRules(masters("up"), 7).warnings(new Change(M9, null)).size());
        assertEquals(
                List.of(), new MemberRules(masters("up", "up"), 7).warnings(new Change(M9, null)));
        assertTrue(
                new MemberRules(masters("up", "up", "up"), 7)
                        .warnings(new Change(M9, null))
                        .getFirst()
                        .contains("as 3 would"));
    }
}
