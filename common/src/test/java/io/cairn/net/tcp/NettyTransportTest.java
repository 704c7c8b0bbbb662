package io.cairn.net.tcp;

import static io.cairn.net.NetworkRig.get;
import static io.cairn.net.NetworkRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.cluster.Endpoint;
import io.cairn.net.Listener;
import io.cairn.net.NetworkRig;
import io.cairn.net.TransportContract;
import org.junit.jupiter.api.Test;

class NettyTransportTest extends TransportContract {
    NettyTransportTest() {
        super(new NetworkRig());
    }

    @Test
    void hostNamesAreLookedUp() {
        Listener listener = rig.server.listen(new Endpoint("localhost", 0), echo);
        assertEquals("localhost", listener.endpoint().host());
        assertEquals("x", text(get(rig.connect(listener).call(text("x"), 5_000))));
    }
}
