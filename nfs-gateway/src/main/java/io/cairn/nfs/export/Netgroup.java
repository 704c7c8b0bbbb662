package io.cairn.nfs.export;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * The machines of a netgroup: by whole name, by the name before the first dot, or by address.
 *
 * @param name without the {@code @}
 */
record Netgroup(String name) implements ClientMatch {
    /**
     * Parses {@code @NAME}.
     *
     * @throws IllegalArgumentException with a sentence that names the text
     */
    static Netgroup parse(String text) {
        String name = text.substring(1);
        boolean plain =
                name.chars().allMatch(c -> Character.isLetterOrDigit(c) || "._-".indexOf(c) >= 0);
        if (!plain || name.isEmpty() || name.startsWith("-")) {
            throw new IllegalArgumentException("'" + text + "' names no netgroup, as @hosts");
        }
        return new Netgroup(name);
    }

    @Override
    public boolean matches(InetAddress client, HostNames names) {
        if (names.isMember(name, client.getHostAddress())) {
            return true;
        }
        @Nullable String host = names.nameOf(client);
        if (host == null) {
            return false;
        }
        int dot = host.indexOf('.');
        return names.isMember(name, host)
                || (dot > 0 && names.isMember(name, host.substring(0, dot)));
    }

    @Override
    public int specificity() {
        return -2;
    }
}
