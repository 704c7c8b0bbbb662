package io.cairn.client.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.cluster.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientSettingsTest {
    private static final List<Endpoint> MASTERS = List.of(new Endpoint("m1", 9871));
    private static final ClientSettings STANDARD = ClientSettings.of(MASTERS, "c");

    @Test
    void eachMethodChangesWhatItNames() {
        assertEquals(
                new ClientSettings(MASTERS, "c", 1, 2, 3, 4, 64L << 20, 16 << 20, 5, 6),
                STANDARD.withRequestTimeoutMs(1)
                        .withAttemptTimeoutMs(2)
                        .withConnectTimeoutMs(3)
                        .withAttributeTtlMs(4)
                        .withWriteBackDelayMs(5)
                        .withShareFromBytes(6));
        ClientSettings buffers = STANDARD.withBuffers(9L << 20, 7);
        assertEquals(9L << 20, buffers.bufferBytes());
        assertEquals(7, buffers.readAheadBytes());
        assertEquals(STANDARD.writeBackDelayMs(), buffers.writeBackDelayMs());
    }

    @Test
    void anAttemptIsNoLongerThanItsRequest() {
        assertEquals(700, STANDARD.withRequestTimeoutMs(700).attemptTimeoutMs());
        assertEquals(5_000, STANDARD.withRequestTimeoutMs(60_000).attemptTimeoutMs());
    }

    @Test
    void impossibleValuesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> ClientSettings.of(List.of(), "nobody"));
        assertThrows(IllegalArgumentException.class, () -> STANDARD.withRequestTimeoutMs(0));
        assertThrows(IllegalArgumentException.class, () -> STANDARD.withBuffers(1, 0));
        assertThrows(IllegalArgumentException.class, () -> STANDARD.withShareFromBytes(0));
    }
}
