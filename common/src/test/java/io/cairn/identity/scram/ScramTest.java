package io.cairn.identity.scram;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;

/** The example of RFC 7677, and all that can go wrong. */
final class ScramTest {
    private static final byte[] SALT = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
    private static final String CLIENT_NONCE = "rOprNGfwEbeRWgbNEkqO";
    private static final String SERVER_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    private static final String FIRST = "n,,n=user,r=" + CLIENT_NONCE;
    private static final String CHALLENGE =
            "r=" + CLIENT_NONCE + SERVER_NONCE + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
    private static final String LAST =
            "c=biws,r="
                    + CLIENT_NONCE
                    + SERVER_NONCE
                    + ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
    private static final String SIGNATURE = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

    private static ScramVerifier verifier(String password) {
        return ScramVerifier.of(Password.of(password), SALT, 4096);
    }

    private static ScramClient client(String password) {
        return new ScramClient("user", Password.of(password), CLIENT_NONCE);
    }

    private static ScramServer server(ScramVerifier verifier) {
        return ScramServer.begin(FIRST, _ -> verifier, SERVER_NONCE);
    }

    @Test
    void theExampleOfTheRfc() {
        ScramClient client = client("pencil");
        assertEquals(FIRST, client.first());
        ScramServer server = server(verifier("pencil"));
        assertEquals("user", server.user());
        assertEquals(CHALLENGE, server.challenge());
        assertEquals(LAST, client.answer(CHALLENGE));
        assertEquals(SIGNATURE, server.finish(LAST));
        assertTrue(client.isFrom(SIGNATURE));
    }

    @Test
    void anotherPasswordIsRefused() {
        ScramServer server = server(verifier("pencil"));
        assertNull(server.finish(client("pencils").answer(server.challenge())));
        assertNull(server(verifier("other")).finish(LAST));
    }

    @Test
    void aProofIsGoodForOneLoginOnly() {
        ScramServer other = ScramServer.begin(FIRST, _ -> verifier("pencil"), "another-nonce");
        assertNull(other.finish(LAST));
    }

    @Test
    void aServerThatDoesNotKnowThePasswordIsNotBelieved() {
        ScramClient client = client("pencil");
        assertFalse(client.isFrom(SIGNATURE), "before its answer");
        client.answer(CHALLENGE);
        assertFalse(client.isFrom("v=" + Base64.getEncoder().encodeToString(new byte[32])));
        assertFalse(client.isFrom(""));
    }

    @Test
    void aChallengeThatMakesGuessingEasyIsNotAnswered() {
        ScramClient client = client("pencil");
        for (String challenge :
                new String[] {
                    "",
                    "r=" + CLIENT_NONCE + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
                    "r=elsewhere" + SERVER_NONCE + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
                    "r=" + CLIENT_NONCE + "x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=1",
                    "r=" + CLIENT_NONCE + "x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=2000000000",
                    "r=" + CLIENT_NONCE + "x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=99999999999999",
                    "r=" + CLIENT_NONCE + "x,s====,i=4096",
                    "m=x,r=" + CLIENT_NONCE + "x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
                }) {
            assertThrows(IllegalArgumentException.class, () -> client.answer(challenge), challenge);
        }
    }

    @Test
    void messagesThatAreNoneAreRefused() {
        for (String first :
                new String[] {
                    "",
                    "n=user,r=" + CLIENT_NONCE,
                    "y,,n=user,r=" + CLIENT_NONCE,
                    "p=tls-unique,,n=user,r=" + CLIENT_NONCE,
                    "n,a=root,n=user,r=" + CLIENT_NONCE,
                    "n,,n=,r=" + CLIENT_NONCE,
                    "n,,n=a b,r=" + CLIENT_NONCE,
                    "n,,n=" + "u".repeat(65) + ",r=" + CLIENT_NONCE,
                    "n,,n=user,r=short",
                    "n,,n=user,r=" + "r".repeat(129),
                    "n,,n=user,r=" + CLIENT_NONCE + ",x=y"
                }) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> ScramServer.begin(first, _ -> verifier("pencil"), SERVER_NONCE),
                    first);
        }
        ScramServer server = server(verifier("pencil"));
        assertNull(server.finish(""));
        assertNull(server.finish(LAST + ",x=y"));
        assertNull(server.finish(LAST.replace("biws", "eSws")));
        assertNull(server.finish(LAST.replaceFirst("p=.*", "p=" + "A".repeat(43) + "=")));
        assertNotNull(server.finish(LAST));
    }

    @Test
    void whatIsKeptIsReadAgain() {
        ScramVerifier kept = verifier("pencil");
        ScramVerifier read = ScramVerifier.parse(kept.text());
        assertTrue(read.isSame(kept));
        assertEquals(kept.text(), read.text());
        assertArrayEquals(SALT, read.salt());
        assertFalse(kept.isSame(verifier("other")));
        assertFalse(kept.toString().contains("="), kept.toString());
        String text = kept.text();
        for (String bad :
                new String[] {
                    "",
                    text.replace("SHA-256", "SHA-1"),
                    text.replace("4096", "4095"),
                    text.replace("W22ZaJ0SNY7soEsUEjb6gQ==", "W22ZaJ0="),
                    text.replace("W22ZaJ0SNY7soEsUEjb6gQ==", "?"),
                    text.substring(0, text.lastIndexOf(':')) + ":AAAA",
                    text + ":"
                }) {
            var e =
                    assertThrows(
                            IllegalArgumentException.class, () -> ScramVerifier.parse(bad), bad);
            assertFalse(String.valueOf(e.getMessage()).contains("AAAA"), e.getMessage());
        }
    }

    @Test
    void unknownUsersAreAlwaysToldTheSame() {
        byte[] secret = "secret".getBytes(StandardCharsets.UTF_8);
        ScramVerifier first = ScramVerifier.madeUp(secret, "nobody");
        assertEquals(first.text(), ScramVerifier.madeUp(secret, "nobody").text());
        assertEquals(ScramVerifier.SALT_BYTES, first.salt().length);
        assertEquals(ScramVerifier.ITERATIONS, first.iterations());
        assertNotEquals(first.text(), ScramVerifier.madeUp(secret, "somebody").text());
        assertNull(server(first).finish(client("pencil").answer(server(first).challenge())));
    }

    @Test
    void passwordsAreWhatCanBeTyped() {
        assertThrows(IllegalArgumentException.class, () -> Password.of(""));
        assertThrows(IllegalArgumentException.class, () -> Password.of("a\tb"));
        assertThrows(IllegalArgumentException.class, () -> Password.of("p".repeat(257)));
        assertTrue(verifier("\u00fcber").isSame(verifier("u\u0308ber")));
        assertFalse(Password.of("pencil").toString().contains("pencil"));
        assertTrue(Password.isUserName("alice.b-1"));
        assertFalse(Password.isUserName("-alice"));
        assertFalse(Password.isUserName("a,b"));
        assertFalse(Password.isUserName(""));
    }
}
