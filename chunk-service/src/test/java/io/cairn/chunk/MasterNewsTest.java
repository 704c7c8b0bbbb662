package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class MasterNewsTest {
    private final List<String> revoked = new ArrayList<>();
    private final List<Errno> failures = new ArrayList<>();

    /** A connection that this server made; nobody is called over it. */
    private record Made(Principal principal) implements Connection {
        @Override
        public Endpoint remote() {
            return new Endpoint(principal.address(), 9871);
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

    private void tell(Role role) {
        MasterNews news = new MasterNews(_ -> {}, push -> revoked.addAll(push.serials()));
        Push push = new Push.Revoked(List.of(role.text()));
        Answer answer =
                new Answer() {
                    @Override
                    public void send(Message reply) {
                        reply.release();
                    }

                    @Override
                    public void fail(FsException error) {
                        failures.add(error.errno());
                    }
                };
        Principal sender = new Principal(role, "x", "10.0.0.1");
        news.handle(new Made(sender), Message.of(MasterRequest.push(push, 1)), answer);
    }

    @Test
    void onlyMastersTellNews() {
        tell(Role.MASTER);
        tell(Role.ANONYMOUS);
        assertEquals(List.of("master", "anonymous"), revoked);
        assertEquals(List.of(), failures);
        tell(Role.CHUNK);
        tell(Role.MOUNT);
        assertEquals(List.of("master", "anonymous"), revoked);
        assertEquals(List.of(Errno.EACCES, Errno.EACCES), failures);
    }
}
