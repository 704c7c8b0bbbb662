package io.cairn.cli.fs;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code cairn fs}: about files and directories, on a mount or over the admin API. */
@Command(
        name = "fs",
        description = {
            "Show and change files and directories, and how they are stored.",
            "info and set work through a mount, or over the admin API of any master; get needs a"
                    + " mount. The others ask the admin API; paths are those on a mount, or in the"
                    + " cluster."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            FsInfoCommand.class,
            FsGetCommand.class,
            FsSetCommand.class,
            FsFilesCommands.Entries.class,
            FsUsageCommands.Usage.class,
            FsUsageCommands.Top.class,
            FsTreeCommands.Count.class,
            FsTreeCommands.Remove.class,
            FsTreeCommands.Chown.class,
            FsTreeCommands.Chmod.class
        },
        footer = {
            "  cairn fs info /mnt/cairn/file               # where it is, and how each copy is",
            "  cairn fs get /mnt/cairn/projects            # what the directory asks for",
            "  cairn fs set --replicas 3 /mnt/cairn/projects -r",
            "  cairn fs usage /projects                    # files and space of a tree",
            "  cairn fs top /projects                      # what is largest in it",
            "  cairn fs remove /projects/old --plan        # a job of the masters",
            "",
            "MooseFS: goal is replicas (get, set), fileinfo and checkfile are info, dirinfo is"
                    + " usage, trashtime is set --trash; more: cairn help moosefs."
        })
public final class FsCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE, "a command is missing: cairn fs info, get, set ...; see --help");
    }
}
