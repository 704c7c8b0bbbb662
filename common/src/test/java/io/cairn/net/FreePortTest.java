package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class FreePortTest {
    @Test
    void isBelowThoseOfOutgoingConnections() {
        Random random = new Random(1);
        for (int i = 0; i < 50; i++) {
            int port = FreePort.find(random);
            assertTrue(port >= 20_000 && port < 32_000, "port " + port);
        }
    }

    @Test
    void whatIsTakenIsNotChosen() throws Exception {
        int first = FreePort.find(new Random(7));
        try (ServerSocket taken = new ServerSocket(first, 1, InetAddress.getLoopbackAddress())) {
            assertNotEquals(taken.getLocalPort(), FreePort.find(new Random(7)));
            RandomGenerator always = () -> 0;
            int lowest = FreePort.find(always);
            try (ServerSocket second =
                    new ServerSocket(lowest, 1, InetAddress.getLoopbackAddress())) {
                assertEquals(lowest, second.getLocalPort());
                FsException error = assertThrows(FsException.class, () -> FreePort.find(always));
                assertEquals(Errno.EBUSY, error.errno());
            }
        }
    }
}
