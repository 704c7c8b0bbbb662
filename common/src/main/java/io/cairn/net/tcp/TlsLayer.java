package io.cairn.net.tcp;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.net.Callee;
import io.cairn.net.ChannelSecurity;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** The TLS of one connection. Used on its loop only. */
final class TlsLayer {
    private final ChannelSecurity security;
    private final SslHandler handler;
    private final String address;
    private final @Nullable Callee callee;
    private @Nullable Principal principal;
    private boolean refused;

    private TlsLayer(
            ChannelSecurity security, SSLEngine engine, String address, @Nullable Callee callee) {
        this.security = security;
        this.handler = new SslHandler(engine);
        this.address = address;
        this.callee = callee;
    }

    /**
     * Of a connection that the other side makes.
     *
     * @param address that of the other side
     */
    static TlsLayer accepted(ChannelSecurity security, String address) {
        return new TlsLayer(security, security.server(), address, null);
    }

    /**
     * Of a connection that this side makes.
     *
     * @param address that of the other side
     * @param callee who it must be; null when anybody will do that listens
     */
    static TlsLayer connecting(ChannelSecurity security, String address, @Nullable Callee callee) {
        return new TlsLayer(security, security.client(), address, callee);
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
            Principal known = security.principal(handler.engine().getSession(), address);
            if (callee != null && !callee.is(known)) {
                throw new FsException(
                        Errno.EACCES, "%s answers, and not %s".formatted(known, callee.who()));
            }
            principal = known;
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
