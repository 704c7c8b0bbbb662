package io.cairn.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code cairn admin}: what administrators do. */
@Command(
        name = "admin",
        description = "Administer a cluster.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {AdminBundleCommand.class},
        footer = {"  cairn admin bundle --masters 10.0.0.1:9871     what a fault report needs"})
final class AdminCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE, "a command is missing: cairn admin bundle; see --help");
    }
}
