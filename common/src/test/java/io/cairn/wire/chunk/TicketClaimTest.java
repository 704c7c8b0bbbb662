package io.cairn.wire.chunk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class TicketClaimTest {
    private static final byte[] SECRET = new byte[32];
    private static final TicketKey KEY = TicketKey.derive(SECRET, 400_000);
    private static final TicketClaim CLAIM =
            new TicketClaim(400_000, 7, 100, 200, true, 1_440_000_600_000L);

    @Test
    void aTicketTellsWhatWasSigned() {
        Ticket ticket = CLAIM.sign(KEY, "mount.a");
        assertEquals(CLAIM, TicketClaim.read(ticket));
        assertTrue(CLAIM.isSigned(ticket, KEY, "mount.a"));
        assertFalse(CLAIM.opens(99));
        assertTrue(CLAIM.opens(100));
        assertTrue(CLAIM.opens(200));
        assertFalse(CLAIM.opens(201));
    }

    @Test
    void nobodyElseCanUseItOrChangeAByte() {
        Ticket ticket = CLAIM.sign(KEY, "mount.a");
        assertFalse(CLAIM.isSigned(ticket, KEY, "mount.b"));
        assertFalse(CLAIM.isSigned(ticket, TicketKey.derive(SECRET, 400_001), "mount.a"));
        for (int i = 0; i < ticket.bytes().length; i++) {
            byte[] bytes = ticket.bytes().clone();
            bytes[i] ^= 2;
            Ticket forged = new Ticket(bytes);
            TicketClaim claim = TicketClaim.read(forged);
            assertTrue(claim == null || !claim.isSigned(forged, KEY, "mount.a"), "byte " + i);
        }
        assertNull(TicketClaim.read(new Ticket(Arrays.copyOf(ticket.bytes(), 30))));
        assertNull(TicketClaim.read(Ticket.NONE));
    }

    /** What a server of another release computes. */
    @Test
    void theBytesStayTheSame() {
        assertEquals(400_000, TicketKey.hourOf(1_440_000_000_000L));
        assertEquals(-1, TicketKey.hourOf(-1));
        assertEquals(
                "0100061a800000000000000007000000000000006400000000000000c8010000014f"
                        + "46b967c0e790d60ee9d52033b4e7ac739c95329d",
                HexFormat.of().formatHex(CLAIM.sign(KEY, "mount.a").bytes()));
    }

    @Test
    void keysTravelAndAreNotPrinted() {
        Encoder out = new Encoder();
        KEY.encode(out);
        assertArrayEquals(KEY.bytes(), TicketKey.decode(new Decoder(out.toBytes())).bytes());
        assertEquals("key of hour 400000", KEY.toString());
        assertFalse(Arrays.equals(KEY.bytes(), TicketKey.derive(SECRET, 400_001).bytes()));
    }
}
