package io.cairn.nfs.rpc;

/** Arguments that cannot be decoded; the answer is GARBAGE_ARGS. Carries no stack trace. */
public final class XdrException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** An error whose message says what is wrong with which value. */
    public XdrException(String message) {
        super(message, null, false, false);
    }
}
