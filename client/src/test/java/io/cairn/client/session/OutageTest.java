package io.cairn.client.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.testkit.ManualClock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class OutageTest {
    private static final Endpoint ONE = new Endpoint("10.0.0.1", 9871);
    private static final Endpoint TWO = new Endpoint("10.0.0.2", 9871);
    private final FsException refused = new FsException(Errno.DISCONNECTED, "connection refused");

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final ManualClock clock = new ManualClock(0);
    private final Outage outage = new Outage(List.of(ONE, TWO), clock);

    @BeforeEach
    void listen() {
        lines.start();
        logger().addAppender(lines);
    }

    @AfterEach
    void listenNoMore() {
        logger().detachAppender(lines);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(Outage.class);
    }

    private List<String> told() {
        List<String> told =
                lines.list.stream()
                        .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
                        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                        .toList();
        lines.list.clear();
        return told;
    }

    @Test
    void anOutageOfAMinuteIsTwoLines() {
        for (int second = 0; second < 65; second++) {
            outage.failed(second % 2 == 0 ? ONE : TWO, refused, 1000);
            clock.advance(1000);
        }
        outage.ended(TWO);
        assertEquals(
                List.of(
                        "WARN waiting for masters [10.0.0.1:9871, 10.0.0.2:9871]: master"
                                + " 10.0.0.2:9871 does not answer: connection refused",
                        "WARN master 10.0.0.2:9871 answers, after 65000 ms without"),
                told());
    }

    @Test
    void withoutAnOutageNothingIsTold() {
        outage.ended(ONE);
        assertEquals(List.of(), told());
    }

    @Test
    void whatIsOverWithinHalfASecondIsNotTold() {
        for (int i = 0; i < 5; i++) {
            outage.failed(ONE, refused, 10);
            clock.advance(99);
        }
        outage.ended(ONE);
        assertEquals(List.of(), told());
        outage.failed(ONE, refused, 10);
        clock.advance(499);
        outage.failed(ONE, refused, 10);
        assertEquals(List.of(), told(), "the time of the first outage counts no more");
    }

    @Test
    void anAttemptThatRanOutOfTimeIsToldAtOnce() {
        outage.failed(ONE, new FsException(Errno.ETIMEDOUT, "no answer within 5000 ms"), 10);
        outage.ended(ONE);
        assertEquals(
                List.of(
                        "WARN waiting for masters [10.0.0.1:9871, 10.0.0.2:9871]: master"
                                + " 10.0.0.1:9871 does not answer: no answer within 5000 ms",
                        "WARN master 10.0.0.1:9871 answers, after 0 ms without"),
                told());
    }

    @Test
    void aRefusalIsToldAtOnceAndOnce() {
        outage.failed(ONE, refused, 10);
        told();
        FsException refusal = new FsException(Errno.WRONG_CLUSTER, "it speaks version 3");
        for (int i = 0; i < 5; i++) {
            outage.failed(ONE, refusal, 10);
        }
        assertEquals(
                List.of(
                        "ERROR master 10.0.0.1:9871 and this client do not go together: it speaks"
                                + " version 3"),
                told());
    }

    @Test
    void tellsWhatIsWrongWithAMasterThatDoesNotLead() {
        assertEquals("knows no leader", notLeader(""));
        assertEquals("is not ready to lead yet", notLeader(ONE.toString()));
        assertEquals("does not lead, but " + TWO, notLeader(TWO.toString()));
    }

    private static String notLeader(String message) {
        return Outage.reason(ONE, new FsException(Errno.NOT_LEADER, message));
    }
}
