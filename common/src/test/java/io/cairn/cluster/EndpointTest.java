package io.cairn.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class EndpointTest {
    @Test
    void whatIsPrintedIsParsed() {
        for (String text : new String[] {"host:1", "127.0.0.1:65535", "[::1]:80", "a.b-c.d:0"}) {
            assertEquals(text, Endpoint.parse(text).toString());
        }
        assertEquals(new Endpoint("::1", 80), Endpoint.parse("[::1]:80"));
    }

    @Test
    void othersAreRefusedByName() {
        String[] bad = {
            "",
            ":",
            "host",
            "host:",
            ":1",
            "host:x",
            "host:-1",
            "host:65536",
            "::1:80",
            "[]:1",
            "host:99999999999"
        };
        for (String text : bad) {
            String message =
                    assertThrows(IllegalArgumentException.class, () -> Endpoint.parse(text))
                            .getMessage();
            assertTrue(String.valueOf(message).startsWith("'" + text + "' is not HOST:PORT"));
        }
    }
}
