package io.cairn.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SubnetTest {
    private static boolean contains(String range, String address) {
        byte[] bytes = Subnet.addressOf(address);
        assertNotNull(bytes, address);
        return Subnet.parse(range).contains(bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "*, 1.2.3.4, true",
        "10.0.0.0/8, 10.255.0.1, true",
        "10.0.0.0/8, 11.0.0.1, false",
        "10.0.0.0/9, 10.127.0.1, true",
        "10.0.0.0/9, 10.128.0.1, false",
        "10.0.0.7, 10.0.0.7, true",
        "10.0.0.7, 10.0.0.6, false",
        "10.0.0.0/255.255.0.0, 10.0.9.9, true",
        "0.0.0.0/0, 200.1.1.1, true",
        "0.0.0.0/0, ::1, false",
        "fd00::/8, fdff::1, true",
        "fd00::/8, fe00::1, false",
        "::/0, fe80::1, true"
    })
    void aRangeContainsWhatSharesItsPrefix(String range, String address, boolean isIn) {
        assertEquals(isIn, contains(range, address));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10",
                "10.0.0",
                "host",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/",
                "10.0.0.0/255.0.255.0",
                "fd00::/129",
                "fd00::/255.0.0.0",
                "10.0.0.256",
                "/8"
            })
    void whatIsNoRangeIsNamed(String text) {
        var refused = assertThrows(IllegalArgumentException.class, () -> Subnet.parse(text));
        assertTrue(String.valueOf(refused.getMessage()).contains("'" + text + "'"));
    }

    @Test
    void anAddressIsReadWithoutItsZone() {
        assertNull(Subnet.addressOf("peer"));
        assertNull(Subnet.addressOf("1.2.3"));
        assertNotNull(Subnet.addressOf("fe80::1%eth0"));
        byte[] mapped = Subnet.addressOf("::ffff:10.0.0.1");
        assertNotNull(mapped);
        assertEquals(4, mapped.length);
        assertFalse(contains("10.0.0.0/8", "::1"));
    }
}
