package io.cairn.cli;

import io.cairn.base.Spelling;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The fault of a command line, in one line of Cairn's own words. */
final class Refusal {
    /** Words that many commands have, or have others for; those to propose come first. */
    private static final List<List<String>> SYNONYMS =
            List.of(
                    List.of("info", "show", "stat", "describe"),
                    List.of("list", "show", "ls"),
                    List.of("remove", "drop", "purge", "delete", "rm"),
                    List.of("create", "add", "make", "new"));

    private Refusal() {}

    /** Without "cairn:", with where to look. */
    static String of(ParameterException error, List<String> arguments) {
        CommandSpec command = error.getCommandLine().getCommandSpec();
        String reason = reason(error, command, arguments);
        return reason
                + (reason.endsWith("?") ? " See '" : "; see '")
                + command.qualifiedName()
                + " --help'";
    }

    /**
     * Refuses unknown words although help was asked for: a user that spells a command wrongly does
     * not want the help of another.
     *
     * @throws UnmatchedArgumentException when there are some
     */
    static void requireKnown(ParseResult parsed) {
        ParseResult last = parsed;
        List<String> unknown = new ArrayList<>(parsed.unmatched());
        while (last.hasSubcommand()) {
            last = last.subcommand();
            unknown.addAll(last.unmatched());
        }
        if (!unknown.isEmpty()) {
            throw new UnmatchedArgumentException(last.commandSpec().commandLine(), unknown);
        }
    }

    private static String reason(
            ParameterException error, CommandSpec command, List<String> arguments) {
        return switch (error) {
            case UnmatchedArgumentException e -> unknown(command, e.getUnmatched().getFirst());
            case MissingParameterException e -> missing(command, e.getMissing(), arguments);
            case OverwrittenOptionException e -> name(e.getOverwritten()) + " is given twice";
            default -> misfit(error);
        };
    }

    private static String unknown(CommandSpec command, String word) {
        String name = command.qualifiedName();
        if (word.startsWith("-") && word.length() > 1) {
            String option = word.replaceFirst("=.*", "");
            Collection<String> known =
                    command.options().stream()
                            .filter(each -> !each.hidden())
                            .flatMap(each -> Stream.of(each.names()))
                            .filter(each -> each.startsWith("--"))
                            .toList();
            return "'" + name + "' has no option '" + option + "'" + hint(known, option);
        }
        Map<String, CommandLine> commands = command.subcommands();
        if (commands.isEmpty()) {
            return "'" + name + "' has no use for '" + word + "'";
        }
        return "'" + name + "' has no command '" + word + "'" + hintOfCommand(command, word);
    }

    /** A remedy for a command that is not there, or nothing. */
    static String hintOfCommand(CommandSpec command, String word) {
        String here = MooseFsWords.find(word);
        if (here != null) {
            return ": use " + here + " ('cairn help moosefs')";
        }
        Collection<String> known =
                command.subcommands().entrySet().stream()
                        .filter(each -> !isHidden(each.getValue()))
                        .map(Map.Entry::getKey)
                        .toList();
        String synonym = synonym(known, word);
        if (synonym != null) {
            return ": did you mean '" + command.qualifiedName() + " " + synonym + "'?";
        }
        if (SYNONYMS.stream().anyMatch(each -> each.contains(word))) {
            return ""; // What it is about is not known.
        }
        String elsewhere = elsewhere(Cairn.commands().getCommandSpec(), word);
        if (elsewhere != null) {
            return ": did you mean '" + elsewhere + "'?";
        }
        return hint(known, word);
    }

    /** A command of the same place that another word is for; null for none. */
    private static @Nullable String synonym(Collection<String> known, String word) {
        return SYNONYMS.stream()
                .filter(each -> each.contains(word))
                .flatMap(List::stream)
                .filter(known::contains)
                .findFirst()
                .orElse(null);
    }

    /** A command of exactly this name somewhere else, the nearest to the root; null for none. */
    private static @Nullable String elsewhere(CommandSpec root, String word) {
        Deque<CommandSpec> left = new ArrayDeque<>(List.of(root));
        while (!left.isEmpty()) {
            CommandSpec at = left.removeFirst();
            CommandLine found = at.subcommands().get(word);
            if (found != null && !isHidden(found)) {
                return found.getCommandSpec().qualifiedName();
            }
            at.subcommands().values().forEach(each -> left.addLast(each.getCommandSpec()));
        }
        return null;
    }

    private static boolean isHidden(CommandLine command) {
        return command.getCommandSpec().usageMessage().hidden();
    }

    private static String hint(Collection<String> known, String word) {
        String nearest = Spelling.nearest(known, word);
        return nearest == null ? "" : ": did you mean '" + nearest + "'?";
    }

    private static String missing(
            CommandSpec command, List<ArgSpec> missing, List<String> arguments) {
        if (missing.size() == 1
                && missing.getFirst() instanceof OptionSpec option
                && Stream.of(option.names()).anyMatch(arguments::contains)) {
            return option.longestName() + " needs a value: " + label(option);
        }
        return "'"
                + command.qualifiedName()
                + "' needs "
                + missing.stream().map(Refusal::form).collect(Collectors.joining(" and "));
    }

    private static String form(ArgSpec argument) {
        return argument instanceof OptionSpec option
                ? option.longestName() + " " + label(option)
                : label(argument);
    }

    private static String label(ArgSpec argument) {
        return argument.paramLabel();
    }

    private static String name(@Nullable ArgSpec argument) {
        return argument == null
                ? "an option"
                : argument instanceof OptionSpec option ? option.longestName() : label(argument);
    }

    /** A value that is not of the kind that is wanted. */
    private static String misfit(ParameterException error) {
        ArgSpec argument = error.getArgSpec();
        String value = error.getValue();
        if (argument == null) {
            return "the command line cannot be understood";
        }
        if (value == null) {
            return argument.arity().max() == 0
                    ? name(argument) + " takes no value"
                    : name(argument) + " cannot be given so; its form is " + form(argument);
        }
        Class<?> type = argument.type();
        Class<?>[] inner = argument.auxiliaryTypes();
        Class<?> wanted = inner != null && inner.length > 0 ? inner[0] : type;
        String kind =
                wanted == boolean.class || wanted == Boolean.class
                        ? " takes no value, not '" + value + "'"
                        : " '" + value + "' " + mismatch(wanted, argument);
        return name(argument) + kind;
    }

    private static String mismatch(Class<?> wanted, ArgSpec argument) {
        if (wanted.isEnum()) {
            return "is none of "
                    + Stream.of(wanted.getEnumConstants())
                            .map(each -> String.valueOf(each).toLowerCase(java.util.Locale.ROOT))
                            .collect(Collectors.joining(", "));
        }
        if (wanted.isPrimitive() || Number.class.isAssignableFrom(wanted)) {
            return "is not a number, or too large";
        }
        return "is not " + label(argument);
    }
}
