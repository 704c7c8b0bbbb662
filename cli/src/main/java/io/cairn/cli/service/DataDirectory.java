package io.cairn.cli.service;

import io.cairn.cli.option.OwnDirectory;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.RunFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --data} of the commands about an all-in-one cluster. */
final class DataDirectory {
    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where everything is kept (default: ~/.cairn).")
    private @Nullable Path data;

    /** The directory, absolute. */
    Path path() {
        return OwnDirectory.unless(data);
    }

    /** The running process of the directory; fails with UNAVAILABLE when there is none. */
    RunFile running() {
        RunFile file = RunFile.read(path());
        if (file == null) {
            throw new CommandException(
                    ExitCode.UNAVAILABLE,
                    "nothing runs on "
                            + path()
                            + "; start it with 'cairn up --data "
                            + path()
                            + "'");
        }
        return file;
    }
}
