package io.cairn.master.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MountRuleTest {
    private static MountClient at(String host) {
        return new MountClient(host, null);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/ *|/ *(ro)",
                "/a//b/ 10.0.0.7 (RW)|/a/b 10.0.0.7(rw)",
                "/my files 10.0.0.0/8,fd00::/8(rw,sessions=3)"
                        + "|/my files 10.0.0.0/8,fd00::/8(rw,sessions=3)",
                "/a web-1@*(rw,maproot=5)|/a web-1@*(rw,maproot=5:5)",
                "/a (b) *(ro, mapall=4294967294:7)|/a (b) *(ro,mapall=4294967294:7)",
                "/ *(rw,deny=unlink:create,deny=rmdir)|/ *(rw,deny=create:unlink:rmdir)",
                "/ 10.1.0.0/255.255.0.0(ro,rw)|/ 10.1.0.0/255.255.0.0(rw)"
            })
    void aRuleHasOneForm(String written, String form) {
        MountRule rule = MountRule.parse(written);
        assertEquals(form, rule.text());
        assertEquals(form, MountRule.parse(form).text());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|PATH ADDRESSES",
                "/data|PATH ADDRESSES",
                "(rw)|PATH ADDRESSES",
                "data *(rw)|does not begin with /",
                "/a/../b *|cannot be",
                "/ host.example(rw)|is no address",
                "/ 10(rw)|is no address",
                "/ 10.0.0.0/33|prefix length",
                "/ 10.0.0.0/255.0.255.0|mask with holes",
                "/ *(rx)|no option 'rx'",
                "/ *(rw|has no ')'",
                "/ *(rw=1)|no option 'rw=1'",
                "/ *(deny=unlnk)|Did you mean 'unlink'?",
                "/ *(sessions=0)|'sessions=0'",
                "/ *(maproot=nobody)|in numbers",
                "/ *(maproot=-1)|in numbers",
                "/ *(maproot=4294967295)|in numbers",
                "/ *(maproot=1,mapall=2)|one of",
                "/ @*(rw)|certificate"
            })
    void aWrongRuleIsExplained(String written, String told) {
        var refused = assertThrows(IllegalArgumentException.class, () -> MountRule.parse(written));
        assertTrue(String.valueOf(refused.getMessage()).contains(told), refused.getMessage());
    }

    @Test
    void addressesAreComparedByFamilyAndPrefix() {
        MountRule rule = MountRule.parse("/ 10.0.0.0/9,fd00::/8(rw)");
        assertTrue(rule.isFor(at("10.127.255.255")));
        assertFalse(rule.isFor(at("10.128.0.0")));
        assertTrue(rule.isFor(at("fd12::1")));
        assertTrue(rule.isFor(at("fd12::1%eth0")));
        assertTrue(rule.isFor(at("::ffff:10.0.0.1")), "IPv4 in the clothes of IPv6");
        assertFalse(rule.isFor(at("fe80::1")));
        assertFalse(rule.isFor(at("not.an.address")));
        assertTrue(MountRule.parse("/ *").isFor(at("not.an.address")));
        assertFalse(MountRule.parse("/ 0.0.0.0/0").isFor(at("not.an.address")));
        assertFalse(MountRule.parse("/ web@*").isFor(at("10.0.0.1")));
        assertTrue(MountRule.parse("/ web@*").isFor(new MountClient("10.0.0.1", "web")));
    }

    @Test
    void aPasswordAloneOpensOnlyWhatNamesItsUser() {
        MountClient alone = new MountClient("10.0.0.1", null, "alice", true);
        MountClient besides = new MountClient("10.0.0.1", "web", "alice");
        MountRule open = MountRule.parse("/ *(rw)");
        assertFalse(open.isFor(alone));
        assertTrue(open.isFor(besides));
        assertTrue(MountRule.parse("/ *(rw,user=alice)").isFor(alone));
        assertFalse(MountRule.parse("/ *(rw,user=bob)").isFor(alone));
        assertFalse(MountRule.parse("/ web@*(rw,user=alice)").isFor(alone));
    }

    @Test
    void whoIsDescribedWithAUserOnlyHasAPasswordOnly() {
        assertTrue(MountClient.described("10.0.0.1", null, "alice").hasPasswordOnly());
        assertFalse(MountClient.described("10.0.0.1", "web", "alice").hasPasswordOnly());
        assertFalse(MountClient.described("127.0.0.1", null, "alice").hasPasswordOnly());
        assertFalse(MountClient.described("10.0.0.1", null, null).hasPasswordOnly());
    }

    @Test
    void onlyRulesOfUsersAskForAPassword() {
        List<MountRule> rules =
                List.of(
                        MountRule.parse("/a 10.0.0.0/8(rw)"),
                        MountRule.parse("/b 11.0.0.0/8(rw,user=alice)"),
                        MountRule.parse("/c 12.0.0.0/8(rw,user=bob)"));
        assertTrue(MountRules.of(rules).askUser(at("11.1.1.1")));
        assertTrue(MountRules.of(rules).askUser(at("12.1.1.1")));
        assertFalse(MountRules.of(rules).askUser(at("13.1.1.1")));
        assertFalse(MountRules.of(rules).askUser(new MountClient("11.1.1.1", null, "bob")));
    }

    @Test
    void rulesAreStoredAsLines() {
        MountRules rules =
                MountRules.of(
                        List.of(MountRule.parse("/a 10.0.0.0/8(rw)"), MountRule.parse("/b *(ro)")));
        MountRules again = MountRules.decode(rules.encode());
        assertEquals(
                List.of("/a 10.0.0.0/8(rw)", "/b *(ro)"),
                again.list().stream().map(MountRule::text).toList());
        assertEquals(2, again.of(at("10.1.1.1")).size());
        assertEquals(1, again.of(at("11.1.1.1")).size());
    }

    @Test
    void allOfLoopbackIsOneOwner() {
        assertEquals(at("127.0.0.1").owner(), at("::1").owner());
        assertEquals(at("127.0.0.1").owner(), at("127.9.9.9").owner());
        assertEquals("web@10.0.0.1", new MountClient("10.0.0.1", "web").owner());
    }
}
