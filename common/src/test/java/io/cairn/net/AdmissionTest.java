package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cairn.runtime.Clock;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AdmissionTest {
    private static final int MAX = 64;

    private final Admission admission = new Admission("port", MAX, MAX / 2, Clock.system());

    /** A connection from an address. */
    private static final class From extends EmbeddedChannel {
        private final String address;

        From(String address) {
            this.address = address;
        }

        @Override
        protected SocketAddress remoteAddress0() {
            return new InetSocketAddress(address, 1234);
        }

        @Override
        public SocketAddress remoteAddress() {
            return remoteAddress0();
        }
    }

    private List<From> open(String address, int count, boolean speaks) {
        List<From> opened = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            From channel = new From(address);
            if (admission.admit(channel, speaks)) {
                opened.add(channel);
            } else {
                assertFalse(channel.isOpen(), "what is refused is closed");
            }
        }
        return opened;
    }

    @Test
    void oneAddressGetsItsPartOnly() {
        assertEquals(MAX / 2, open("10.0.0.1", 1000, false).size());
        assertEquals(1, open("10.0.0.2", 1, false).size());
    }

    @Test
    void addressesThatHaveManyLeaveTheLastPlacesToOthers() {
        open("10.0.0.1", 1000, false);
        open("10.0.0.2", 1000, false);
        assertEquals(MAX - MAX / 16, admission.open().size());
        assertEquals(4, open("10.0.0.3", 100, false).size());
        assertEquals(0, open("10.0.0.4", 1, false).size(), "nothing is left");
    }

    /** Whoever comes a thousand times a second does not fill the log. */
    @Test
    void refusalsOfAMinuteAreOneWarning() {
        AtomicLong nowNs = new AtomicLong();
        Clock clock =
                new Clock() {
                    @Override
                    public long nanoTime() {
                        return nowNs.get();
                    }

                    @Override
                    public long wallNs() {
                        return nowNs.get();
                    }
                };
        Admission counting = new Admission("port 9871", MAX, MAX / 2, clock);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Admission.class);
        logger.addAppender(lines);
        try {
            List<From> opened = new ArrayList<>();
            for (int minute = 0; minute < 2; minute++) {
                for (int i = 0; i < 4089; i++) {
                    opened.add(new From("10.0.0.1"));
                    counting.admit(opened.getLast(), false);
                }
                nowNs.addAndGet(TimeUnit.SECONDS.toNanos(61));
            }
        } finally {
            logger.detachAppender(lines);
        }
        String limit = "10.0.0.1 has 32, the limit for one address";
        assertEquals(
                List.of(
                        "WARN port 9871: 1 connection refused; the last because " + limit,
                        "WARN port 9871: 4057 connections refused in the last minutes; the last"
                                + " because "
                                + limit),
                // Doors that other tests have left may still be closing.
                lines.list.stream()
                        .map(each -> each.getLevel() + " " + each.getFormattedMessage())
                        .filter(each -> each.contains(" port 9871: "))
                        .toList());
    }

    @Test
    void whatClosesMakesRoom() {
        List<From> first = open("10.0.0.1", 1000, false);
        first.forEach(channel -> channel.close().syncUninterruptibly());
        assertEquals(0, admission.open().size());
        assertEquals(MAX / 2, open("10.0.0.1", 1000, false).size());
    }

    @Test
    void whoSaysNothingMakesRoomForTheNextOfItsAddress() {
        List<From> silent = open("10.0.0.1", MAX / 2, true);
        From next = new From("10.0.0.1");
        assertTrue(admission.admit(next, true));
        assertFalse(silent.getFirst().isOpen(), "the oldest went");
        assertTrue(next.isOpen());
        assertEquals(MAX / 2, admission.open().size());
    }

    @Test
    void whoHasSpokenStays() {
        List<From> spoken = open("10.0.0.1", MAX / 2, true);
        spoken.forEach(admission::spoke);
        assertEquals(0, open("10.0.0.1", 10, true).size());
        assertTrue(spoken.stream().allMatch(EmbeddedChannel::isOpen));
    }
}
