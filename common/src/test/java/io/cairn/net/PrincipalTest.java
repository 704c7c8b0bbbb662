package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.net.Principal.Role;
import org.junit.jupiter.api.Test;

class PrincipalTest {
    @Test
    void aRoleIsFoundByItsWord() {
        for (Role role : Role.values()) {
            assertEquals(role.isCertified() ? role : null, Role.of(role.text()));
        }
        assertNull(Role.of("CHUNK"));
        assertNull(Role.of(""));
    }

    @Test
    void somebodyWithoutACertificateIsNobodyInParticular() {
        Principal anonymous = Principal.anonymous("127.0.0.1");
        assertTrue(anonymous.isAnonymous());
        assertEquals("somebody at 127.0.0.1", anonymous.toString());
    }

    @Test
    void aCertificateTellsRoleAndName() {
        Principal server = new Principal(Role.CHUNK, "c5", "10.0.0.5");
        assertFalse(server.isAnonymous());
        assertEquals("chunk c5 at 10.0.0.5", server.toString());
    }
}
