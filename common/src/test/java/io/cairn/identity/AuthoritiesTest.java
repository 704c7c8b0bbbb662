package io.cairn.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.runtime.Clock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is trusted while the authority of a cluster is replaced. */
class AuthoritiesTest {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final CertificateAuthority former = CertificateAuthority.found(Clock.system(), RANDOM);
    private final CertificateAuthority present = former.successor(Clock.system());
    private final Authorities both =
            following(Authorities.of(former.certificate()), former, present);

    private static Authorities following(
            Authorities before, CertificateAuthority signer, CertificateAuthority next) {
        return before.followedBy(
                next.certificate(), signer.introduce(next.certificate(), Clock.system()));
    }

    private static Identity identity(CertificateAuthority signer, Authorities shown) {
        SigningRequest request = SigningRequest.make(RANDOM);
        X509Certificate signed =
                signer.sign(
                        request.bytes(),
                        Role.MASTER,
                        "m1",
                        Instant.now(),
                        CertificateAuthority.LIFE);
        return Identity.of(request.key(), Identity.chain(signed, shown));
    }

    private static Refusals refusals() {
        return new Refusals("test", Clock.system());
    }

    private static PeerTrust trusting(CertificateAuthority... authorities) {
        List<X509Certificate> all = new ArrayList<>();
        for (CertificateAuthority each : authorities) {
            all.add(each.certificate());
        }
        return new PeerTrust(all, Instant::now, Set::of);
    }

    @Test
    void bothAreOfOneClusterAndHaveKeysOfTheirOwn() {
        assertEquals(former.cluster(), present.cluster());
        assertNotEquals(former.certificate().getPublicKey(), present.certificate().getPublicKey());
        assertEquals(present.certificate(), both.present());
        assertEquals(List.of(present.certificate(), former.certificate()), both.anchors());
        assertEquals(both, Authorities.of(both.pem()));
    }

    @Test
    void whoKnowsTheFormerOneTrustsThePresentOne() throws Exception {
        Identity renewed = identity(present, both);
        assertTrue(renewed.isOfPresentAuthority());
        assertEquals("m1", trusting(former).check(renewed.shown()).name());
        // The same holds for who knows it by its fingerprint only, from a token or a file.
        JoinSecurity joining = new JoinSecurity(former.certificate(), Clock.system());
        TlsSecurity master = new TlsSecurity(renewed, Clock.system(), refusals());
        assertTrue(new Rehearsal(joining.client(), master.server()).run());
    }

    @Test
    void whoKnowsBothTrustsBoth() throws Exception {
        PeerTrust trust = trusting(present, former);
        for (CertificateAuthority signer : List.of(present, former)) {
            assertEquals("m1", trust.check(identity(signer, both).shown()).name());
        }
        Identity old = identity(former, Authorities.of(former.certificate()));
        assertEquals("m1", trust.check(old.shown()).name());
        assertFalse(old.trusting(both).isOfPresentAuthority());
    }

    @Test
    void whoKnowsThePresentOneTrustsNothingOfTheFormer() {
        for (Authorities shown : List.of(both, Authorities.of(former.certificate()))) {
            Identity old = identity(former, shown);
            assertThrows(CertificateException.class, () -> trusting(present).check(old.shown()));
        }
    }

    @Test
    void twoRotationsInARowReachWhoKnowsTheFirstAuthority() throws Exception {
        CertificateAuthority third = present.successor(Clock.system());
        Authorities all = following(both, present, third);
        assertTrue(all.isFull());
        Identity renewed = identity(third, all);
        for (CertificateAuthority known : List.of(former, present, third)) {
            assertEquals("m1", trusting(known).check(renewed.shown()).name());
        }
        FsException error =
                assertThrows(
                        FsException.class,
                        () -> following(all, third, third.successor(Clock.system())));
        assertEquals(Errno.EINVAL, error.errno());
    }

    @Test
    void nobodyElseIntroducesAnAuthority() {
        CertificateAuthority foreign = CertificateAuthority.found(Clock.system(), RANDOM);
        // Another cluster introduces its own, and shows ours beside it.
        CertificateAuthority theirs = foreign.successor(Clock.system());
        X509Certificate crossed = foreign.introduce(theirs.certificate(), Clock.system());
        Identity stranger = identity(theirs, Authorities.of(theirs.certificate()));
        X509Certificate[] shown = {
            stranger.certificate(), theirs.certificate(), crossed, former.certificate()
        };
        assertThrows(CertificateException.class, () -> trusting(former).check(shown));
        // A process of ours poses as an authority.
        Identity mount = identity(former, Authorities.of(former.certificate()));
        X509Certificate[] posing = {
            stranger.certificate(), mount.certificate(), former.certificate()
        };
        assertThrows(CertificateException.class, () -> trusting(former).check(posing));
        // An authority is no process.
        assertThrows(
                CertificateException.class, () -> trusting(former).check(former.certificate()));
    }

    @Test
    void anIntroductionEndsWithTheAuthorityThatMadeIt() throws Exception {
        Identity renewed = identity(present, both);
        Instant later = former.certificate().getNotAfter().toInstant().plus(Duration.ofDays(1));
        PeerTrust late = new PeerTrust(List.of(former.certificate()), () -> later, Set::of);
        CertificateException error =
                assertThrows(CertificateException.class, () -> late.check(renewed.shown()));
        assertTrue(
                Objects.requireNonNull(error.getMessage()).contains("another cluster"),
                error.getMessage());
    }

    @Test
    void allCertificatesOfARevokedMasterAreRefused() {
        PeerTrust trust =
                new PeerTrust(
                        List.of(former.certificate()), Instant::now, () -> Set.of("master.m1"));
        CertificateException error =
                assertThrows(
                        CertificateException.class,
                        () ->
                                trust.check(
                                        identity(former, Authorities.of(former.certificate()))
                                                .shown()));
        assertTrue(
                Objects.requireNonNull(error.getMessage()).contains("revoked: master m1"),
                error.getMessage());
    }

    @Test
    void listsThatMeanNothingAreRefused() {
        List<X509Certificate> mixed = new ArrayList<>(both.certificates());
        Collections.swap(mixed, 0, 1);
        List<List<X509Certificate>> bad =
                List.of(
                        List.of(),
                        mixed,
                        Collections.nCopies(Authorities.MAX + 1, former.certificate()),
                        List.of(identity(former, both).certificate()));
        for (List<X509Certificate> each : bad) {
            FsException error = assertThrows(FsException.class, () -> new Authorities(each));
            assertEquals(Errno.EINVAL, error.errno());
        }
        FsException error =
                assertThrows(FsException.class, () -> Authorities.of(new byte[] {1, 2}));
        assertEquals(Errno.EINVAL, error.errno());
    }

    @Test
    void theNextAuthorityIsKeptBesideThePresentOne(@TempDir Path directory) throws Exception {
        former.write(directory);
        assertNull(CertificateAuthority.next(directory, RANDOM));
        present.writeNext(directory);
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(directory.resolve("authority-next.key"))));
        assertEquals(former.certificate(), read(directory));
        CertificateAuthority next =
                Objects.requireNonNull(CertificateAuthority.next(directory, RANDOM));
        assertEquals(present.certificate(), next.certificate());
        next.write(directory);
        CertificateAuthority.forgetNext(directory);
        assertNull(CertificateAuthority.next(directory, RANDOM));
        assertEquals(present.certificate(), read(directory));
        assertEquals(
                present.certificate(),
                CertificateAuthority.certificateIn(directory.resolve("authority.pem")));
    }

    /** The power fails between the two files. */
    @Test
    void theFileOfTheKeyDecides(@TempDir Path directory) throws Exception {
        former.write(directory);
        byte[] old = Files.readAllBytes(directory.resolve("authority.pem"));
        present.write(directory);
        Files.write(directory.resolve("authority.pem"), old);
        assertEquals(present.certificate(), read(directory));
    }

    /** As it was kept before: the key alone in its file. */
    @Test
    void aKeyWithoutItsCertificateIsReadWithTheOneBeside(@TempDir Path directory) throws Exception {
        former.write(directory);
        Path key = directory.resolve("authority.key");
        String text = Files.readString(key);
        Files.writeString(key, text.substring(0, text.indexOf("-----BEGIN CERTIFICATE-----")));
        assertEquals(former.certificate(), read(directory));
    }

    private static X509Certificate read(Path directory) {
        return CertificateAuthority.read(directory, RANDOM).certificate();
    }

    @Test
    void aKeyIsHandedOverWithItsCertificate() {
        assertEquals(
                present.certificate(),
                CertificateAuthority.ofSecret(present.secret(), RANDOM).certificate());
        byte[] mixed = present.handOver(Identity.chain(identity(former, both).certificate(), both));
        assertEquals(present.certificate(), CertificateAuthority.of(mixed, RANDOM).certificate());
        byte[] wrong = former.handOver(Identity.chain(identity(former, both).certificate(), both));
        assertThrows(FsException.class, () -> CertificateAuthority.of(wrong, RANDOM));
        assertThrows(FsException.class, () -> CertificateAuthority.ofSecret(wrong, RANDOM));
    }
}
