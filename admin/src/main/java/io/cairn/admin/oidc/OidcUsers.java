package io.cairn.admin.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import io.cairn.admin.api.Call;
import io.cairn.admin.api.ForeignTokens;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Role;
import io.cairn.runtime.Clock;
import java.util.List;
import java.util.Objects;

/** Knows callers of the API by ID tokens of the OpenID provider. Thread-safe; may block. */
public final class OidcUsers implements ForeignTokens, AutoCloseable {
    private static final int MAX_NAME = 64;

    private final OidcSettings settings;
    private final OidcProvider provider;

    /** Asks the provider when the first token comes. */
    public OidcUsers(OidcSettings settings, Clock clock) {
        this.settings = settings;
        this.provider = new OidcProvider(settings, clock);
    }

    OidcProvider provider() {
        return provider;
    }

    OidcSettings settings() {
        return settings;
    }

    /** Three parts with dots between; tokens of the cluster have no dots. */
    @Override
    public boolean mayKnow(String token) {
        return token.chars().filter(each -> each == '.').count() == 2;
    }

    @Override
    public Call.Caller caller(String token, String remote) {
        return caller(provider.verified(token), remote);
    }

    /** The user of verified claims; fails with 403 when it has no role here. */
    Call.Caller caller(JWTClaimsSet claims, String remote) {
        String name = nameOf(claims);
        List<String> groups = OidcProvider.texts(claims.getClaim(settings.rolesClaim()));
        Role best =
                groups.stream()
                        .map(settings.roles()::get)
                        .filter(Objects::nonNull)
                        .reduce((one, other) -> one.includes(other) ? one : other)
                        .orElseThrow(
                                () ->
                                        Problem.forbidden(
                                                ("You are signed in as '%s', but have no role in"
                                                     + " this cluster: no value of your claim '%s'"
                                                     + " stands for one. Ask an administrator.")
                                                        .formatted(name, settings.rolesClaim())));
        return new Call.Caller("oidc:" + name, best, remote);
    }

    /**
     * The subject, which the provider never gives to somebody else, stands first and as a whole.
     * The name behind it is for people: users may choose it themselves.
     */
    private static String nameOf(JWTClaimsSet claims) {
        String subject = printed(String.valueOf(claims.getSubject()));
        Object known = claims.getClaim("preferred_username");
        Object told = known == null ? claims.getClaim("email") : known;
        if (told == null) {
            return subject;
        }
        String name = String.valueOf(told);
        String some = name.length() > MAX_NAME ? name.substring(0, MAX_NAME) : name;
        return subject + " (" + printed(some) + ")";
    }

    /** Without what would change how a line of a log looks. */
    private static String printed(String text) {
        return text.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
    }

    @Override
    public void close() {
        provider.close();
    }
}
