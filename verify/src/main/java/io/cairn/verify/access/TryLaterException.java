package io.cairn.verify.access;

import java.io.IOException;
import java.io.Serial;

/** A gateway that waits for the cluster asks its client to come again (NFS3ERR_JUKEBOX). */
public final class TryLaterException extends IOException {
    @Serial private static final long serialVersionUID = 1;

    TryLaterException() {
        super("the gateway says: later");
    }
}
