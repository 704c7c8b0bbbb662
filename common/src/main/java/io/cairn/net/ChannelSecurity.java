package io.cairn.net;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;

/**
 * Secures the connections of a transport, and tells who the other sides are. Thread-safe; nothing
 * here blocks. Engines may have native memory: each goes into a pipeline, which gives it back, or
 * is released.
 */
public interface ChannelSecurity {
    /** The TLS of a connection that this process makes. */
    SSLEngine client();

    /** The TLS of a connection that another process makes. */
    SSLEngine server();

    /**
     * Whether there are plain connections, too, while a cluster changes to TLS: whoever makes one
     * is taken, and who answers TLS with plain text is called in plain text. Whoever cannot be
     * reached, is silent or refuses the handshake is not.
     */
    default boolean admitsPlain() {
        return false;
    }

    /**
     * The other side of a connection whose handshake is done. To be asked again when certificates
     * are revoked.
     *
     * @param address the address it speaks from
     * @throws io.cairn.base.FsException EACCES when it may not speak: its certificate was revoked
     *     or has expired since
     */
    Principal principal(SSLSession session, String address);

    /**
     * A handshake failed: counts it, and logs it once per address and minute.
     *
     * @param address the other side
     * @return the reason for people
     */
    String refused(String address, Throwable cause);
}
