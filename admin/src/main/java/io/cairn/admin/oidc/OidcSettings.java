package io.cairn.admin.oidc;

import io.cairn.admin.api.Role;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The OpenID provider whose users may sign in.
 *
 * @param issuer its address, as it names itself
 * @param clientId what it calls this cluster
 * @param clientSecret null for a public client
 * @param rolesClaim the claim of an ID token that lists groups or roles of a user
 * @param roles which role a value of this claim stands for
 * @param console the console as browsers see it, with a slash at its end; the provider sends users
 *     back to there alone
 */
public record OidcSettings(
        URI issuer,
        String clientId,
        @Nullable String clientSecret,
        String rolesClaim,
        Map<String, Role> roles,
        URI console) {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    /**
     * Takes a copy.
     *
     * @throws IllegalArgumentException when an address is plain elsewhere than on loopback or holds
     *     more than it should, or a text is empty
     */
    public OidcSettings {
        roles = Map.copyOf(roles);
        requireBare(requireSecure(issuer));
        requireBare(requireSecure(console));
        if (!console.getRawPath().matches("/|(/[A-Za-z0-9._~%-]+)+/")) {
            throw new IllegalArgumentException(
                    console + " must end with a slash, as the address of the console does");
        }
        if (clientId.isBlank() || rolesClaim.isBlank() || "".equals(clientSecret)) {
            throw new IllegalArgumentException(
                    "the identifier and the secret of a client and the name of a claim must not be"
                            + " empty");
        }
    }

    private static void requireBare(URI address) {
        if (address.getRawQuery() != null
                || address.getRawFragment() != null
                || address.getRawUserInfo() != null) {
            throw new IllegalArgumentException(address + " must have no '?', '#' or '@'");
        }
    }

    /** Fails with an {@link IllegalArgumentException} unless others cannot read on the way. */
    static URI requireSecure(URI address) {
        boolean isPlain =
                "http".equals(address.getScheme()) && LOOPBACK.contains(address.getHost());
        if (address.getHost() == null || !("https".equals(address.getScheme()) || isPlain)) {
            throw new IllegalArgumentException(
                    address + " must begin with https:// (http:// on loopback only)");
        }
        return address;
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "client " + clientId + " of " + issuer;
    }
}
