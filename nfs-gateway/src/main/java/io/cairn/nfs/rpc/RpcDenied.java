package io.cairn.nfs.rpc;

/** A call refused for its credential: MSG_DENIED with AUTH_ERROR (RFC 5531, 9). */
public final class RpcDenied extends RuntimeException {
    /** The credential is malformed. */
    public static final int AUTH_BADCRED = 1;

    /** The client has to begin a new session: here, a flavor that is not served. */
    public static final int AUTH_REJECTEDCRED = 2;

    /** The verifier is malformed. */
    public static final int AUTH_BADVERF = 3;

    /** The flavor is refused for reasons of security. */
    public static final int AUTH_TOOWEAK = 5;

    private static final long serialVersionUID = 1L;

    private final int status;

    /** A refusal with an {@code auth_stat}. */
    public RpcDenied(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    /** The {@code auth_stat}. */
    int status() {
        return status;
    }
}
