package io.cairn.admin.api;

/** Bearer tokens that somebody else than this cluster has made. Thread-safe. */
public interface ForeignTokens {
    /** Whether a token looks like one of these. Never blocks. */
    boolean mayKnow(String token);

    /**
     * The caller who shows a token. May block for seconds.
     *
     * @param remote where the request came from
     * @throws Problem 401 when it does not count, 403 when it stands for no role, 503 when its
     *     maker cannot be asked
     */
    Call.Caller caller(String token, String remote);
}
