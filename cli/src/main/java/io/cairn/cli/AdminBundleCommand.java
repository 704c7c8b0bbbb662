package io.cairn.cli;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.Wording;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
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

/** {@code cairn admin bundle}: what somebody needs who looks for a fault from elsewhere. */
@Command(
        name = "bundle",
        description = {
            "Collect diagnostics of this machine and its cluster in one archive,"
                    + " without secrets: versions, settings, status, metrics, logs, threads"
                    + " of the Cairn processes here, and what 'cairn doctor' says. What"
                    + " cannot be had is listed in manifest.txt."
        },
        footer = {
            "  cairn admin bundle",
            "  cairn admin bundle --masters 10.0.0.1:9871 --metrics 10.0.0.1:9870,10.0.0.5:9880 \\",
            "      --log /var/log/cairn.log --output /tmp/fault.tar.gz"
        })
final class AdminBundleCommand implements Callable<Integer> {
    @Mixin private DataDirectory data = new DataDirectory();

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
        Path file = output == null ? Path.of(standardName(now)) : output;
        RunFile running = RunFile.read(data.path());
        List<Endpoint> masterList =
                masters != null
                        ? MasterList.parse(masters)
                        : running != null ? MasterList.parse(running.master()) : List.of();
        List<Endpoint> doors = new ArrayList<>(metrics.stream().map(MasterList::endpoint).toList());
        if (running != null) {
            doors.add(MasterList.endpoint(running.admin()));
        }
        try (TarGzip archive = new TarGzip(file, now.getEpochSecond())) {
            Diagnostics diagnostics = new Diagnostics(archive, data.path());
            diagnostics.collect(masterList, doors, logs);
            System.out.println(
                    file
                            + ": "
                            + Wording.count(diagnostics.fileCount(), "file")
                            + ", "
                            + diagnostics.missing().size()
                            + " could not be had (manifest.txt tells)");
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
        }
        return ExitCode.OK;
    }

    private static String standardName(Instant now) {
        return "cairn-bundle-"
                + MountNode.hostName().replaceAll("[^A-Za-z0-9.-]", "_")
                + "-"
                + DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'")
                        .withZone(ZoneOffset.UTC)
                        .format(now)
                + ".tar.gz";
    }
}
