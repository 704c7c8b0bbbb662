package io.cairn.node.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.identity.Authorities;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.Identity;
import io.cairn.identity.JoinSecurity;
import io.cairn.identity.SigningRequest;
import io.cairn.identity.TlsSecurity;
import io.cairn.net.Refusals;
import io.cairn.runtime.Clock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthorityKeeperTest {
    private static final SecureRandom RANDOM = new SecureRandom();

    @TempDir private Path directory;

    private final Clock clock = Clock.system();
    private final CertificateAuthority former = CertificateAuthority.found(clock, RANDOM);
    private final CertificateAuthority present = former.successor(clock);
    private final Authorities both =
            Authorities.of(former.certificate())
                    .followedBy(
                            present.certificate(), former.introduce(present.certificate(), clock));
    private final Authorities alone = Authorities.of(present.certificate());
    private TlsSecurity security;
    private AuthorityKeeper keeper;

    @BeforeEach
    void open() {
        former.write(directory);
        reopen();
    }

    /** As when the master is started. */
    private void reopen() {
        Identity identity = Joining.ofMaster(directory, "m1", false, clock, RANDOM);
        security = new TlsSecurity(identity, clock, new Refusals("test", clock));
        keeper = new AuthorityKeeper(directory, "m1", security, clock, RANDOM);
    }

    private Errno errnoOf(Runnable action) {
        return assertThrows(FsException.class, action::run).errno();
    }

    @Test
    void theKeyThatAnotherMasterHandsOverIsTaken() {
        // Not before the state names it: anybody could have made it.
        assertEquals(Errno.NOT_READY, errnoOf(() -> keeper.take(present.secret())));
        keeper.follow(both);
        assertEquals(both, security.identity().authorities());
        assertFalse(security.identity().isOfPresentAuthority());
        assertEquals(former.certificate(), keeper.held().certificate());
        CertificateAuthority foreign = former.successor(clock);
        assertEquals(Errno.NOT_READY, errnoOf(() -> keeper.take(foreign.secret())));
        assertEquals(Errno.EINVAL, errnoOf(() -> keeper.take(new byte[] {1, 2, 3})));
        String fingerprint = JoinSecurity.fingerprintOf(present.certificate());
        assertEquals(fingerprint, keeper.take(present.secret()));
        assertTrue(security.identity().isOfPresentAuthority());
        Identity taken = security.identity();
        assertEquals(fingerprint, keeper.take(present.secret()));
        assertEquals(taken, security.identity());
        keeper.follow(both);
        assertEquals(taken, security.identity());
        keeper.follow(alone);
        assertEquals(alone, security.identity().authorities());
    }

    @Test
    void whatWasFollowedHoldsAfterARestart() {
        keeper.follow(both);
        reopen();
        assertEquals(both, security.identity().authorities());
        keeper.follow(both);
        var _ = keeper.take(present.secret());
        reopen();
        assertEquals(both, security.identity().authorities());
        assertEquals(present.certificate(), keeper.held().certificate());
        assertTrue(security.identity().isOfPresentAuthority());
        keeper.follow(alone);
        reopen();
        assertEquals(alone, security.identity().authorities());
    }

    @Test
    void theMasterThatMadeItHoldsItOnceTheStateNamesIt() {
        keeper.keepNext(present, Authorities.of(former.certificate()));
        assertEquals(former.certificate(), keeper.held().certificate());
        reopen();
        assertEquals(former.certificate(), keeper.held().certificate());
        keeper.follow(both);
        assertEquals(present.certificate(), keeper.held().certificate());
        assertTrue(security.identity().isOfPresentAuthority());
        assertFalse(Files.exists(directory.resolve("authority-next.key")));
    }

    /** Two rotations, of which the second one fails. */
    @Test
    void aKeyThatTheStateNamesIsNotLostToTheNextOne() {
        keeper.keepNext(present, Authorities.of(former.certificate()));
        keeper.keepNext(present.successor(clock), both);
        keeper.follow(both);
        assertEquals(present.certificate(), keeper.held().certificate());
        assertTrue(security.identity().isOfPresentAuthority());
    }

    /** Else it would refuse the others when it is started again in between. */
    @Test
    void whatItTrustsIsKeptBeforeTheKey() throws Exception {
        keeper.keepNext(present, Authorities.of(former.certificate()));
        Path identity = directory.resolve("identity.pem");
        Path moved = Files.move(identity, directory.resolve("moved"));
        Path obstacle = identity.resolve("obstacle");
        Files.createDirectories(obstacle);
        assertEquals(Errno.EIO, errnoOf(() -> keeper.follow(both)));
        Files.delete(obstacle);
        Files.move(moved, identity, StandardCopyOption.REPLACE_EXISTING);
        reopen();
        assertTrue(security.identity().authorities().anchors().contains(former.certificate()));
        keeper.follow(both);
        assertTrue(security.identity().isOfPresentAuthority());
    }

    @Test
    void aRenewalThatBeganBeforeTheKeyCameIsUndone() {
        keeper.follow(both);
        Identity early = security.identity();
        var _ = keeper.take(present.secret());
        security.renewed(early);
        keeper.follow(both);
        assertTrue(security.identity().isOfPresentAuthority());
    }

    @Test
    void aMasterThatWasOffForTheWholeRotationSaysSo() {
        assertEquals(Errno.EACCES, errnoOf(() -> keeper.follow(alone)));
        assertEquals(former.certificate(), keeper.held().certificate());
    }

    @Test
    void onlyMastersWithTheSameAuthorityCount() {
        keeper.keepNext(present, Authorities.of(former.certificate()));
        keeper.follow(both);
        keeper.heard("m2", JoinSecurity.fingerprintOf(former.certificate()));
        assertEquals(Set.of(), keeper.holders());
        keeper.heard("m2", JoinSecurity.fingerprintOf(present.certificate()));
        assertEquals(Set.of("m2"), keeper.holders());
        keeper.follow(alone);
        assertEquals(Set.of(), keeper.holders());
    }

    @Test
    void theNextCertificateIsOfTheAuthorityThatItHolds() {
        keeper.keepNext(present, Authorities.of(former.certificate()));
        keeper.follow(both);
        SigningRequest request = SigningRequest.make(RANDOM);
        Identity next = Identity.of(request.key(), keeper.sign(request.bytes()));
        assertTrue(next.isOfPresentAuthority());
        assertEquals(both, next.authorities());
    }
}
