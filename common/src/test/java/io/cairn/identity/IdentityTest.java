package io.cairn.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Principal.Role;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IdentityTest {
    private static final TestIdentities CLUSTER = new TestIdentities();

    @TempDir private Path directory;

    @Test
    void anIdentityIsReadAsItWasWritten() throws Exception {
        assertFalse(Identity.isIn(directory));
        Identity made = CLUSTER.identity(Role.CHUNK, "c5");
        made.write(directory.resolve("tls"));
        assertTrue(Identity.isIn(directory.resolve("tls")));
        Identity read = Identity.read(directory.resolve("tls"));
        assertEquals(made.certificate(), read.certificate());
        assertEquals(new Subject(CLUSTER.authority.cluster(), Role.CHUNK, "c5"), read.subject());
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(directory.resolve("tls/identity.pem"))));
    }

    @Test
    void aKeyThatOthersMayReadIsRefused() throws Exception {
        CLUSTER.identity(Role.CHUNK, "c5").write(directory);
        Path file = directory.resolve("identity.pem");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        FsException error = assertThrows(FsException.class, () -> Identity.read(directory));
        assertEquals(Errno.EACCES, error.errno());
        String told = String.valueOf(error.getMessage());
        assertTrue(told.contains("chmod 600 " + file), told);
    }

    @Test
    void anAuthorityGoesOnAfterARestart() {
        assertFalse(CertificateAuthority.isIn(directory));
        CLUSTER.authority.write(directory);
        CertificateAuthority read = CertificateAuthority.read(directory, new SecureRandom());
        assertEquals(CLUSTER.authority.certificate(), read.certificate());
        assertEquals(CLUSTER.authority.cluster(), read.cluster());
    }

    @Test
    void onlyARequestSignedByItsOwnKeyIsSigned() {
        byte[] request = SigningRequest.make(new SecureRandom()).bytes();
        request[request.length - 3] ^= 1;
        for (byte[] bad : List.of(request, new byte[0], new byte[] {1, 2, 3})) {
            FsException error =
                    assertThrows(
                            FsException.class,
                            () ->
                                    CLUSTER.authority.sign(
                                            bad,
                                            Role.MOUNT,
                                            "m",
                                            Instant.now(),
                                            CertificateAuthority.LIFE));
            assertEquals(Errno.EINVAL, error.errno());
        }
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() {
        Identity one = CLUSTER.identity(Role.MOUNT, "m1");
        Identity two = CLUSTER.identity(Role.MOUNT, "m2");
        byte[] chain = Identity.chain(two.certificate(), two.authorities());
        assertThrows(FsException.class, () -> Identity.of(one.key(), chain));
    }

    @Test
    void theAuthorityIsKnownByItsFile() throws Exception {
        CLUSTER.authority.write(directory);
        Path file = directory.resolve("authority.pem");
        assertEquals(CLUSTER.authority.certificate(), CertificateAuthority.certificateIn(file));
        Identity mount = CLUSTER.identity(Role.MOUNT, "m1");
        byte[] chain = Identity.chain(mount.certificate(), mount.authorities());
        for (byte[] bad : List.of(chain, PemFile.bytes(mount.certificate()), new byte[] {1, 2})) {
            Files.write(file, bad);
            FsException error =
                    assertThrows(FsException.class, () -> CertificateAuthority.certificateIn(file));
            assertEquals(Errno.EINVAL, error.errno());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"OPENSSL", "JDK"})
    void aServerCanRehearse(SslProvider provider) {
        TlsSecurity server = CLUSTER.security(provider, Role.CHUNK, "c5");
        assertTrue(new Rehearsal(server.client(), server.server()).run());
        TlsSecurity mount = CLUSTER.security(provider, Role.MOUNT, "m5");
        assertFalse(new Rehearsal(mount.client(), mount.server()).run());
    }

    @Test
    void namesAreRestricted() {
        for (String bad : List.of("", "a,OU=master", "a b", "x".repeat(65), "-a", "\u00e4")) {
            assertThrows(FsException.class, () -> new Subject("c", Role.MOUNT, bad));
        }
        assertThrows(FsException.class, () -> new Subject("c", Role.ANONYMOUS, "a"));
    }

    @Test
    void aTokenIsOneWord() {
        JoinToken token =
                new JoinToken(
                        Role.GATEWAY,
                        "g1",
                        List.of(new Endpoint("10.0.0.1", 9871), new Endpoint("::1", 1)),
                        "ab",
                        "cd");
        assertEquals(token, JoinToken.parse(token.text()));
        for (String bad : List.of("", "cairn-join-", "cairn-join-AAAA", "cairn-join-!!!", "x")) {
            FsException error = assertThrows(FsException.class, () -> JoinToken.parse(bad));
            assertEquals(Errno.EINVAL, error.errno());
        }
    }
}
