package io.cairn.admin.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Tokens;
import io.cairn.master.LoneMaster;
import io.cairn.runtime.Clock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The first token of a cluster whose log does not always answer. */
class FirstTokenTest {
    @TempDir Path directory;
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private LoneMaster master;
    private Path file;
    private FirstToken first;

    @BeforeEach
    void open() throws Exception {
        lines.start();
        logger().addAppender(lines);
        master = new LoneMaster();
        file = directory.resolve("admin.token");
        Records records = new Records(master.service);
        first = new FirstToken(records, Clock.system(), new Random(3), file);
    }

    @AfterEach
    void close() {
        logger().detachAppender(lines);
        master.close();
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(FirstToken.class);
    }

    private List<String> told() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private void countsOnce() throws Exception {
        Tokens tokens = new Tokens(new Records(master.service), Clock.system());
        assertEquals(
                List.of(Tokens.hash(Files.readString(file).strip())),
                tokens.all().stream().map(Tokens.Token::sha256).toList());
        assertEquals(
                List.of("the first token of the admin API, of role admin, is in " + file), told());
    }

    @Test
    void itIsToldOnce() throws Exception {
        first.ensure();
        first.ensure();
        countsOnce();
    }

    @Test
    void itIsToldWhenItIsFoundAfterItsAnswerWasLost() throws Exception {
        master.loseAnswers(true);
        assertThrows(Problem.class, first::ensure);
        master.loseAnswers(false);
        assertEquals(List.of(), told());
        first.ensure();
        first.ensure();
        countsOnce();
    }

    @Test
    void theSameIsTriedAgain() throws Exception {
        master.lead(false);
        assertThrows(Problem.class, first::ensure);
        String secret = Files.readString(file);
        master.lead(true);
        first.ensure();
        assertEquals(secret, Files.readString(file));
        countsOnce();
    }

    @Test
    void theOneOfAnotherMasterIsNotTold() {
        master.lead(false);
        assertThrows(Problem.class, first::ensure);
        master.lead(true);
        Records records = new Records(master.service);
        Path other = directory.resolve("other.token");
        new FirstToken(records, Clock.system(), new Random(4), other).ensure();
        first.ensure();
        assertEquals(
                List.of("the first token of the admin API, of role admin, is in " + other), told());
    }
}
