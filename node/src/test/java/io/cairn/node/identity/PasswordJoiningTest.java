package io.cairn.node.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.PasswordLogin;
import io.cairn.cluster.Endpoint;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.scram.Password;
import io.cairn.net.FreePorts;
import io.cairn.runtime.Clock;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.Test;

class PasswordJoiningTest {
    private static final SecureRandom RANDOM = new SecureRandom();

    @Test
    void aMasterThatIsNotThereIsNamed() {
        Endpoint nobody = new Endpoint("127.0.0.1", new FreePorts(RANDOM).next());
        CertificateAuthority authority = CertificateAuthority.found(Clock.system(), RANDOM);
        PasswordJoining joining =
                new PasswordJoining(
                        authority::certificate,
                        () -> List.of(nobody),
                        new PasswordLogin("alice", Password.of("correct horse")),
                        Clock.system(),
                        RANDOM);
        FsException error = assertThrows(FsException.class, () -> joining.join(0, () -> {}));
        assertEquals(Errno.ETIMEDOUT, error.errno());
        String told = String.valueOf(error.getMessage());
        assertTrue(told.startsWith("no master answered at " + nobody), told);
    }
}
