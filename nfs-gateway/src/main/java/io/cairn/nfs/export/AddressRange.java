package io.cairn.nfs.export;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Addresses with a common prefix. Immutable.
 *
 * @param network the first address; nothing when the range has all addresses there are
 * @param prefixBits how many leading bits an address has in common with it
 */
public record AddressRange(byte[] network, int prefixBits) implements ClientMatch {
    private static final String PART = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
    private static final Pattern DOTTED = Pattern.compile("(" + PART + "\\.){3}" + PART);
    private static final AddressRange ANY = new AddressRange(new byte[0], 0);

    /**
     * Parses {@code *}, an address, {@code ADDRESS/BITS}, {@code ADDRESS/NETMASK}, or a host name,
     * which is looked up (that may block) and may have several addresses; or {@code @NETGROUP}, or
     * a pattern of names.
     *
     * @throws UnknownClientException when there is no host of that name now
     * @throws IllegalArgumentException with a sentence that names the text
     */
    static List<ClientMatch> parse(String text) {
        if (text.equals("*")) {
            return List.of(ANY);
        }
        if (text.startsWith("@")) {
            return List.of(Netgroup.parse(text));
        }
        if (text.startsWith("gss/")) {
            throw new IllegalArgumentException("'" + text + "': there is sec=sys only");
        }
        if (NamePattern.isOne(text)) {
            return List.of(NamePattern.parse(text));
        }
        int slash = text.indexOf('/');
        String host = slash < 0 ? text : text.substring(0, slash);
        if (host.isEmpty()) {
            throw new IllegalArgumentException("'" + text + "' names no host or network");
        }
        requireWholeAddress(text, host);
        List<ClientMatch> ranges = new ArrayList<>();
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                byte[] bytes = address.getAddress();
                int all = bytes.length * 8;
                int bits = slash < 0 ? all : bits(text, text.substring(slash + 1), all);
                ranges.add(new AddressRange(bytes, bits));
            }
        } catch (UnknownHostException e) {
            throw new UnknownClientException(
                    "unknown host '" + host + "'; write an address, ADDRESS/BITS or *", e);
        }
        return ranges;
    }

    /** Resolvers take 10 for 0.0.0.10 and 192.168.1 for 192.168.0.1: who writes that means else. */
    private static void requireWholeAddress(String text, String host) {
        boolean numeric = host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
        if (numeric && !DOTTED.matcher(host).matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a whole address, as 10.0.0.0/8 or 192.168.1.7");
        }
    }

    private static int bits(String text, String number, int all) {
        try {
            if (all == Integer.SIZE && DOTTED.matcher(number).matches()) {
                return maskBits(text, number);
            }
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
    private static int maskBits(String text, String mask) {
        int bits = 0;
        for (String part : mask.split("\\.", -1)) {
            bits = bits << 8 | Integer.parseInt(part);
        }
        int leading = Integer.numberOfLeadingZeros(~bits);
        if (leading < Integer.SIZE && bits << leading != 0) {
            throw new IllegalArgumentException("'" + text + "' has a mask with holes");
        }
        return leading;
    }

    /** Whether an address is in the range. */
    public boolean contains(InetAddress address) {
        if (network.length == 0) {
            return true;
        }
        byte[] bytes = address.getAddress();
        if (bytes.length != network.length) {
            return false;
        }
        int whole = prefixBits / 8;
        for (int i = 0; i < whole; i++) {
            if (bytes[i] != network[i]) {
                return false;
            }
        }
        int rest = prefixBits % 8;
        return rest == 0 || ((bytes[whole] ^ network[whole]) & 0xff) >> (8 - rest) == 0;
    }

    @Override
    public boolean matches(InetAddress client, HostNames names) {
        return contains(client);
    }

    @Override
    public int specificity() {
        return network.length == 0 ? -3 : prefixBits;
    }
}
