package io.cairn.cli.doctor;

import io.cairn.base.Wording;
import io.cairn.cli.api.ApiException;
import io.cairn.cli.api.ApiOptions;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cluster.Endpoint;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.Loopback;
import io.cairn.node.MasterList;
import io.cairn.node.RunFile;
import io.cairn.node.log.LogLevels;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code cairn admin bundle}: everything that a person needs to look for a fault from elsewhere.
 */
@Command(
        name = "bundle",
        description = {
            "Collect diagnostics of this machine and its cluster in one archive,"
                    + " without secrets: versions, settings, status, metrics, logs, threads"
                    + " of the Cairn processes here, what 'cairn doctor' says, and with --api"
                    + " what the masters say. What cannot be had is listed in manifest.txt."
        },
        footer = {
            "  cairn admin bundle",
            "  cairn admin bundle --api https://10.0.0.1:9870 --ca ca.pem --token-file token",
            "  cairn admin bundle --masters 10.0.0.1:9871 --metrics 10.0.0.1:9870,10.0.0.5:9880 \\",
            "      --log /var/log/cairn.log --output /tmp/fault.tar.gz"
        })
@Calls({
    "GET /cluster",
    "GET /masters",
    "GET /servers",
    "GET /targets",
    "GET /pools",
    "GET /groups",
    "GET /sessions",
    "GET /jobs",
    "GET /load",
    "GET /events",
    "GET /configuration"
})
public final class AdminBundleCommand implements Callable<Integer> {
    @Mixin private ApiOptions api = new ApiOptions();

    @Option(
            names = "--masters",
            paramLabel = "HOST:PORT[,...]",
            description = "The masters of a cluster that 'cairn up' did not start.")
    private @Nullable String masters;

    @Option(
            names = "--metrics",
            split = ",",
            paramLabel = "HOST:PORT[,...]",
            description = "Services to ask for metrics and health (default: what 'cairn up' runs).")
    private List<String> metrics = new ArrayList<>();

    @Option(
            names = "--log",
            split = ",",
            paramLabel = "FILE[,...]",
            description = "More log files to take the ends of.")
    private List<Path> logs = new ArrayList<>();

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "The archive to make (default: cairn-bundle-HOST-TIME.tar.gz here).")
    private @Nullable Path output;

    @Override
    public Integer call() throws Exception {
        LogLevels.showWarningsOnly();
        Instant now = Instant.now();
        Path file = (output == null ? Path.of(standardName(now)) : output).toAbsolutePath();
        // Under its name only when it is complete.
        Path partial = file.resolveSibling("." + file.getFileName() + ".partial");
        try {
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileAlreadyExistsException(file.toString());
            }
            Files.deleteIfExists(partial);
            try (TarGzip archive = new TarGzip(partial, now.getEpochSecond())) {
                collect(archive, file);
            }
            Files.move(partial, file);
        } catch (FileAlreadyExistsException e) {
            throw new CommandException(
                    ExitCode.CANNOT_CREATE, file + " exists; choose another --output", e);
        } catch (FileSystemException e) {
            throw new CommandException(
                    ExitCode.CANNOT_CREATE,
                    file + " cannot be made (" + Wording.of(e) + "); choose another --output",
                    e);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.IO_ERROR, file + " cannot be written: " + Wording.of(e), e);
        } finally {
            Files.deleteIfExists(partial);
        }
        return ExitCode.OK;
    }

    private void collect(TarGzip archive, Path file) throws IOException, InterruptedException {
        RunFile running = RunFile.read(api.directory());
        List<Endpoint> masterList =
                masters != null
                        ? MasterList.parse(masters)
                        : running != null ? MasterList.parse(running.master()) : List.of();
        List<Endpoint> doors = new ArrayList<>(metrics.stream().map(MasterList::endpoint).toList());
        if (running != null) {
            doors.add(MasterList.endpoint(running.admin()));
        }
        Diagnostics diagnostics = new Diagnostics(archive, api.directory(), this::progress);
        if (api.isApiGiven()) {
            for (String route : ApiOptions.routes(api.line().getCommandSpec())) {
                String name = route.substring(route.lastIndexOf('/') + 1);
                diagnostics.add("api/" + name + ".json", () -> document(route));
            }
        }
        diagnostics.collect(masterList, doors, logs);
        System.out.println(
                file
                        + ": "
                        + Wording.count(diagnostics.fileCount(), "file")
                        + ", "
                        + diagnostics.missing().size()
                        + " could not be had (manifest.txt tells)");
    }

    private String document(String route) throws IOException {
        try {
            return api.ask(ApiRequest.of(route)).text();
        } catch (ApiException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private void progress(String name) {
        api.errors().println("cairn: collecting " + name);
        api.errors().flush();
    }

    private static String standardName(Instant now) {
        return "cairn-bundle-"
                + Loopback.machineName().replaceAll("[^A-Za-z0-9.-]", "_")
                + "-"
                + DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'")
                        .withZone(ZoneOffset.UTC)
                        .format(now)
                + ".tar.gz";
    }
}
