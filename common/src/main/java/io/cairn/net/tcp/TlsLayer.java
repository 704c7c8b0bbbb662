package io.cairn.net.tcp;

import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.net.ChannelSecurity;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The TLS of one connection. Used on its loop only. */
final class TlsLayer {
    private final ChannelSecurity security;
    private final SslHandler handler;
    private final String address;
    private @Nullable Principal principal;
    private boolean refused;

    /**
     * Not begun.
     *
     * @param accepted whether the other side connected
     * @param address that of the other side
     */
    TlsLayer(ChannelSecurity security, boolean accepted, String address) {
        this.security = security;
        this.handler = new SslHandler(accepted ? security.server() : security.client());
        this.address = address;
    }

    /** What stands in the pipeline. */
    SslHandler handler() {
        return handler;
    }

    /** The other side; nobody with any right before the handshake is done. */
    Principal principal() {
        Principal known = principal;
        return known == null ? new Principal(Role.NEWCOMER, "", address) : known;
    }

    /** Looks who the other side is; the reason why it may not speak, or null. */
    @Nullable IOException examine() {
        try {
            principal = security.principal(handler.engine().getSession(), address);
            return null;
        } catch (FsException e) {
            return failure(e);
        }
    }

    /** What to call a failure of TLS; it is told to the security once. */
    IOException failure(Throwable cause) {
        if (refused) {
            return new IOException(Wording.of(cause), cause);
        }
        refused = true;
        return new IOException(security.refused(address, cause), cause);
    }
}
