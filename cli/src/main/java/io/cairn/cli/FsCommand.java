package io.cairn.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code cairn fs}: about files and directories on a mount. */
@Command(
        name = "fs",
        description = "Show and change how files and directories on a mount are stored.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {FsInfoCommand.class, FsGetCommand.class, FsSetCommand.class},
        footer = {
            "  cairn fs info /mnt/cairn/file               where it is, and how each copy is",
            "  cairn fs get /mnt/cairn/projects            what the directory asks for",
            "  cairn fs set --replicas 3 /mnt/cairn/projects -r"
        })
final class FsCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE, "a command is missing: cairn fs info, get or set; see --help");
    }
}
