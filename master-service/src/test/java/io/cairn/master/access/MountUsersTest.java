package io.cairn.master.access;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.identity.scram.Password;
import io.cairn.identity.scram.ScramVerifier;
import io.cairn.wire.master.RecordChange;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MountUsersTest {
    private static final byte[] SALT = new byte[ScramVerifier.SALT_BYTES];

    private static ScramVerifier verifier(String password) {
        return ScramVerifier.of(Password.of(password), SALT, ScramVerifier.LEAST_ITERATIONS);
    }

    private static MountUsers users() {
        return MountUsers.of(new byte[MountUsers.SECRET_BYTES]);
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        MountUsers users = users().with("bob", verifier("b")).with("alice", verifier("a"));
        MountUsers read = MountUsers.decode(users.encode());
        assertEquals(List.of("alice", "bob"), read.names());
        assertTrue(find(read, "alice").isSame(verifier("a")));
        assertArrayEquals(users.encode(), read.encode());
        assertNull(read.without("bob").find("bob"));
        assertEquals(List.of("alice"), read.without("bob").names());
        assertTrue(find(read.with("bob", verifier("c")), "bob").isSame(verifier("c")));
    }

    private static ScramVerifier find(MountUsers users, String name) {
        ScramVerifier found = users.find(name);
        if (found == null) {
            throw new AssertionError("no " + name);
        }
        return found;
    }

    @Test
    void unknownUsersAreMadeUpFromTheSecret() {
        MountUsers users = users().with("alice", verifier("a"));
        ScramVerifier first = users.verifier("nobody");
        assertTrue(first.isSame(users.with("bob", verifier("b")).verifier("nobody")));
        assertTrue(first.isSame(MountUsers.decode(users.encode()).verifier("nobody")));
        byte[] other = new byte[MountUsers.SECRET_BYTES];
        other[0] = 1;
        assertFalse(first.isSame(MountUsers.of(other).verifier("nobody")));
    }

    @Test
    void asManyAsThereMayBeFitIntoTheRecord() {
        MountUsers users = users();
        ScramVerifier same = verifier("a");
        for (int i = 0; i < MountUsers.MAX_USERS; i++) {
            users = users.with("%064d".formatted(i), same);
        }
        assertTrue(users.encode().length <= RecordChange.MAX_VALUE_BYTES);
    }

    @Test
    void whatIsNoListIsRefused() {
        String good = new String(users().encode(), StandardCharsets.UTF_8);
        for (String bad :
                List.of(
                        "",
                        "alice x",
                        "secret ?",
                        "secret AAAA",
                        good + "alice",
                        good + "alice x",
                        good + "a/b " + verifier("a").text())) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> MountUsers.decode(bad.getBytes(StandardCharsets.UTF_8)),
                    bad);
        }
    }
}
