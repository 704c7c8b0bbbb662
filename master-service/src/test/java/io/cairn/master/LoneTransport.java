package io.cairn.master;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.Principal;
import io.cairn.net.Transport;
import io.cairn.wire.ProtocolRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A transport with one listener, whose handler the test calls itself. */
final class LoneTransport implements Transport {
    private @Nullable Handler handler;

    /** The caller's side of a connection: remembers what was pushed to it. */
    static final class Peer implements Connection {
        final List<Message> pushed = new ArrayList<>();
        private final Principal principal;
        boolean open = true;

        Peer() {
            this("peer");
        }

        /** From an address. */
        Peer(String host) {
            this(Principal.anonymous(host));
        }

        /** With a certificate. */
        Peer(Principal principal) {
            this.principal = principal;
        }

        @Override
        public Endpoint remote() {
            return new Endpoint(principal.address(), 1);
        }

        @Override
        public Principal principal() {
            return principal;
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public int version() {
            return ProtocolRange.OURS.newest();
        }

        @Override
        public String release() {
            return "peer";
        }

        @Override
        public CompletableFuture<Message> call(Message request, long timeoutMs) {
            return CompletableFuture.failedFuture(new FsException(Errno.DISCONNECTED));
        }

        @Override
        public void send(Message oneWay) {
            pushed.add(oneWay.encoded(version()));
        }

        @Override
        public void close() {
            open = false;
        }
    }

    /**
     * Sends a request as {@code from} and returns the header of the answer; failures are thrown.
     */
    byte[] ask(Peer from, byte[] frame) {
        Handler target = handler;
        if (target == null) {
            throw new IllegalStateException("nobody listens");
        }
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        target.handle(
                from,
                Message.of(frame),
                new Answer() {
                    @Override
                    public void send(Message message) {
                        reply.complete(message.encoded(from.version()).header());
                    }

                    @Override
                    public void fail(FsException error) {
                        reply.completeExceptionally(error);
                    }
                });
        try {
            return reply.getNow(new byte[0]);
        } catch (java.util.concurrent.CompletionException e) {
            if (e.getCause() instanceof FsException failure) {
                throw failure;
            }
            throw e;
        }
    }

    /** The connection of a peer ends. */
    void disconnect(Peer peer) {
        Handler target = handler;
        if (target == null) {
            throw new IllegalStateException("nobody listens");
        }
        target.closed(peer);
    }

    @Override
    public CompletableFuture<Connection> connect(Endpoint to, Handler inbound, long timeoutMs) {
        return CompletableFuture.failedFuture(new FsException(Errno.DISCONNECTED));
    }

    @Override
    public Listener listen(Endpoint at, Handler inbound) {
        handler = inbound;
        return new Listener() {
            @Override
            public Endpoint endpoint() {
                return at;
            }

            @Override
            public void close() {
                handler = null;
            }
        };
    }

    @Override
    public void close() {}
}
