package io.cairn.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import io.cairn.system.CommandResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    @Test
    void everyCommandHasExamplesOfItsOwnThatCanBePasted() throws Exception {
        int[] examples = new int[1];
        CommandLine commands = Cairn.commands();
        everyShown(
                commands,
                command -> {
                    String name = command.getCommandSpec().qualifiedName();
                    String footer =
                            String.join("\n", command.getCommandSpec().usageMessage().footer())
                                    .replace("\\\n", "");
                    List<String> lines =
                            footer.lines().filter(line -> line.startsWith("  ")).toList();
                    assertFalse(lines.isEmpty(), name + " has no example");
                    for (String line : lines) {
                        if (line.startsWith("  cairn ")) {
                            parse(commands, line);
                            examples[0]++;
                        }
                    }
                    boolean isLeaf = command.getSubcommands().isEmpty();
                    assertTrue(
                            !isLeaf
                                    || lines.stream()
                                            .anyMatch(
                                                    line ->
                                                            line.contains(name + " ")
                                                                    || line.endsWith(name)),
                            name + ": " + lines);
                });
        assertTrue(examples[0] > 60, examples[0] + " examples");
    }

    /** As a shell would, and as the command would. */
    private static void parse(CommandLine commands, String line) {
        List<String> words = new ArrayList<>();
        Matcher word =
                Pattern.compile("'([^']*)'|(\\S+)").matcher(line.replaceFirst(" #.*| [|>].*", ""));
        while (word.find()) {
            words.add(word.group(1) != null ? word.group(1) : word.group(2));
        }
        assertEquals("cairn", words.removeFirst(), line);
        CommandLine.ParseResult parsed = commands.parseArgs(words.toArray(String[]::new));
        assertFalse(parsed.isUsageHelpRequested(), line);
        boolean isService = words.getFirst().equals("master") || words.getFirst().equals("chunk");
        if (isService && line.matches(".*--listen (?!127\\.).*")) {
            // Else the service would not start there.
            assertTrue(line.matches(".*( --tls| --join TOKEN| --insecure-plain).*"), line);
        }
    }

    private static void everyShown(CommandLine command, Consumer<CommandLine> action) {
        if (command.getCommandSpec().usageMessage().hidden()) {
            return;
        }
        action.accept(command);
        command.getSubcommands().values().forEach(each -> everyShown(each, action));
    }

    @Test
    void commonOptionsComeOnceAndLast() {
        everyShown(
                Cairn.commands(),
                command -> {
                    command.setHelpFactory(new HelpPages(Map.of("COLUMNS", "80")));
                    String page = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
                    int common = page.indexOf("\nCommon options:\n");
                    assertTrue(common > page.indexOf("\nExamples:\n"), page);
                    assertTrue(page.indexOf("--log-level=") > common, page);
                    assertEquals(page.indexOf("--config="), page.lastIndexOf("--config="), page);
                    assertFalse(page.contains("standard)"), page);
                });
    }

    @Test
    void wrongWordsAreToldInOurs() {
        assertRefused(
                "'cairn up' has no option '--chunk-server': did you mean '--chunk-servers'?",
                "up",
                "--chunk-server",
                "3");
        assertRefused(
                "'cairn up' has no option '--moutn': did you mean '--mount'?", "up", "--moutn=/x");
        assertRefused(
                "--chunk-servers 'many' is not a number, or too large",
                "up",
                "--chunk-servers",
                "many");
        assertRefused("--chunk-servers needs a value: N", "up", "--chunk-servers");
        assertRefused("--data is given twice", "up", "--data", "a", "--data", "b");
        assertRefused("'cairn mount' needs MOUNTPOINT", "mount", "h:1");
        assertRefused(
                "'cairn chunk' needs --id NAME and --data DIR[,DIR...]",
                "chunk",
                "--listen",
                "h:1",
                "--masters",
                "h:1");
        assertRefused(
                "'cairn admin' has no command 'status': did you mean 'cairn status'?",
                "admin",
                "status",
                "--help");
        assertRefused(
                "'cairn fs' has no command 'show': did you mean 'cairn fs info'?",
                "fs",
                "show",
                "/x");
        assertRefused(
                "'cairn snapshot' has no command 'remove': did you mean 'cairn snapshot drop'?",
                "snapshot",
                "remove",
                "/x");
        assertRefused("'cairn admin' has no command 'show'; see '", "admin", "show");
        assertRefused("'cairn fs' has no command 'quota': use cairn quota set", "fs", "quota");
        assertRefused("'cairn down' has no use for 'now'", "down", "now");
        assertRefused("--detach takes no value, not 'x'", "up", "--detach=x");
    }

    private static void assertRefused(String says, String... words) {
        CommandResult result = CommandResult.of(List.of(words));
        assertEquals(ExitCode.USAGE, result.code(), result.errors());
        assertTrue(result.errors().startsWith("cairn: " + says), says + "\n" + result.errors());
        String remedy = result.errors().contains("?") ? "? See 'cairn " : "; see 'cairn ";
        assertTrue(result.errors().contains(remedy), result.errors());
        assertEquals(1, result.errors().lines().count(), result.errors());
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
