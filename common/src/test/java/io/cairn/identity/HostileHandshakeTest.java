package io.cairn.identity;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.eventually;
import static io.cairn.net.NetworkRig.get;
import static io.cairn.net.NetworkRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.net.Connection;
import io.cairn.net.EchoHandler;
import io.cairn.net.Listener;
import io.cairn.net.NetworkRig;
import io.cairn.net.Principal.Role;
import io.cairn.net.RawPeer;
import io.netty.handler.ssl.SslProvider;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Strangers at a port with TLS, by each implementation. A second of the transports lasts 300 ms
 * here.
 */
@ParameterizedClass
@EnumSource(names = {"OPENSSL", "JDK"})
class HostileHandshakeTest {
    private static final int MIB = 1 << 20;
    private static final int RECORD_BYTES = 16 << 10;
    private static final TestIdentities CLUSTER = new TestIdentities();

    private final NetworkRig rig;
    private final Listener listener;

    HostileHandshakeTest(SslProvider provider) {
        // The first handshake in a JVM is slow.
        CLUSTER.security(provider, Role.MASTER, "m1").rehearse();
        rig =
                new NetworkRig(
                        300,
                        CLUSTER.security(provider, Role.MASTER, "m1"),
                        CLUSTER.security(provider, Role.MOUNT, "m"));
        listener = rig.server.listen(LOOPBACK, new EchoHandler());
    }

    @BeforeEach
    void warmUp() {
        serviceLives();
    }

    @AfterEach
    void close() throws InterruptedException {
        serviceLives();
        rig.close();
    }

    private void serviceLives() {
        Connection connection = rig.connect(listener);
        assertEquals("alive", text(get(connection.call(text("alive"), 10_000))));
        connection.close();
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }

    /** The beginning of a record with a handshake message of any length. */
    private static byte[] hello(int recordBytes, int messageBytes) {
        return hex("160301%04x01%06x0303".formatted(recordBytes, messageBytes));
    }

    private void isThrownOut(byte[]... said) throws Exception {
        try (RawPeer peer = new RawPeer(listener.endpoint())) {
            for (byte[] each : said) {
                peer.trySay(each);
            }
            peer.hearEnd();
        }
        eventually("its memory is free", () -> rig.usedBytes() < MIB);
    }

    @Test
    void aHandshakeMustComplete() throws Exception {
        isThrownOut();
        isThrownOut(new byte[] {0x16});
        isThrownOut(hello(0xf8, 0xf4));
    }

    @Test
    void aHandshakeThatTricklesMustComplete() throws Exception {
        try (RawPeer peer = new RawPeer(listener.endpoint())) {
            Thread trickle = peer.trickle(hello(RECORD_BYTES, RECORD_BYTES - 4));
            peer.hearEnd();
            trickle.interrupt();
            trickle.join();
        }
    }

    @Test
    void aHandshakeWithoutEndHoldsLittleMemory() throws Exception {
        byte[] record = new byte[5 + RECORD_BYTES];
        System.arraycopy(hex("160303%04x".formatted(RECORD_BYTES)), 0, record, 0, 5);
        try (RawPeer peer = new RawPeer(listener.endpoint())) {
            byte[] first = record.clone();
            System.arraycopy(hex("01ffffff0303"), 0, first, 5, 6);
            peer.trySay(first);
            for (int i = 0; i < 1_000; i++) {
                peer.trySay(record);
                assertTrue(rig.usedBytes() < MIB, "used " + rig.usedBytes());
            }
            peer.hearEnd();
        }
    }

    @Test
    void randomRecords() throws Exception {
        Random random = new Random(3);
        for (int i = 0; i < 50; i++) {
            byte[] noise = new byte[5 + random.nextInt(RECORD_BYTES)];
            random.nextBytes(noise);
            if (i % 2 == 0) {
                System.arraycopy(hello(noise.length - 5, random.nextInt(1 << 24)), 0, noise, 0, 5);
            }
            isThrownOut(noise);
        }
    }
}
