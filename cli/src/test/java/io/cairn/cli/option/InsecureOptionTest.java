package io.cairn.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cairn.cluster.Endpoint;
import io.cairn.node.CommandException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

final class InsecureOptionTest {
    private static final Endpoint LOOPBACK = new Endpoint("127.0.0.1", 9871);
    private static final Endpoint OPEN = new Endpoint("0.0.0.0", 9872);

    private final OwnLines lines = new OwnLines();
    private final Logger logger = (Logger) LoggerFactory.getLogger(InsecureOption.class);

    /** Keeps lines of the thread that made it: services of other tests may log, too. */
    private static final class OwnLines extends ListAppender<ILoggingEvent> {
        private final Thread own = Thread.currentThread();

        @Override
        protected void append(ILoggingEvent line) {
            if (Thread.currentThread().equals(own)) {
                super.append(line);
            }
        }
    }

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(lines);
    }

    private static InsecureOption option(String... words) {
        return CommandLine.populateCommand(new InsecureOption(), words);
    }

    @Test
    void withoutItPortsAreOnLoopback() {
        option().requireFor("join", LOOPBACK);
        CommandException e =
                assertThrows(
                        CommandException.class, () -> option().requireFor("join", LOOPBACK, OPEN));
        String said = String.valueOf(e.getMessage());
        assertTrue(said.contains("will not listen on 0.0.0.0:9872 without TLS"), said);
        assertTrue(said.contains("; join;") && said.contains(InsecureOption.NAME), said);
        assertEquals(List.of(), lines.list);
    }

    /** Whoever starts it hears once that anybody may come, and where more about it stands. */
    @Test
    void withItOneWarningNamesTheOpenPorts() {
        InsecureOption insecure = option(InsecureOption.NAME);
        insecure.requireFor("join", LOOPBACK);
        assertEquals(List.of(), lines.list);
        insecure.requireFor("join", LOOPBACK, OPEN, OPEN, new Endpoint("::", 9873));
        assertEquals(1, lines.list.size(), lines.list::toString);
        String said = lines.list.getFirst().toString();
        String text = lines.list.getFirst().getFormattedMessage();
        assertTrue(said.contains("[WARN]"), said);
        assertTrue(text.startsWith("Listening on 0.0.0.0:9872 and "), text);
        assertTrue(text.contains("without authentication"), text);
        assertTrue(text.contains("docs/operating.md"), text);
        assertEquals(List.of(InsecureOption.NAME), insecure.arguments());
    }
}
