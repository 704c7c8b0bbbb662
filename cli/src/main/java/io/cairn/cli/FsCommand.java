package io.cairn.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "a command is missing: info, get or set");
    }
}
