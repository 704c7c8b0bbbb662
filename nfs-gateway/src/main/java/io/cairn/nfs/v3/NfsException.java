package io.cairn.nfs.v3;

/** A procedure fails with a status of NFS itself. Carries no stack trace. */
final class NfsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    NfsException(int status) {
        super("status " + status, null, false, false);
        this.status = status;
    }

    /** One of {@link NfsStatus}. */
    int status() {
        return status;
    }
}
