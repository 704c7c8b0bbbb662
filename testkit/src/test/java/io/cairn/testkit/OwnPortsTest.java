package io.cairn.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnPortsTest {
    @Test
    void twoHaveNoPortInCommon() {
        OwnPorts one = new OwnPorts(new Random(1));
        OwnPorts other = new OwnPorts(new Random(1));
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            int port = one.next();
            assertNotEquals(port, other.next());
            assertTrue(given.add(port), "port " + port + " was given before");
        }
    }

    @Test
    void whoNeedsManyGetsMore() {
        OwnPorts many = new OwnPorts(new Random(2));
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 600; i++) {
            given.add(many.next());
        }
        assertEquals(600, given.size());
    }
}
