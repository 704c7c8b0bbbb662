package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.net.Refusals.Reason;
import io.cairn.runtime.Clock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class RefusalsTest {
    @Test
    void everyRefusalIsCounted() {
        SimpleMeterRegistry metrics = new SimpleMeterRegistry();
        Refusals refusals = new Refusals("master", Clock.system());
        refusals.measure(metrics);
        for (int i = 0; i < 3000; i++) {
            refusals.add(Reason.ROLE, "10.0.0." + i, "a mount may not send heartbeats");
        }
        refusals.add(Reason.PLAIN, "10.0.0.1", "it speaks no TLS");
        assertEquals(3000, refusals.count(Reason.ROLE));
        assertEquals(
                3000,
                metrics.get("cairn.net.refused")
                        .tag("door", "master")
                        .tag("reason", "role")
                        .functionCounter()
                        .count());
        assertEquals(1, refusals.count(Reason.PLAIN));
        assertEquals(0, refusals.count(Reason.CERTIFICATE));
    }
}
