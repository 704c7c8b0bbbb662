package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.Identity;
import io.cairn.identity.JoinSecurity;
import io.cairn.identity.SigningRequest;
import io.cairn.master.identity.AuthorityRotation;
import io.cairn.master.identity.CertificateIssuer;
import io.cairn.master.identity.Invitation.Holder;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CertificateIssuerTest {
    private static final Holder C5 = new Holder(Role.CHUNK, "c5");
    private static final SecureRandom RANDOM = new SecureRandom();

    private LoneMaster master;
    private MemoryKeys keys;
    private CertificateIssuer issuer;

    @BeforeEach
    void start() throws InterruptedException {
        master = new LoneMaster();
        keys = new MemoryKeys(CertificateAuthority.found(Clock.system(), RANDOM));
        issuer =
                new CertificateIssuer(
                        keys.rotation(master.service::namespace, master.service::submit),
                        master.service::namespace,
                        master.service::submit,
                        Clock.system(),
                        Duration.ofDays(30));
    }

    @AfterEach
    void stop() {
        master.close();
    }

    private static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Errno errnoOf(CompletableFuture<?> future) {
        ExecutionException error =
                assertThrows(ExecutionException.class, () -> future.get(20, TimeUnit.SECONDS));
        return assertInstanceOf(FsException.class, error.getCause()).errno();
    }

    private void invite(String secret, Duration life) {
        var _ = get(issuer.invite(C5, secret, Clock.system().now().plus(life).toEpochMilli()));
    }

    private Identity join(String secret) {
        SigningRequest request = SigningRequest.make(RANDOM);
        return Identity.of(request.key(), get(issuer.join(secret, request.bytes())));
    }

    @Test
    void aTokenIsGoodOnce() {
        invite("secret", Duration.ofHours(1));
        assertEquals(C5, issuer.invitations().getFirst().holder());
        Identity joined = join("secret");
        assertEquals(Role.CHUNK, joined.subject().role());
        assertEquals("c5", joined.subject().name());
        assertEquals(List.of(), issuer.invitations());
        assertEquals(C5, issuer.certified().getFirst().holder());
        byte[] another = SigningRequest.make(RANDOM).bytes();
        assertEquals(Errno.EACCES, errnoOf(issuer.join("secret", another)));
    }

    @Test
    void aTokenThatIsWrongOrExpiredIsRefused() {
        invite("secret", Duration.ofSeconds(-1));
        byte[] request = SigningRequest.make(RANDOM).bytes();
        assertEquals(Errno.EACCES, errnoOf(issuer.join("secret", request)));
        assertEquals(Errno.EACCES, errnoOf(issuer.join("other", request)));
        assertEquals(List.of(), issuer.certified());
    }

    @Test
    void aNewMasterGetsTheAuthority() {
        Holder m2 = new Holder(Role.MASTER, "m2");
        long endMs = Clock.system().now().plus(Duration.ofHours(1)).toEpochMilli();
        var _ = get(issuer.invite(m2, "secret", endMs));
        SigningRequest request = SigningRequest.make(RANDOM);
        byte[] answer = get(issuer.join("secret", request.bytes()));
        CertificateAuthority authority = CertificateAuthority.of(answer, RANDOM);
        assertEquals(issuer.fingerprint(), JoinSecurity.fingerprintOf(authority.certificate()));
        // It signs for itself from now on.
        assertEquals(List.of(), issuer.certified());
        assertEquals(Set.of("m2"), issuer.masters());
        byte[] chain = get(issuer.join(inviteChunk(), request.bytes()));
        assertThrows(FsException.class, () -> CertificateAuthority.of(chain, RANDOM));
    }

    @Test
    void aMasterIsRevokedByItsNameForGood() {
        Holder m2 = new Holder(Role.MASTER, "m2");
        // There was never a master of this name: a slip of the pen must not burn it.
        assertNull(issuer.revoke(m2));
        issuer.remember(List.of("m1", "m2"));
        issuer.remember(List.of("m1"));
        assertEquals(Set.of("m1", "m2"), issuer.masters());
        var change = issuer.revoke(m2);
        assertNotNull(change);
        var _ = get(change);
        assertEquals(Set.of("master.m2"), issuer.revoked());
        assertNull(issuer.revoke(m2));
        FsException refused =
                assertThrows(FsException.class, () -> issuer.invite(m2, "secret", Long.MAX_VALUE));
        assertEquals(Errno.EINVAL, refused.errno());
    }

    @Test
    void theInvitationOfAMasterIsTakenBackAndItsNameStaysGood() {
        Holder m2 = new Holder(Role.MASTER, "m2");
        long endMs = Clock.system().now().plus(Duration.ofHours(1)).toEpochMilli();
        var _ = get(issuer.invite(m2, "secret", endMs));
        var change = issuer.revoke(m2);
        assertNotNull(change);
        var _ = assertInstanceOf(Reply.Done.class, get(change));
        assertEquals(List.of(), issuer.invitations());
        assertEquals(Set.of(), issuer.revoked());
    }

    private AuthorityRotation rotate() {
        AuthorityRotation rotation = issuer.authorities();
        assertNull(rotation.refusal());
        var _ = assertInstanceOf(Reply.Done.class, get(rotation.rotate()));
        return rotation;
    }

    @Test
    void anAuthorityIsReplacedOnceNobodyNeedsTheFormer() {
        invite("secret", Duration.ofHours(1));
        Identity first = join("secret");
        String former = issuer.fingerprint();
        keys.masters.add("m2");
        assertNull(issuer.authorities().named());
        AuthorityRotation rotation = rotate();
        // The leader has not the key yet, and signs with the former one.
        assertFalse(rotation.holdsPresent());
        assertEquals(former, issuer.fingerprint());
        assertEquals(2, rotation.authorities().anchors().size());
        assertEquals(List.of("chunk.c5", "master.m2"), rotation.carriers());
        keys.adopt();
        assertTrue(rotation.holdsPresent());
        assertNotEquals(former, issuer.fingerprint());
        Principal holder = new Principal(Role.CHUNK, "c5", "10.0.0.5");
        SigningRequest next = SigningRequest.make(RANDOM);
        Identity second = Identity.of(next.key(), get(issuer.renew(holder, next.bytes())));
        assertTrue(second.isOfPresentAuthority());
        assertEquals(rotation.authorities(), second.authorities());
        assertFalse(first.trusting(second.authorities()).isOfPresentAuthority());
        // It was signed, and may have got lost on its way.
        assertEquals(List.of("chunk.c5", "master.m2"), rotation.carriers());
        assertEquals(Errno.EACCES, errnoOf(issuer.kept(holder, "123")));
        String serial = second.certificate().getSerialNumber().toString(16);
        var _ = get(issuer.kept(holder, serial));
        var _ = get(issuer.kept(holder, serial));
        assertEquals(List.of("master.m2"), rotation.carriers());
        FsException refused = assertThrows(FsException.class, rotation::dropFormer);
        assertEquals(Errno.EBUSY, refused.errno());
        keys.holders.add("m2");
        assertEquals(List.of(), rotation.carriers());
        var _ = assertInstanceOf(Reply.Done.class, get(rotation.dropFormer()));
        assertEquals(Authorities.of(second.authorities().present()), rotation.authorities());
        assertThrows(FsException.class, rotation::dropFormer);
        // Everything else is as before.
        assertEquals(2, issuer.certified().getFirst().certificates().size());
    }

    @Test
    void aKeyThatIsLostDoesNotStopARotation() {
        AuthorityRotation rotation = rotate();
        // Nobody adopts the first one: its master is gone.
        var _ = rotate();
        assertEquals(3, rotation.authorities().anchors().size());
        assertNotNull(rotation.refusal());
        keys.adopt();
        assertTrue(rotation.holdsPresent());
        assertEquals(List.of(), rotation.carriers());
        var _ = get(rotation.dropFormer());
        assertEquals(1, rotation.authorities().anchors().size());
        assertNull(rotation.refusal());
    }

    @Test
    void aNewMasterWaitsForALeaderWithTheKey() {
        var _ = rotate();
        Holder m2 = new Holder(Role.MASTER, "m2");
        long endMs = Clock.system().now().plus(Duration.ofHours(1)).toEpochMilli();
        var _ = get(issuer.invite(m2, "secret", endMs));
        byte[] request = SigningRequest.make(RANDOM).bytes();
        assertEquals(Errno.NOT_READY, errnoOf(issuer.join("secret", request)));
        keys.adopt();
        byte[] answer = get(issuer.join("secret", request));
        CertificateAuthority authority = CertificateAuthority.of(answer, RANDOM);
        assertEquals(issuer.fingerprint(), JoinSecurity.fingerprintOf(authority.certificate()));
    }

    /** Two keys would take the same place on the disk, and one of them would be lost. */
    @Test
    void oneAuthorityIsMadeAtATime() {
        CompletableFuture<Reply> pending = new CompletableFuture<>();
        AuthorityRotation rotation = keys.rotation(master.service::namespace, _ -> pending);
        var _ = rotation.rotate();
        assertEquals(Errno.EBUSY, errnoOf(rotation.rotate()));
        pending.completeExceptionally(new FsException(Errno.NOT_LEADER));
        assertEquals(Errno.NOT_LEADER, errnoOf(rotation.rotate()));
    }

    /** The backup names an authority of another time, or of masters that are lost. */
    @Test
    void aRestoredClusterGoesOnWithTheAuthorityOfItsMasters() {
        var _ = rotate();
        CertificateAuthority another = CertificateAuthority.found(Clock.system(), RANDOM);
        keys.keepNext(another, issuer.authorities().authorities());
        keys.adopt();
        AuthorityRotation rotation = issuer.authorities();
        assertEquals(Authorities.of(another.certificate()), rotation.authorities());
        assertTrue(rotation.holdsPresent());
        assertEquals(List.of(), rotation.carriers());
        assertThrows(FsException.class, rotation::dropFormer);
        Holder m2 = new Holder(Role.MASTER, "m2");
        long endMs = Clock.system().now().plus(Duration.ofHours(1)).toEpochMilli();
        var _ = get(issuer.invite(m2, "for m2", endMs));
        byte[] answer = get(issuer.join("for m2", SigningRequest.make(RANDOM).bytes()));
        assertEquals(another.certificate(), CertificateAuthority.of(answer, RANDOM).certificate());
        invite("secret", Duration.ofHours(1));
        Identity joined = join("secret");
        assertTrue(joined.isOfPresentAuthority());
        // Who was let in before the state is put right is let in afterwards.
        var _ = rotate();
        keys.adopt();
        assertTrue(rotation.holdsPresent());
        assertNotNull(rotation.authorities().signerOf(joined.certificate()));
        assertEquals(List.of("chunk.c5"), rotation.carriers());
    }

    private String inviteChunk() {
        invite("another", Duration.ofHours(1));
        return "another";
    }

    @Test
    void theStateHoldsNoSecret() {
        invite("the-secret-itself", Duration.ofHours(1));
        for (AdminRecord record : master.service.namespace().records("ca/", "", 100)) {
            String text = new String(record.value(), StandardCharsets.ISO_8859_1);
            assertTrue(!text.contains("the-secret-itself"), record.key());
        }
    }

    @Test
    void aCertificateIsRenewedUntilItIsRevoked() {
        invite("secret", Duration.ofHours(1));
        Identity first = join("secret");
        Principal holder = new Principal(Role.CHUNK, "c5", "10.0.0.5");
        SigningRequest next = SigningRequest.make(RANDOM);
        Identity second = Identity.of(next.key(), get(issuer.renew(holder, next.bytes())));
        assertEquals(first.subject(), second.subject());
        assertEquals(2, issuer.certified().getFirst().certificates().size());
        var change = issuer.revoke(C5);
        assertNotNull(change);
        var _ = get(change);
        assertEquals(
                Set.of(
                        first.certificate().getSerialNumber().toString(16),
                        second.certificate().getSerialNumber().toString(16)),
                issuer.revoked());
        assertEquals(Errno.EACCES, errnoOf(issuer.renew(holder, next.bytes())));
        assertNull(issuer.revoke(C5));
    }

    @Test
    void aRevocationHoldsForEveryCertificateThatWasSigned() {
        invite("secret", Duration.ofHours(1));
        var _ = join("secret");
        Principal holder = new Principal(Role.CHUNK, "c5", "10.0.0.5");
        for (int i = 0; i < 20; i++) {
            var _ = get(issuer.renew(holder, SigningRequest.make(RANDOM).bytes()));
        }
        var change = issuer.revoke(C5);
        assertNotNull(change);
        var _ = get(change);
        assertEquals(21, issuer.revoked().size());
    }

    @Test
    void aNameThatCannotStandInACertificateIsRefused() {
        Holder bad = new Holder(Role.MOUNT, "a,OU=master");
        assertThrows(FsException.class, () -> issuer.invite(bad, "secret", 0));
        Holder user = new Holder(Role.USER, "alice");
        assertThrows(FsException.class, () -> issuer.invite(user, "secret", 0));
    }
}
