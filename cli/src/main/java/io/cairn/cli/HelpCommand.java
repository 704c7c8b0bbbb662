package io.cairn.cli;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cairn help}: the help of a command, or the words of another filesystem. */
@Command(
        name = "help",
        description = {
            "Show the help of a command.",
            "'cairn help moosefs' lists the words of MooseFS (goal, trashtime, fileinfo, checkfile,"
                    + " dirinfo, mfscli ...) and what to use here."
        },
        footer = {"  cairn help admin servers", "  cairn help moosefs"})
final class HelpCommand implements Callable<Integer> {
    private static final String MOOSEFS = "moosefs";

    @Spec private CommandSpec command = CommandSpec.create();

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "Or 'moosefs'.")
    private List<String> words = new ArrayList<>();

    @Override
    public Integer call() {
        CommandLine at = command.commandLine().getParent();
        if (words.equals(List.of(MOOSEFS))) {
            MooseFsWords.lines().forEach(at.getOut()::println);
            at.getOut().flush();
            return ExitCode.OK;
        }
        for (String word : words) {
            CommandLine next = at.getSubcommands().get(word);
            if (next == null) {
                CommandSpec known = at.getCommandSpec();
                throw new CommandException(
                        ExitCode.USAGE,
                        "'"
                                + known.qualifiedName()
                                + "' has no command '"
                                + word
                                + "'"
                                + Refusal.hintOfCommand(known, word));
            }
            at = next;
        }
        at.usage(at.getOut());
        at.getOut().flush();
        return ExitCode.OK;
    }
}
