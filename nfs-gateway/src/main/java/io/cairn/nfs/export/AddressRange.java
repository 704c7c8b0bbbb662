package io.cairn.nfs.export;

import io.cairn.base.Subnet;
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
                int bits =
                        slash < 0 ? all : Subnet.prefixBits(text, text.substring(slash + 1), all);
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

    /** Whether an address is in the range. */
    public boolean contains(InetAddress address) {
        return new Subnet(network, prefixBits).contains(address.getAddress());
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
