package io.cairn.cli.admin;

import io.cairn.base.Wording;
import io.cairn.cli.api.ApiOptions;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn nfs exports}: what the NFS gateways of the cluster export. */
@Command(
        name = "exports",
        description = {
            "List what NFS gateways without --export serve; without a list, / to their own"
                    + " machine.",
            "The list is kept in the cluster, and changed over the admin API of any master."
        },
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn nfs exports",
            "  cairn nfs exports add '/data 10.0.0.0/8(rw) *(ro,insecure)'",
            "  cairn nfs exports remove /data",
            "  cairn nfs exports replace exports.txt --plan"
        })
@Calls("GET /exports")
public final class NfsExportsCommand implements Callable<Integer> {
    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return reading.show(
                ApiRequest.of("GET /exports"),
                document ->
                        Boolean.FALSE.equals(document.get("set"))
                                ? List.of("no list: each gateway exports / to its own machine")
                                : reading.table("path line").lines(ApiOptions.items(document)));
    }

    @Command(
            name = "add",
            description = "Add an export, or replace that of the same path.",
            footer = "  cairn nfs exports add '/data 10.0.0.0/8(rw) *(ro,insecure)'")
    @Calls("POST /exports")
    int add(
            @Parameters(
                            paramLabel = "'PATH CLIENTS(OPTION,...) ...'",
                            description = "A line of exports(5); see cairn nfs --help.")
                    String line,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("POST /exports").body(Map.of("line", line))),
                "exported; gateways follow within two seconds");
    }

    @Command(
            name = "remove",
            description = "Remove the export of a path.",
            footer = "  cairn nfs exports remove /data")
    @Calls("DELETE /exports")
    int remove(
            @Parameters(paramLabel = "PATH", description = "As listed.") String path,
            @Mixin Changing changing) {
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("DELETE /exports").query("path", path)),
                path + " is no longer exported");
    }

    @Command(
            name = "replace",
            description = "Replace the whole list.",
            footer = "  cairn nfs exports replace exports.txt --plan")
    @Calls("PUT /exports")
    int replace(
            @Parameters(
                            paramLabel = "FILE",
                            description = "Lines of exports(5); # begins a comment.")
                    Path file,
            @Mixin Changing changing) {
        List<String> lines;
        try {
            lines =
                    Files.readAllLines(file).stream()
                            .map(String::strip)
                            .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                            .toList();
        } catch (NoSuchFileException e) {
            throw new CommandException(ExitCode.NO_INPUT, file + " does not exist", e);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.NO_INPUT, file + " cannot be read: " + Wording.of(e), e);
        }
        return changing.done(
                changing.applyWithConsent(
                        ApiRequest.of("PUT /exports").body(Map.of("lines", lines))),
                Wording.count(lines.size(), "export") + "; gateways follow within two seconds");
    }
}
