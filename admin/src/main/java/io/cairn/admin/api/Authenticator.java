package io.cairn.admin.api;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cairn.http.WebRequest;
import io.cairn.runtime.Clock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows callers by their tokens. Wrong tokens are counted by address: beyond {@value #MAX_FAILURES}
 * a minute the answer is 429. A right token is served even then, so that no caller can lock out
 * others at the same address. Guessing is hopeless at any speed, as secrets have 256 random bits.
 * Thread-safe.
 */
public final class Authenticator {
    /** Wrong tokens from one address within a minute. */
    public static final int MAX_FAILURES = 10;

    private static final Logger LOG = LoggerFactory.getLogger(Authenticator.class);
    private static final int MAX_ADDRESSES = 1024;
    private static final long WINDOW_MS = 60_000;

    private final Tokens tokens;
    private final Clock clock;
    private final @Nullable ForeignTokens foreign;
    private final Cache<String, Failures> failures =
            Caffeine.newBuilder().maximumSize(MAX_ADDRESSES).executor(Runnable::run).build();

    private record Failures(long sinceMs, int count) {
        Failures and(Failures next) {
            return next.sinceMs - sinceMs >= WINDOW_MS ? next : new Failures(sinceMs, count + 1);
        }
    }

    /**
     * Nobody has failed yet.
     *
     * @param foreign knows callers by tokens of others; null when nobody else makes any
     */
    public Authenticator(Tokens tokens, Clock clock, @Nullable ForeignTokens foreign) {
        this.tokens = tokens;
        this.clock = clock;
        this.foreign = foreign;
    }

    /**
     * The caller.
     *
     * @throws Problem 401 without a valid token, 429 after too many wrong ones; with a token of
     *     others as {@link ForeignTokens#caller} does
     */
    Call.Caller caller(WebRequest request) {
        String header = request.header("authorization");
        if (header == null) {
            throw Problem.unauthorized(
                    "A token is needed: send 'Authorization: Bearer TOKEN'. The first one stands in"
                            + " the file admin.token in a master's data directory.");
        }
        String secret =
                header.regionMatches(true, 0, "Bearer ", 0, 7) ? header.substring(7).strip() : "";
        Tokens.Token token = tokens.find(secret);
        if (token == null && foreign != null && foreign.mayKnow(secret)) {
            return foreign(foreign, secret, request.remote());
        }
        if (token != null && !tokens.isExpired(token)) {
            return new Call.Caller(token.name(), token.role(), request.remote());
        }
        throw refuse(request.remote(), token);
    }

    private Call.Caller foreign(ForeignTokens makers, String secret, String address) {
        try {
            return makers.caller(secret, address);
        } catch (Problem e) {
            throw e.problem().status() == 401
                    ? refuse(address, "a token of others that does not count", e)
                    : e;
        }
    }

    private Problem refuse(String address, Tokens.@Nullable Token expired) {
        return expired == null
                ? refuse(
                        address,
                        "a token that is not known",
                        Problem.unauthorized(
                                "This token is not known here; ask an administrator for one."))
                : refuse(
                        address,
                        "token " + expired.name() + ", which has expired",
                        Problem.unauthorized(
                                "Token '%s' expired at %s; ask an administrator for a new one."
                                        .formatted(expired.name(), expired.expiresAt())));
    }

    /** Counts a wrong token; the problem itself, or 429 when there were too many. */
    private Problem refuse(String address, String what, Problem why) {
        long now = clock.millis();
        Failures seen = failures.asMap().merge(address, new Failures(now, 1), Failures::and);
        if (seen.count <= MAX_FAILURES) {
            LOG.warn("{} sent {} to the admin API", address, what);
        }
        if (seen.count > MAX_FAILURES) {
            long leftS = (WINDOW_MS - (now - seen.sinceMs)) / 1000 + 1;
            return Problem.tooMany(
                    "Too many wrong tokens from " + address + "; wait a minute.", (int) leftS);
        }
        return why;
    }
}
