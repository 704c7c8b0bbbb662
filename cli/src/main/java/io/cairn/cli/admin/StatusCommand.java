package io.cairn.cli.admin;

import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Reading;
import io.cairn.cli.doctor.MasterProbe;
import io.cairn.cli.option.IdentityOptions;
import io.cairn.cluster.Endpoint;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterList;
import io.cairn.node.ProcessContext;
import io.cairn.node.RunFile;
import io.cairn.node.log.LogLevels;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/** {@code cairn status}: how a cluster is. */
@Command(
        name = "status",
        description = {
            "Show how a cluster is and what to do about it: health, space, masters, chunk servers,"
                    + " mounts.",
            "Asked are the masters, or, with --api, the admin API alone, which needs a token and"
                    + " tells no names of servers and mounts."
        },
        footer = {
            "  cairn status",
            "  cairn status --masters 10.0.0.1:9871,10.0.0.2:9871 --watch",
            "  cairn status --api https://10.0.0.1:9870 --ca ca.pem --token-file token"
        })
@Calls("GET /cluster")
public final class StatusCommand implements Callable<Integer> {
    @Mixin private Reading reading = new Reading();

    @Option(
            names = "--masters",
            paramLabel = "HOST:PORT[,...]",
            description = "The masters (default: that of the 'cairn up' on --data).")
    private @Nullable String masters;

    @Override
    public Integer call() throws Exception {
        if (masters == null && reading.isApiGiven()) {
            return reading.show(
                    ApiRequest.of("GET /cluster"),
                    document -> new StatusLines(document, reading.values()).lines());
        }
        LogLevels.showWarningsOnly();
        List<Endpoint> asked = MasterList.parse(masters != null ? masters : running().master());
        try (ProcessContext world = IdentityOptions.worldOfCommand()) {
            MasterProbe probe = new MasterProbe(world.transport(), reading.errors());
            return reading.show(
                    () -> ask(probe, asked),
                    document -> new StatusLines(document, reading.values()).lines());
        }
    }

    private RunFile running() {
        RunFile file = RunFile.read(reading.directory());
        if (file == null) {
            throw new CommandException(
                    ExitCode.UNAVAILABLE,
                    "nothing runs on "
                            + reading.directory()
                            + "; give --masters HOST:PORT of a cluster, or start one with 'cairn"
                            + " up'");
        }
        return file;
    }

    private ApiAnswer ask(MasterProbe probe, List<Endpoint> asked) {
        try {
            String text = probe.status(asked, reading.patience().limitMs());
            return new ApiAnswer(text, JSON.std.mapFrom(text), null);
        } catch (JacksonException e) {
            throw new CommandException(ExitCode.SOFTWARE, "the status is not a JSON object", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.TEMPORARY, "interrupted", e);
        }
    }
}
