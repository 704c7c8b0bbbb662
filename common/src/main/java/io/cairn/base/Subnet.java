package io.cairn.base;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Addresses with a common prefix. Immutable.
 *
 * @param network the first address; nothing when the range has all addresses there are
 * @param prefixBits how many leading bits an address has in common with it
 */
public record Subnet(byte[] network, int prefixBits) {
    /** All addresses. */
    public static final Subnet ANY = new Subnet(new byte[0], 0);

    /**
     * Parses {@code *}, an address, {@code ADDRESS/BITS} or {@code ADDRESS/NETMASK}, of IPv4 or
     * IPv6. No name service is asked.
     *
     * @throws IllegalArgumentException with a sentence that names the text
     */
    public static Subnet parse(String text) {
        if (text.equals("*")) {
            return ANY;
        }
        int slash = text.indexOf('/');
        byte[] address = addressOf(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no address, as 10.0.0.0/8, 192.168.1.7, fd00::/8 or *");
        }
        int all = address.length * Byte.SIZE;
        return new Subnet(
                address, slash < 0 ? all : prefixBits(text, text.substring(slash + 1), all));
    }

    /**
     * The number of leading bits that {@code BITS} or a netmask tells.
     *
     * @param text that the message of an error names
     * @param all the bits of an address
     * @throws IllegalArgumentException with a sentence that names the text
     */
    public static int prefixBits(String text, String number, int all) {
        byte[] mask = number.indexOf('.') < 0 ? null : addressOf(number);
        if (all == Integer.SIZE && mask != null) {
            return maskBits(text, mask);
        }
        try {
            int bits = Integer.parseInt(number);
            if (bits >= 0 && bits <= all) {
                return bits;
            }
        } catch (NumberFormatException e) {
            // Falls through to the one message for both.
        }
        throw new IllegalArgumentException(
                "'" + text + "' has no prefix length from 0 to " + all + " behind the slash");
    }

    /** The number of leading bits of a mask like 255.255.252.0. */
    private static int maskBits(String text, byte[] mask) {
        int bits = 0;
        for (byte part : mask) {
            bits = bits << Byte.SIZE | part & 0xff;
        }
        int leading = Integer.numberOfLeadingZeros(~bits);
        if (leading < Integer.SIZE && bits << leading != 0) {
            throw new IllegalArgumentException("'" + text + "' has a mask with holes");
        }
        return leading;
    }

    /**
     * The bytes of an address in digits, without brackets; null when the text is none. An IPv4
     * address that is written as an IPv6 one is the IPv4 one.
     */
    public static byte @Nullable [] addressOf(String text) {
        if (text.indexOf(':') < 0 && text.chars().filter(c -> c == '.').count() != 3) {
            return null; // 10 is not meant to be 0.0.0.10
        }
        int zone = text.indexOf('%');
        try {
            return InetAddress.ofLiteral(zone < 0 ? text : text.substring(0, zone)).getAddress();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Whether an address is in the range; its family must be the same. */
    public boolean contains(byte[] address) {
        if (network.length == 0) {
            return true;
        }
        if (address.length != network.length) {
            return false;
        }
        int whole = prefixBits / Byte.SIZE;
        for (int i = 0; i < whole; i++) {
            if (address[i] != network[i]) {
                return false;
            }
        }
        int rest = prefixBits % Byte.SIZE;
        return rest == 0 || ((address[whole] ^ network[whole]) & 0xff) >> (Byte.SIZE - rest) == 0;
    }
}
