package io.cairn.net;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static io.cairn.net.NetworkRig.get;
import static io.cairn.net.NetworkRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.cairn.base.Errno;
import io.cairn.net.tcp.NettyConnection;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class InProcessTransportTest extends TransportContract {
    InProcessTransportTest() {
        super(NetworkRig.inProcess());
    }

    @Test
    void payloadsAreNotCopied() {
        ConcurrentLinkedQueue<Long> addresses = new ConcurrentLinkedQueue<>();
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            ByteBuf payload = request.payload();
                            addresses.add(payload == null ? 0 : payload.memoryAddress());
                            answer.send(request);
                        });
        ByteBuf payload = rig.pattern(1000, 3);
        long address = payload.memoryAddress();
        Message reply = get(rig.connect(listener).call(new Message(new byte[0], payload), 5_000));
        assertEquals(address, addresses.poll());
        reply.release();
    }

    @Test
    void aReceiverMovesItsOwnIndicesOnly() {
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            ByteBuf payload = request.payload();
                            if (payload != null) {
                                payload.skipBytes(payload.readableBytes());
                            }
                            request.release();
                            answer.send(Message.empty());
                        });
        ByteBuf payload = rig.pattern(1000, 3);
        Connection connection = rig.connect(listener);
        for (int i = 0; i < 3; i++) {
            get(connection.call(new Message(new byte[0], payload.retain()), 5_000));
            assertEquals(1000, payload.readableBytes());
        }
        payload.release();
    }

    @Test
    void othersComeThroughTheNetwork() throws InterruptedException {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        NetworkRig other = new NetworkRig();
        Connection connection = other.connect(listener);
        assertInstanceOf(NettyConnection.class, connection);
        assertEquals("x", text(get(connection.call(text("x"), 5_000))));
        Listener elsewhere = other.server.listen(LOOPBACK, echo);
        Connection away = rig.connect(elsewhere);
        assertInstanceOf(NettyConnection.class, away);
        assertEquals("y", text(get(away.call(text("y"), 5_000))));
        other.close();
    }

    @Test
    void aServiceThatHasClosedIsNotReached() {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        listener.close();
        assertSame(
                Errno.DISCONNECTED,
                NetworkRig.failureOf(
                                rig.client.connect(listener.endpoint(), new EchoHandler(), 2_000))
                        .errno());
    }
}
