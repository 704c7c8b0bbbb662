package io.cairn.node.identity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.wire.ProtocolRange;
import io.cairn.wire.master.ClusterRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who is asked for a certificate, and how often. */
final class CertificateCallTest {
    private static final Endpoint GONE = new Endpoint("gone", 1);
    private static final Endpoint HERE = new Endpoint("here", 2);
    private static final byte[] CHAIN = {1, 2, 3};
    private static final ClusterRequest REQUEST =
            new ClusterRequest.RenewCertificate(new byte[] {4});

    private final Masters masters = new Masters();

    /** Masters, of which one is still there. */
    private static final class Masters implements Transport {
        private final List<Endpoint> asked = new ArrayList<>();

        @Override
        public CompletableFuture<Connection> connect(Endpoint to, Handler handler, long timeoutMs) {
            asked.add(to);
            return to.equals(HERE)
                    ? CompletableFuture.completedFuture(new Leader())
                    : CompletableFuture.failedFuture(new FsException(Errno.DISCONNECTED));
        }

        @Override
        public Listener listen(Endpoint at, Handler handler) {
            throw new AssertionError("it only asks");
        }

        @Override
        public void close() {
            throw new AssertionError("the caller decides");
        }
    }

    /** Signs whatever comes. */
    private static final class Leader implements Connection {
        @Override
        public Endpoint remote() {
            return HERE;
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
        public CompletableFuture<Message> call(Message request, long timeoutMs) {
            return CompletableFuture.completedFuture(Message.of(CHAIN));
        }

        @Override
        public void send(Message oneWay) {
            throw new AssertionError("a request has an answer");
        }

        @Override
        public void close() {}
    }

    @Test
    void mastersThatCameLaterAreAsked() {
        List<Endpoint> known = new ArrayList<>(List.of(GONE));
        CertificateCall call =
                new CertificateCall(masters, () -> List.copyOf(known), Clock.system());
        known.set(0, HERE);
        assertArrayEquals(CHAIN, call.ask(REQUEST));
        assertEquals(List.of(HERE), masters.asked);
    }

    @Test
    void mastersThatComeMeanwhileAreAsked() {
        CertificateCall call =
                new CertificateCall(
                        masters,
                        () -> List.of(masters.asked.size() < 2 ? GONE : HERE),
                        Clock.system());
        assertArrayEquals(CHAIN, call.ask(REQUEST));
        assertEquals(List.of(GONE, GONE, HERE), masters.asked);
    }

    private CertificateCall introducing(Errno first) {
        AtomicInteger introduced = new AtomicInteger();
        return new CertificateCall(
                masters,
                () -> List.of(HERE),
                Clock.system(),
                (_, _) ->
                        introduced.getAndIncrement() == 0
                                ? CompletableFuture.failedFuture(new FsException(first))
                                : CompletableFuture.allOf());
    }

    @Test
    void aLoginThatHasToBeginAgainDoes() {
        assertArrayEquals(CHAIN, introducing(Errno.EAGAIN).ask(REQUEST));
        assertEquals(List.of(HERE, HERE), masters.asked);
    }

    @Test
    void aRefusedLoginEndsIt() {
        CertificateCall call = introducing(Errno.EACCES);
        var refusal = assertThrows(FsException.class, () -> call.ask(REQUEST));
        assertEquals(Errno.EACCES, refusal.errno());
        assertEquals(List.of(HERE), masters.asked);
    }
}
