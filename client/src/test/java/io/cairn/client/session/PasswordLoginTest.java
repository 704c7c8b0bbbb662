package io.cairn.client.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.identity.scram.Password;
import io.cairn.identity.scram.ScramServer;
import io.cairn.identity.scram.ScramVerifier;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.Decoder;
import io.cairn.wire.ProtocolRange;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The client's side of a login, against a master that does as the test says. */
final class PasswordLoginTest {
    private static final String PASSWORD = "correct horse";
    private static final ScramVerifier VERIFIER =
            ScramVerifier.of(
                    Password.of(PASSWORD),
                    new byte[ScramVerifier.SALT_BYTES],
                    ScramVerifier.LEAST_ITERATIONS);

    private final ClientRuntime runtime =
            new ClientRuntime(Clock.system(), new Unused(), new Random(3), Runnable::run);

    /** Nobody needs time here. */
    private static final class Unused implements Scheduler {
        @Override
        public void execute(Runnable task) {
            throw new AssertionError("not here");
        }

        @Override
        public Timer schedule(Runnable task, long delayMs) {
            throw new AssertionError("not here");
        }
    }

    /** A master at the other end. */
    private static class Master implements Connection {
        final List<String> heard = new ArrayList<>();
        private final Principal principal;
        private @Nullable ScramServer exchange;

        Master(Principal principal) {
            this.principal = principal;
        }

        String challenge(ScramServer begun) {
            return begun.challenge();
        }

        String signature(ScramServer begun, String last) {
            String signature = begun.finish(last);
            if (signature == null) {
                throw new FsException(Errno.EACCES, "password refused");
            }
            return signature;
        }

        private String answer(Query query) {
            return switch (query) {
                case Query.BeginLogin m -> {
                    heard.add(m.message());
                    ScramServer begun = ScramServer.begin(m.message(), _ -> VERIFIER, "nonce");
                    exchange = begun;
                    yield challenge(begun);
                }
                case Query.FinishLogin m -> {
                    heard.add(m.message());
                    ScramServer begun = exchange;
                    if (begun == null) {
                        throw new FsException(Errno.EAGAIN, "not begun");
                    }
                    yield signature(begun, m.message());
                }
                case Query.OfState _, Query.OfLeader _ -> throw new AssertionError(query);
            };
        }

        @Override
        public CompletableFuture<Message> call(Message request, long timeoutMs) {
            Decoder in = request.encoded(version()).decoder();
            in.u8();
            in.i64();
            try {
                Reply reply = new Reply.TextReply(answer(Query.decode(in)));
                return CompletableFuture.completedFuture(
                        Message.of(reply::toBytes).encoded(version()));
            } catch (FsException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public Endpoint remote() {
            return new Endpoint(principal.address(), 9871);
        }

        @Override
        public Principal principal() {
            return principal;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public int version() {
            return ProtocolRange.OURS.newest();
        }

        @Override
        public String release() {
            return "master";
        }

        @Override
        public void send(Message oneWay) {
            throw new AssertionError("a login has answers");
        }

        @Override
        public void close() {
            throw new AssertionError("the caller decides");
        }
    }

    private void logIn(Master master, String password) throws Exception {
        new PasswordLogin("alice", Password.of(password))
                .over(master, 1000, runtime.threads(), runtime.random())
                .get(20, TimeUnit.SECONDS);
    }

    private FsException refused(Master master, String password) {
        var e = assertThrows(ExecutionException.class, () -> logIn(master, password));
        return assertInstanceOf(FsException.class, e.getCause());
    }

    private static Master here() {
        return new Master(Principal.anonymous("127.0.0.1"));
    }

    @Test
    void thePasswordItselfIsNotSent() throws Exception {
        Master master = here();
        logIn(master, PASSWORD);
        assertEquals(2, master.heard.size());
        assertFalse(String.join(" ", master.heard).contains(PASSWORD));
        assertEquals(Errno.EACCES, refused(here(), "another horse").errno());
    }

    @Test
    void nothingIsSaidWhereOthersListen() throws Exception {
        Master plain = new Master(Principal.anonymous("10.0.0.7"));
        FsException e = refused(plain, PASSWORD);
        assertEquals(Errno.EACCES, e.errno());
        assertTrue(String.valueOf(e.getMessage()).contains("TLS"), e::toString);
        assertTrue(plain.heard.isEmpty());
        logIn(new Master(new Principal(Role.MASTER, "m1", "10.0.0.7")), PASSWORD);
        logIn(new Master(Principal.anonymous("::1")), PASSWORD);
        logIn(new Master(Principal.anonymous("localhost")), PASSWORD);
    }

    @Test
    void aMasterThatDoesNotKnowThePasswordIsNotBelieved() {
        Master liar =
                new Master(Principal.anonymous("127.0.0.1")) {
                    @Override
                    String signature(ScramServer begun, String last) {
                        return "v=AAAA";
                    }
                };
        FsException e = refused(liar, PASSWORD);
        assertEquals(Errno.EACCES, e.errno());
        assertTrue(String.valueOf(e.getMessage()).contains("no master"), e::toString);
    }

    @Test
    void aMasterThatWouldGuessGetsNoProof() {
        Master guesser =
                new Master(Principal.anonymous("127.0.0.1")) {
                    @Override
                    String challenge(ScramServer begun) {
                        return begun.challenge().replaceFirst("i=[0-9]+", "i=1");
                    }
                };
        assertEquals(Errno.EPROTO, refused(guesser, PASSWORD).errno());
        assertEquals(1, guesser.heard.size());
    }
}
