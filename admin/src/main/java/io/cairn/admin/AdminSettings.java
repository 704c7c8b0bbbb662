package io.cairn.admin;

import io.cairn.admin.oidc.OidcSettings;
import io.cairn.seal.MasterKey;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the admin API.
 *
 * @param version of the product
 * @param tokenFile where the secret of a cluster's first token goes
 * @param hostNames names, in small letters, that a request may be meant for besides addresses and
 *     {@code localhost}: others are refused, so that no web page can reach the API by a name of its
 *     own
 * @param logLevels gets the levels that all loggers with a level of their own shall have, when they
 *     changed: {@code trace, debug, info, warn, error, off}
 * @param masterKey wraps the keys of encrypted storage classes; null on a master without one
 * @param oidc the OpenID provider whose users may sign in; null for none
 */
public record AdminSettings(
        String version,
        Path tokenFile,
        Set<String> hostNames,
        Consumer<Map<String, String>> logLevels,
        @Nullable MasterKey masterKey,
        @Nullable OidcSettings oidc) {
    /** Those of a master without a master key and without an OpenID provider. */
    public AdminSettings(
            String version,
            Path tokenFile,
            Set<String> hostNames,
            Consumer<Map<String, String>> logLevels) {
        this(version, tokenFile, hostNames, logLevels, null, null);
    }

    /** The same on a master that has this one, if it has one. */
    public AdminSettings with(@Nullable MasterKey key) {
        return new AdminSettings(version, tokenFile, hostNames, logLevels, key, oidc);
    }

    /** The same with the users of this provider, if there is one. */
    public AdminSettings withUsersOf(@Nullable OidcSettings provider) {
        return new AdminSettings(version, tokenFile, hostNames, logLevels, masterKey, provider);
    }
}
