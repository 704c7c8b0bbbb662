package io.cairn.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
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
                "http://127.0.0.1:9870/metrics"
            })
    void allElseStays(String text) {
        assertEquals(text, secrets.mask(text));
    }
}
