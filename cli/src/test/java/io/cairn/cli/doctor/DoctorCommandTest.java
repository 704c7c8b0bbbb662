package io.cairn.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DoctorCommandTest {
    /** Such as the name of a process of another user that has the port. */
    @Test
    void whatOthersNamedSpeaksToNoTerminal() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Finding finding =
                new Finding("ports", Finding.Level.FAIL, "taken by 'a\u001b[2J'", "stop\u009b31m");
        DoctorCommand.print(List.of(finding), new PrintStream(out, true, UTF_8));
        assertEquals(
                """
                FAIL  ports       taken by 'a\\x1b[2J'
                                  -> stop\\x9b31m
                0 ok, 0 to improve, 1 failed
                """,
                out.toString(UTF_8));
    }
}
