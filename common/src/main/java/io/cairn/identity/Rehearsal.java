package io.cairn.identity;

import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handshake between two engines of one process. The first one in a JVM takes ten times as long as
 * those that follow.
 */
final class Rehearsal {
    private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);
    private static final int MAX_STEPS = 100;

    private final SSLEngine client;
    private final SSLEngine server;
    private final ByteBuffer toServer;
    private final ByteBuffer toClient;
    private final ByteBuffer plain;

    Rehearsal(SSLEngine client, SSLEngine server) {
        this.client = client;
        this.server = server;
        int bytes = 2 * client.getSession().getPacketBufferSize();
        toServer = ByteBuffer.allocate(bytes);
        toClient = ByteBuffer.allocate(bytes);
        plain = ByteBuffer.allocate(bytes);
    }

    /** Whether both came to an end; a failure is no harm. To be called once. */
    boolean run() {
        try {
            return handshake();
        } catch (SSLException e) {
            // For instance because the certificate of a mount is that of no server.
            LOG.debug("the rehearsal of TLS ended early", e);
            return false;
        } finally {
            ReferenceCountUtil.release(client);
            ReferenceCountUtil.release(server);
        }
    }

    private boolean handshake() throws SSLException {
        client.beginHandshake();
        server.beginHandshake();
        for (int i = 0; i < MAX_STEPS; i++) {
            step(client, toServer, toClient);
            step(server, toClient, toServer);
            if (isDone(client) && isDone(server)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isDone(SSLEngine engine) {
        return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
    }

    private void step(SSLEngine engine, ByteBuffer out, ByteBuffer in) throws SSLException {
        for (Runnable task = engine.getDelegatedTask();
                task != null;
                task = engine.getDelegatedTask()) {
            task.run();
        }
        HandshakeStatus status = engine.getHandshakeStatus();
        if (status == HandshakeStatus.NEED_WRAP) {
            var _ = engine.wrap(ByteBuffer.allocate(0), out);
        } else if (in.position() > 0 || status == HandshakeStatus.NEED_UNWRAP) {
            // BoringSSL wants to be asked once more after a task, also without bytes.
            in.flip();
            var _ = engine.unwrap(in, plain.clear());
            in.compact();
        }
    }
}
