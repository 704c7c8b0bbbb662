package io.cairn.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cairn.node.log.NotReadyFilter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Ratis says of a master that starts or ends is no error; all else is told. */
final class NotReadyFilterTest {
    private static final String RATIS = "org.apache.ratis.server.RaftServer$Division";

    private final LoggerContext context = new LoggerContext();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void begin() {
        context.addTurboFilter(new NotReadyFilter());
        log.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(log);
        context.getLogger("org.apache.ratis").setLevel(Level.ERROR);
    }

    private List<String> lines() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void aServerThatIsNotReadyIsNoError() {
        Logger ratis = context.getLogger(RATIS);
        IOException ended = new ServerNotReadyException("m2 is not in [RUNNING]: CLOSING");
        ratis.error("{}: Failed appendEntries* {}", "m2", "m3->m2", ended);
        ratis.error("Failed appendEntries*", ended);
        ratis.error("{} failed", "m2", new CompletionException(ended));
        assertEquals(List.of(), lines());
    }

    @Test
    void otherErrorsAreTold() {
        Logger ratis = context.getLogger(RATIS);
        ratis.error("{}: Failed appendEntries* {}", "m2", "m3->m2", new IOException("disk"));
        ratis.error("{} has no {}", "m2", "leader");
        ratis.error("alone");
        context.getLogger("io.cairn.master").error("ours", new ServerNotReadyException("m2"));
        assertEquals(
                List.of("m2: Failed appendEntries* m3->m2", "m2 has no leader", "alone", "ours"),
                lines());
    }

    @Test
    void whoAsksForDetailsGetsThem() {
        Logger ratis = context.getLogger(RATIS);
        ratis.setLevel(Level.DEBUG);
        ratis.error("all", new ServerNotReadyException("m2"));
        assertEquals(List.of("all"), lines());
    }
}
