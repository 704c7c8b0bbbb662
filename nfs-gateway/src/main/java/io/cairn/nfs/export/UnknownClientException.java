package io.cairn.nfs.export;

/** A host is named that no name service knows now; it may know it later. */
public final class UnknownClientException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    /** With a sentence that names the host. */
    public UnknownClientException(String message, Throwable cause) {
        super(message, cause);
    }
}
