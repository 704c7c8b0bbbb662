package io.cairn.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.RecordingTracer;
import io.cairn.trace.Span;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class MeasuredProgramTest {
    @Test
    void callsAndErrorsAreCountedByName() {
        try (ModelGateway gateway = new ModelGateway();
                NfsClient client = gateway.client()) {
            NfsClient.Handle root = client.mount("/");
            for (int i = 0; i < 3; i++) {
                client.getattr(root);
            }
            assertThrows(NfsError.class, () -> client.lookup(root, "missing"));
            assertThrows(NfsError.class, () -> client.mount("/missing"));
            SimpleMeterRegistry metrics = gateway.metrics();
            assertEquals(3, calls(metrics, "getattr"));
            assertEquals(1, calls(metrics, "lookup"));
            assertEquals(2, calls(metrics, "mount"));
            assertEquals(
                    1,
                    metrics.get("cairn.nfs.errors")
                            .tags("operation", "lookup", "status", "2")
                            .counter()
                            .count());
            assertEquals(
                    1, metrics.get("cairn.nfs.errors").tag("operation", "mount").counter().count());
        }
    }

    @Test
    void aCallIsAnOperationOfItsOwn() {
        RecordingTracer tracer = new RecordingTracer();
        try (ModelGateway gateway = new ModelGateway(tracer);
                NfsClient client = gateway.client()) {
            client.getattr(client.mount("/"));
        }
        RecordingTracer.Recorded call = tracer.span("nfs/getattr", Span.Kind.SERVER);
        assertNull(call.parent());
        assertTrue(call.hasEnded());
        assertEquals("onc_rpc", call.notes().get("rpc.system.name"));
    }

    private static long calls(SimpleMeterRegistry metrics, String operation) {
        return metrics.get("cairn.nfs.operation").tag("operation", operation).timer().count();
    }

    @Test
    void busiestClientsAreTold() throws Exception {
        Map<InetAddress, Integer> connections = new HashMap<>();
        for (int i = 1; i < 200; i++) {
            connections.put(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) i}), i);
        }
        SimpleMeterRegistry metrics = new SimpleMeterRegistry();
        try (io.cairn.runtime.ThreadScheduler scheduler =
                        new io.cairn.runtime.ThreadScheduler("test", 1);
                ClientGauges gauges = new ClientGauges(metrics, scheduler, () -> connections)) {
            assertEquals(64, metrics.find("cairn.nfs.client.connections").gauges().size());
            assertEquals(
                    199,
                    metrics.get("cairn.nfs.client.connections")
                            .tag("client", "10.0.0.199")
                            .gauge()
                            .value());
            connections.clear();
            gauges.update();
            assertEquals(0, metrics.find("cairn.nfs.client.connections").gauges().size());
        }
    }
}
