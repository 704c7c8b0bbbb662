package io.cairn.cli;

import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The manual page of a command, made of the texts of its help, in the language of man(7). Pages are
 * called as those of git: {@code cairn-fs-info(1)} for {@code cairn fs info}.
 */
final class ManPage {
    private final CommandSpec command;
    private final StringBuilder out = new StringBuilder();

    private ManPage(CommandSpec command) {
        this.command = command;
    }

    /** The name of the page of a command. */
    static String nameOf(CommandLine line) {
        return line.getCommandSpec().qualifiedName("-");
    }

    /** The page of a command. */
    static String of(CommandLine line) {
        return new ManPage(line.getCommandSpec()).text(line);
    }

    private String text(CommandLine line) {
        String name = nameOf(line);
        List<String> about = List.of(command.usageMessage().description());
        request(".TH " + quoted(name.toUpperCase(java.util.Locale.ROOT)) + " 1 \"\" Cairn");
        request(".SH NAME");
        text(name + " - " + (about.isEmpty() ? "part of Cairn" : firstSentence(about.getFirst())));
        request(".SH SYNOPSIS");
        request(".nf");
        text(plain(line.getHelp().synopsis(0)).strip().replaceFirst("^Usage: ", ""));
        request(".fi");
        request(".SH DESCRIPTION");
        about.forEach(each -> text(plain(String.format(each))));
        parameters();
        options(line);
        commands(line);
        String[] footer = command.usageMessage().footer();
        if (footer.length > 0) {
            request(".SH EXAMPLES");
            request(".nf");
            for (String each : footer) {
                text(plain(String.format(each)));
            }
            request(".fi");
        }
        request(".SH SEE ALSO");
        request(".BR cairn (1)");
        return out.toString();
    }

    private static String firstSentence(String text) {
        String plain = plain(String.format(text));
        int end = plain.indexOf('.');
        return end < 0 ? plain : plain.substring(0, end);
    }

    private void parameters() {
        for (PositionalParamSpec each : command.positionalParameters()) {
            if (each.equals(command.positionalParameters().getFirst())) {
                request(".SH ARGUMENTS");
            }
            entry(each.paramLabel(), each.description());
        }
    }

    private void options(CommandLine line) {
        for (OptionSection section : OptionSection.values()) {
            List<OptionSpec> options =
                    line.getCommandSpec().options().stream()
                            .filter(each -> !each.hidden() && OptionSection.of(each) == section)
                            .toList();
            if (!options.isEmpty()) {
                request(".SH " + section.title().toUpperCase(java.util.Locale.ROOT));
                options.forEach(this::option);
            }
        }
    }

    private void option(OptionSpec option) {
        String label = option.arity().max() > 0 ? " " + option.paramLabel() : "";
        entry(String.join(", ", option.names()) + label, option.description());
    }

    private void commands(CommandLine line) {
        List<CommandLine> commands =
                line.getSubcommands().values().stream()
                        .distinct()
                        .filter(each -> !each.getCommandSpec().usageMessage().hidden())
                        .toList();
        if (commands.isEmpty()) {
            return;
        }
        request(".SH COMMANDS");
        for (CommandLine each : commands) {
            entry(nameOf(each) + "(1)", each.getCommandSpec().usageMessage().description());
        }
    }

    private void entry(String label, String[] description) {
        request(".TP");
        request(".B " + quoted(escaped(label)));
        text(
                List.of(description).stream()
                        .map(each -> plain(each.replace("%n", " ").replace("%%", "%")))
                        .collect(Collectors.joining(" ")));
    }

    private void request(String line) {
        out.append(line).append('\n');
    }

    private void text(String text) {
        for (String each : text.split("\n", -1)) {
            String escaped = escaped(each);
            boolean isRequest = escaped.startsWith(".") || escaped.startsWith("'");
            out.append(isRequest ? "\\&" : "").append(escaped).append('\n');
        }
    }

    private static String plain(String text) {
        return Help.Ansi.OFF.string(text);
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-");
    }

    private static String quoted(String text) {
        return '"' + text.replace("\"", "\\(dq") + '"';
    }
}
