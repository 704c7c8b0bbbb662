package io.cairn.chunk;

import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.net.Principal;
import java.util.concurrent.CompletableFuture;

/** A connection of a caller with a certificate; nobody is called over it. Equal to itself only. */
final class FakePeer implements Connection {
    private final Principal principal;

    FakePeer(Principal principal) {
        this.principal = principal;
    }

    @Override
    public Principal principal() {
        return principal;
    }

    @Override
    public Endpoint remote() {
        return new Endpoint(principal.address(), 40_000);
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public int version() {
        return 1;
    }

    @Override
    public String release() {
        return "";
    }

    @Override
    public CompletableFuture<Message> call(Message request, long timeoutMs) {
        throw new AssertionError("nobody is called");
    }

    @Override
    public void send(Message oneWay) {
        throw new AssertionError("nobody is told anything");
    }

    @Override
    public void close() {}
}
