package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.ManualClock;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TimerWheelTest {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ManualClock clock = new ManualClock(0);
    private final TimerWheel wheel = EventLoops.wheelOn(channel.eventLoop(), clock);

    private class Probe extends TimerWheel.Entry {
        final List<Long> expirations = new ArrayList<>();

        @Override
        public void expire() {
            expirations.add(clock.millis());
        }
    }

    @BeforeEach
    void freeze() {
        channel.freezeTime();
    }

    private void pass(long ms) {
        for (long i = 0; i < ms; i++) {
            clock.advance(1);
            channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    @Test
    void timersExpireOnceNeverEarlyAndHardlyLate() {
        Random random = new Random(1);
        List<Probe> probes = new ArrayList<>();
        List<Long> deadlines = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Probe probe = new Probe();
            long delayMs = random.nextInt(i % 10 == 0 ? 30_000 : 1_000);
            wheel.arm(probe, delayMs);
            probes.add(probe);
            deadlines.add(clock.millis() + delayMs);
            pass(random.nextInt(10));
        }
        pass(40_000);
        for (int i = 0; i < probes.size(); i++) {
            assertEquals(1, probes.get(i).expirations.size());
            long lateMs = probes.get(i).expirations.get(0) - deadlines.get(i);
            assertTrue(lateMs >= 0 && lateMs <= 3L * TimerWheel.TICK_MS, "late by " + lateMs);
        }
    }

    @Test
    void aDisarmedTimerDoesNotExpire() {
        Probe probe = new Probe();
        wheel.arm(probe, 100);
        wheel.disarm(probe);
        wheel.disarm(probe);
        pass(1_000);
        assertEquals(List.of(), probe.expirations);
    }

    @Test
    void armingAnewReplacesTheDelay() {
        Probe probe = new Probe();
        wheel.arm(probe, 100);
        pass(50);
        wheel.arm(probe, 1_000);
        pass(500);
        assertEquals(List.of(), probe.expirations);
        pass(600);
        assertEquals(1, probe.expirations.size());
    }

    @Test
    void anExpiringTimerMayChangeOthers() {
        Probe victim = new Probe();
        Probe heir = new Probe();
        TimerWheel.Entry killer =
                new TimerWheel.Entry() {
                    @Override
                    public void expire() {
                        wheel.disarm(victim);
                        wheel.arm(heir, 0);
                    }
                };
        wheel.arm(killer, 50);
        wheel.arm(victim, 50);
        pass(200);
        assertEquals(List.of(), victim.expirations);
        assertEquals(1, heir.expirations.size());
    }

    @Test
    void aTimerMayArmItselfForEver() {
        Probe periodic =
                new Probe() {
                    @Override
                    public void expire() {
                        super.expire();
                        wheel.arm(this, 100);
                    }
                };
        wheel.arm(periodic, 100);
        pass(10_000);
        assertTrue(periodic.expirations.size() > 70, "only " + periodic.expirations.size());
    }

    @Test
    void afterAPauseOfTheProcessEverythingDueExpires() {
        List<Probe> probes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Probe probe = new Probe();
            wheel.arm(probe, i * 300L);
            probes.add(probe);
        }
        clock.advance(60_000);
        channel.advanceTimeBy(60_000, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        probes.forEach(probe -> assertEquals(1, probe.expirations.size()));
    }
}
