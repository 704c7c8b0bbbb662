package io.cairn.nfs.export;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Caller;
import io.cairn.nfs.rpc.Credential;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ExportTest {
    private static @Nullable ClientRule rule(Export export, String address)
            throws UnknownHostException {
        return export.ruleFor(InetAddress.getByName(address), HostNames.NONE);
    }

    private static ClientRule found(Export export, String address) throws UnknownHostException {
        ClientRule rule = rule(export, address);
        if (rule == null) {
            throw new AssertionError("nothing for " + address);
        }
        return rule;
    }

    @Test
    void narrowestRuleCounts() throws Exception {
        Export export =
                Export.parse("/data *(ro) 10.0.0.0/8(rw) 10.1.2.3(rw,no_root_squash) fd00::/8");
        assertTrue(found(export, "8.8.8.8").readOnly());
        assertFalse(found(export, "10.9.9.9").readOnly());
        assertEquals(ClientRule.Squash.ROOT, found(export, "10.9.9.9").squash());
        assertEquals(ClientRule.Squash.NONE, found(export, "10.1.2.3").squash());
        assertTrue(found(export, "fd12::1").readOnly());
    }

    @Test
    void clientsNotNamedHaveNoRule() throws Exception {
        Export export = Export.parse("/ 192.168.4.0/22(rw)");
        assertNull(rule(export, "192.168.8.1"));
        assertNull(rule(export, "::1"));
        assertEquals("192.168.4.0/22", found(export, "192.168.7.255").clients());
    }

    @Test
    void networksMayHaveMasks() throws Exception {
        Export export = Export.parse("/ 10.0.0.0/255.0.0.0 1.2.3.4/255.255.255.255 * ");
        assertEquals("10.0.0.0/255.0.0.0", found(export, "10.255.0.1").clients());
        assertEquals("1.2.3.4/255.255.255.255", found(export, "1.2.3.4").clients());
        assertEquals("*", found(export, "11.0.0.1").clients());
        Export any = Export.parse("/ 0.0.0.0/0.0.0.0");
        assertEquals("0.0.0.0/0.0.0.0", found(any, "9.9.9.9").clients());
    }

    @Test
    void numberThatIsNoUserIsAnonymous() {
        ClientRule rule = ClientRule.parse("*(no_root_squash)");
        assertEquals(65_534, rule.caller(Credential.sys(-1, 0)).uid());
        assertEquals(65_534, rule.caller(Credential.sys(-1, 0)).gid());
        Caller user = rule.caller(Credential.sys(7, -1, 0, -1));
        assertEquals(7, user.uid());
        assertEquals(65_534, user.gid());
        assertArrayEquals(new int[] {0, 65_534}, user.groups());
    }

    @Test
    void standardsAreThoseOfExports5() throws Exception {
        ClientRule rule = found(Export.parse("/ *"), "1.2.3.4");
        assertTrue(rule.readOnly());
        assertTrue(rule.secure());
        assertEquals(ClientRule.Squash.ROOT, rule.squash());
        assertFalse(rule.allowsPort(1024));
        assertTrue(rule.allowsPort(1023));
    }

    @Test
    void squashingReplacesWhatItShould() {
        Credential root = Credential.sys(0, 0, 0, 5);
        Credential user = Credential.sys(7, 0, 0, 5);
        Caller none = ClientRule.parse("*(no_root_squash)").caller(root);
        assertEquals(0, none.uid());
        assertArrayEquals(new int[] {0, 5}, none.groups());
        ClientRule squash = ClientRule.parse("*(anonuid=90,anongid=91)");
        assertEquals(90, squash.caller(root).uid());
        assertEquals(91, squash.caller(root).gid());
        assertEquals(7, squash.caller(user).uid());
        assertEquals(91, squash.caller(user).gid());
        assertArrayEquals(new int[] {91, 5}, squash.caller(user).groups());
        assertEquals(90, squash.caller(Credential.NONE).uid());
        Caller all = ClientRule.parse("*(all_squash)").caller(user);
        assertEquals(65_534, all.uid());
        assertEquals(0, all.groups().length);
    }

    @Test
    void idsAreOfThePathAlone() {
        assertEquals(Export.parse("/a/b *").id(), Export.parse("//a/b/ 10.0.0.0/8(rw)").id());
        assertNotEquals(Export.parse("/a *").id(), Export.parse("/b *").id());
        assertEquals("/", Export.parse("/ *").path());
    }

    @Test
    void mistakesAreNamed() {
        for (String line :
                List.of(
                        "/a",
                        "a *",
                        "/a/../b *",
                        "/a *(rw",
                        "/a *(fast)",
                        "/a 10.0.0.0/33",
                        "/a 10.0.0.0/x",
                        "/a no-such-host.invalid",
                        "/a *(anonuid=x)",
                        "/a *(anonuid=4294967295)",
                        "/a 10/8(rw)",
                        "/a 192.168.1(rw)",
                        "/a 192.168.1.256",
                        "/a 10.0.0.0/255.0.255.0",
                        "/a 10.0.0.0/256.0.0.0",
                        "/a * (rw)",
                        "/a -rw",
                        "\"/a *(rw)",
                        "/a @",
                        "/a @-x",
                        "/a 192.168.*",
                        "/a *.exa!mple",
                        "/a gss/krb5(rw)",
                        "/a *(sec=krb5)",
                        "/a *(sec=none)",
                        "/a *(xprtsec=tls)",
                        "/a *(no_acl)",
                        "/a *(mountpoint)",
                        "/a *(refer=/b@host)",
                        "/a *(security_label)")) {
            assertThrows(IllegalArgumentException.class, () -> Export.parse(line), line);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> Exports.of(List.of(Export.parse("/a *"), Export.parse("/a/ *"))));
    }

    @Test
    void blanksInPathsAreQuotedOrEscaped() {
        assertEquals("/a b/c", Export.parse("\"/a b/c\" *(rw)").path());
        assertEquals("/a b/c", Export.parse("/a\\040b/c *(rw)").path());
        assertEquals("/a b", Export.pathOf("\"/a b\" *(rw)"));
        assertEquals("/\u00e9", Export.parse("/\\303\\251 *").path());
        assertEquals("/a#b", Export.parse("/a#b * # for all").path());
        assertEquals(1, Export.parse("/a * # 10.0.0.0/8 too").rules().size());
    }

    @Test
    void optionsInFrontAreForAllClientsOfTheLine() throws Exception {
        Export export = Export.parse("/a -rw,no_root_squash 10.0.0.0/8 * (ro)".replace(" (", "("));
        ClientRule first = found(export, "10.1.1.1");
        assertFalse(first.readOnly());
        assertEquals(ClientRule.Squash.NONE, first.squash());
        ClientRule second = found(export, "11.1.1.1");
        assertTrue(second.readOnly());
        assertEquals(ClientRule.Squash.NONE, second.squash());
    }

    @Test
    void whatIsStandardAndChangesNothingIsAccepted() throws Exception {
        String line =
                "/a *(rw,sync,async,wdelay,no_wdelay,hide,nohide,crossmnt,nocrossmnt,subtree_check,"
                        + "no_subtree_check,fsid=0,fsid=root,sec=sys,sec=sys:krb5,insecure_locks,"
                        + "secure_locks,auth_nlm,no_auth_nlm,acl,no_all_squash,xprtsec=none)";
        ClientRule rule = found(Export.parse(line), "1.2.3.4");
        assertFalse(rule.readOnly());
        assertEquals(ClientRule.Squash.ROOT, rule.squash());
        assertEquals(
                ClientRule.Squash.ROOT, ClientRule.parse("*(all_squash,no_all_squash)").squash());
    }

    /** Names for addresses, and one netgroup. */
    private static final class Names implements HostNames {
        @Override
        public @Nullable String nameOf(InetAddress address) {
            return switch (address.getHostAddress()) {
                case "10.0.0.1" -> "One.Example.ORG";
                case "10.0.0.2" -> "two.lab.example.org";
                case "10.0.0.3" -> "example.com";
                default -> null;
            };
        }

        @Override
        public boolean isMember(String netgroup, String host) {
            return netgroup.equals("trusted") && (host.equals("two") || host.equals("10.0.0.9"));
        }
    }

    private static @Nullable String clients(Export export, String address) throws Exception {
        ClientRule rule = export.ruleFor(InetAddress.getByName(address), new Names());
        return rule == null ? null : rule.clients();
    }

    @Test
    void namesAreMatchedByPatterns() throws Exception {
        Export export = Export.parse("/a *.example.org(rw) two.*(ro)");
        assertEquals("*.example.org", clients(export, "10.0.0.1"));
        assertNull(clients(export, "10.0.0.3"));
        assertNull(clients(export, "10.0.0.4"));
        assertEquals("?[m-o]*.org", clients(Export.parse("/a ?[m-o]*.org"), "10.0.0.1"));
        assertNull(clients(Export.parse("/a ?[a-c]*.org"), "10.0.0.1"));
    }

    @Test
    void netgroupsHaveHostsByNameAndByAddress() throws Exception {
        Export export = Export.parse("/a @trusted(rw)");
        assertEquals("@trusted", clients(export, "10.0.0.2"));
        assertEquals("@trusted", clients(export, "10.0.0.9"));
        assertNull(clients(export, "10.0.0.1"));
    }

    @Test
    void addressesAreNarrowerThanPatternsAndThoseThanGroups() throws Exception {
        Export export = Export.parse("/a * @trusted *.example.org 0.0.0.0/0 10.0.0.2");
        assertEquals("10.0.0.2", clients(export, "10.0.0.2"));
        assertEquals("0.0.0.0/0", clients(export, "10.0.0.1"));
        Export names = Export.parse("/a * @trusted *.example.org");
        assertEquals("*.example.org", clients(names, "10.0.0.2"));
        assertEquals("@trusted", clients(names, "10.0.0.9"));
        assertEquals("*", clients(names, "10.0.0.3"));
    }
}
