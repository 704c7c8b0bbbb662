package io.cairn.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import io.cairn.nfs.export.ExportList;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn nfs exports}: the exports that all gateways of a cluster share. */
@Command(
        name = "exports",
        description = {
            "Show and change the list of exports that is kept in the cluster.",
            "All gateways without --export follow it, within two seconds."
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "  cairn nfs exports list",
            "  cairn nfs exports add '/data 10.0.0.0/8(rw) *(ro,insecure)'",
            "  cairn nfs exports remove /data"
        })
final class NfsExportsCommand implements Callable<Integer> {
    @Option(
            names = "--masters",
            paramLabel = "HOST:PORT[,...]",
            defaultValue = "127.0.0.1:9871",
            scope = picocli.CommandLine.ScopeType.INHERIT,
            description = "The masters (default: ${DEFAULT-VALUE}).")
    private String masters = "";

    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE,
                "a command is missing: cairn nfs exports list, add or remove; see --help");
    }

    @Command(name = "list", description = "Print the exports, a line of exports(5) each.")
    int list(@Option(names = "--json", description = "Print a JSON document.") boolean json)
            throws IOException {
        Optional<List<String>> known = with(list -> Optional.ofNullable(list.lines()));
        List<String> lines = known.orElse(List.of());
        if (json) {
            System.out.println(JSON.std.asString(lines));
            return ExitCode.OK;
        }
        lines.forEach(System.out::println);
        if (known.isEmpty()) {
            System.err.println(
                    "cairn: no list yet: every gateway exports / to its own machine, with all"
                            + " rights");
        }
        return ExitCode.OK;
    }

    @Command(name = "add", description = "Add an export, or replace that of the same path.")
    int add(
            @Parameters(
                            paramLabel = "'PATH CLIENTS(OPTION,...) ...'",
                            description = "A line of exports(5); see cairn nfs --help.")
                    String line) {
        NfsNode.parse(List.of(line));
        return with(
                list -> {
                    list.put(line);
                    return ExitCode.OK;
                });
    }

    @Command(name = "remove", description = "Remove the export of a path.")
    int remove(@Parameters(paramLabel = "PATH", description = "As listed.") String path) {
        NfsNode.parse(List.of(path + " *"));
        if (!with(list -> list.remove(path))) {
            throw new CommandException(ExitCode.NO_INPUT, path + " is not exported");
        }
        return ExitCode.OK;
    }

    private <T> T with(Function<ExportList, T> work) {
        LogLevels.showWarningsOnly();
        try (Closing closing = new Closing()) {
            World world = closing.add(new World());
            String name =
                    MountNode.hostName() + " cairn nfs exports " + ProcessHandle.current().pid();
            Source source = new Source(MasterList.parse(masters), "/");
            return work.apply(new ExportList(closing.add(MountNode.connect(world, source, name))));
        }
    }
}
