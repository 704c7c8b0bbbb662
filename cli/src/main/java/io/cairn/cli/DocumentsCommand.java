package io.cairn.cli;

import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code cairn documents}: writes what packages ship beside the program. */
@Command(
        name = "documents",
        hidden = true,
        description = "Write the manual pages (man1/) and the completion for bash (cairn.bash).")
final class DocumentsCommand implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(names = "--output", required = true, paramLabel = "DIR", description = "Where to.")
    private Path output = Path.of("");

    @Override
    public Integer call() throws IOException {
        CommandLine root = spec.root().commandLine();
        Path pages = output.resolve("man1");
        Files.createDirectories(pages);
        write(root, pages);
        Files.writeString(output.resolve("cairn.bash"), AutoComplete.bash("cairn", root));
        return ExitCode.OK;
    }

    private static void write(CommandLine line, Path pages) throws IOException {
        if (line.getCommandSpec().usageMessage().hidden()) {
            return;
        }
        Files.writeString(pages.resolve(ManPage.nameOf(line) + ".1"), ManPage.of(line));
        for (CommandLine each : line.getSubcommands().values()) {
            write(each, pages);
        }
    }
}
