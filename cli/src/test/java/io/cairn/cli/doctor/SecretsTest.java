package io.cairn.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.cairn.admin.api.Tokens;
import io.cairn.cluster.Endpoint;
import io.cairn.identity.JoinToken;
import io.cairn.net.Principal.Role;
import java.security.SecureRandom;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SecretsTest {
    private final Secrets secrets = new Secrets(List.of("knownliteral\n", "abc"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token: hunter22",
                "admin-token: 'hunter22'",
                "CAIRN_EXPORT_PASSWORD=hunter22",
                "{\"apiKey\": 1, \"clientSecret\" : \"hunter22\"}",
                "Authorization: Bearer hunter22",
                "cairn master --admin-token hunter22 --id m1",
                "--password=hunter22",
                "https://ops:hunter22@example.org/",
                "-----BEGIN RSA PRIVATE KEY-----\nhunter22\n-----END RSA PRIVATE KEY-----",
                "-----BEGIN PRIVATE KEY-----\nhunter22 and the end of the log"
            })
    void secretsAreTakenOut(String text) {
        String masked = secrets.mask(text);
        assertFalse(masked.contains("hunter22"), masked);
    }

    /** In command lines with an argument on each line, in settings, and in logs. */
    @Test
    void tokensOfCairnAreTakenOutWhereverTheyStand() {
        List<Endpoint> masters = List.of(new Endpoint("10.0.0.1", 9871));
        String join =
                new JoinToken(
                                Role.CHUNK,
                                "c1",
                                masters,
                                "ab".repeat(32),
                                JoinToken.newSecret(new SecureRandom()))
                        .text();
        String admin = Tokens.secret(new Random(1));
        for (String token : List.of(join, admin)) {
            for (String text : List.of("--join\n%s\n", "join: %s\n", "who said '%s'?", "x=%s,y")) {
                String given = text.formatted(token);
                assertEquals(text.formatted(Secrets.MASK), secrets.mask(given), given);
            }
        }
    }

    @Test
    void whatIsKnownIsTakenOutWhereverItStands() {
        assertEquals(
                "logged [masked] by mistake, abc",
                secrets.mask("logged knownliteral by mistake, abc"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "listen: 10.0.0.1:9871",
                "cairn master --id m1 --data /srv/m1 --listen 127.0.0.1:9811",
                "cairn_client_operation_seconds_count{operation=\"read\"} 5.0",
                "the APPEND token of inode 7 was recalled",
                "cairn_a_metric_whose_name_has_forty_three_letters 1.0",
                "http://127.0.0.1:9870/metrics"
            })
    void allElseStays(String text) {
        assertEquals(text, secrets.mask(text));
    }
}
