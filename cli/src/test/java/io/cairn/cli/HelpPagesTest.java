package io.cairn.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class HelpPagesTest {
    @Test
    void pagesAreAsWideAsTheTerminal() {
        assertTrue(widest("60") <= 60, widest("60") + " columns of 60");
        assertTrue(widest("120") > 80, widest("120") + " columns of 120");
        assertTrue(widest("120") <= 120, widest("120") + " columns of 120");
    }

    @Test
    void aWidthThatNobodyCanReadIsNotTaken() {
        assertTrue(widest("5") <= 55, widest("5") + " columns of 5");
        assertTrue(widest("9999") <= 160, widest("9999") + " columns of 9999");
    }

    /** It would start a process for every command, which complains where it finds no terminal. */
    @Test
    void noCommandLooksForATerminalBeforeThereIsAPageToShow() {
        requireNoAutoWidth(Cairn.commands());
    }

    private static void requireNoAutoWidth(CommandLine command) {
        assertFalse(
                command.getCommandSpec().usageMessage().autoWidth(),
                command.getCommandSpec().qualifiedName());
        command.getSubcommands().values().forEach(HelpPagesTest::requireNoAutoWidth);
    }

    private static int widest(String columns) {
        CommandLine mount = Objects.requireNonNull(Cairn.commands().getSubcommands().get("mount"));
        mount.setHelpFactory(new HelpPages(Map.of("COLUMNS", columns)));
        StringWriter page = new StringWriter();
        mount.usage(new PrintWriter(page, true), CommandLine.Help.Ansi.OFF);
        // Examples and the like are printed as they are.
        return page.toString()
                .lines()
                .filter(line -> line.startsWith("      "))
                .mapToInt(String::length)
                .max()
                .orElseThrow();
    }
}
