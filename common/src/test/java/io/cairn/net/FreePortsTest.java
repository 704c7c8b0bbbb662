package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class FreePortsTest {
    @Test
    void areBelowThoseOfOutgoingConnectionsAndAllDifferent() {
        FreePorts ports = new FreePorts(new Random(1));
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            int port = ports.next();
            assertTrue(port >= 20_000 && port < 32_000, "port " + port);
            assertTrue(given.add(port), "port " + port + " was given before");
        }
    }

    @Test
    void whatIsTakenIsNotChosen() throws Exception {
        int first = new FreePorts(new Random(7)).next();
        try (ServerSocket taken = new ServerSocket(first, 1, InetAddress.getLoopbackAddress())) {
            assertNotEquals(taken.getLocalPort(), new FreePorts(new Random(7)).next());
        }
    }

    @Test
    void whenAllAreGivenOrTakenItSaysSo() throws Exception {
        RandomGenerator always = () -> 0;
        FreePorts ports = new FreePorts(always);
        int lowest = ports.next();
        FsException given = assertThrows(FsException.class, ports::next);
        assertEquals(Errno.EBUSY, given.errno());
        try (ServerSocket socket = new ServerSocket(lowest, 1, InetAddress.getLoopbackAddress())) {
            assertEquals(lowest, socket.getLocalPort());
            FsException taken = assertThrows(FsException.class, new FreePorts(always)::next);
            assertEquals(Errno.EBUSY, taken.errno());
        }
    }
}
