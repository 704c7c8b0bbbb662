package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.cluster.Endpoint;
import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.runtime.Clock;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CertificationTest {
    private static final Set<Role> HEARERS =
            EnumSet.of(Role.CHUNK, Role.MOUNT, Role.GATEWAY, Role.ADMIN, Role.USER);

    /** A connection that counts what it is told. */
    private record Caller(Principal principal, AtomicInteger told) implements Connection {
        @Override
        public Endpoint remote() {
            return new Endpoint(principal.address(), 40_000);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public String release() {
            return "";
        }

        @Override
        public CompletableFuture<Message> call(Message request, long timeoutMs) {
            throw new AssertionError("nobody is called");
        }

        @Override
        public void send(Message oneWay) {
            told.incrementAndGet();
        }

        @Override
        public void close() {}
    }

    private static Caller caller(Role role) {
        return new Caller(new Principal(role, "x", "10.0.0.1"), new AtomicInteger());
    }

    @Test
    void serversAndClientsHearOfANewAuthority() throws Exception {
        try (LoneMaster master = new LoneMaster()) {
            Certification certification = master.service.certification();
            Caller early = caller(Role.MOUNT);
            Caller stranger = caller(Role.NEWCOMER);
            certification.opened(early);
            certification.opened(stranger);
            CertificateAuthority first =
                    CertificateAuthority.found(Clock.system(), new SecureRandom());
            certification.tellAuthorities(Authorities.of(first.certificate()));
            certification.tellAuthorities(Authorities.of(first.certificate()));
            assertEquals(1, early.told.get());
            Caller late = caller(Role.CHUNK);
            certification.opened(late);
            assertEquals(1, late.told.get());
            CertificateAuthority next = first.successor(Clock.system());
            certification.tellAuthorities(Authorities.of(next.certificate()));
            assertEquals(2, early.told.get());
            assertEquals(2, late.told.get());
            assertEquals(0, stranger.told.get());
        }
    }

    @Test
    void serversAndClientsHearOfRevokedCertificates() throws Exception {
        try (LoneMaster master = new LoneMaster()) {
            Certification certification = master.service.certification();
            Map<Role, Caller> callers = new EnumMap<>(Role.class);
            for (Role role : Role.values()) {
                callers.put(role, caller(role));
            }
            callers.values().forEach(certification::opened);
            certification.tellRevoked(Set.of("ab"));
            certification.tellRevoked(Set.of("ab"));
            callers.forEach(
                    (role, each) ->
                            assertEquals(
                                    HEARERS.contains(role) ? 1 : 0,
                                    each.told.get(),
                                    role.toString()));
            Caller late = caller(Role.MOUNT);
            certification.opened(late);
            assertEquals(1, late.told.get());
            Caller gone = callers.get(Role.MOUNT);
            certification.closed(gone == null ? late : gone);
            certification.tellRevoked(Set.of("ab", "cd"));
            assertEquals(2, late.told.get());
            assertEquals(1, gone == null ? 0 : gone.told.get());
        }
    }
}
