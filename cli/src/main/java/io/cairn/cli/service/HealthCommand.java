package io.cairn.cli.service;

import io.cairn.base.Wording;
import io.cairn.cli.option.Require;
import io.cairn.cluster.Endpoint;
import io.cairn.node.AdminAddress;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterList;
import io.cairn.node.MasterWait;
import io.cairn.node.RunFile;
import io.cairn.node.log.LogLevels;
import io.cairn.runtime.Deadline;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn health}: asks a service how it is, for probes of containers and scripts. */
@Command(
        name = "health",
        description = {
            "Ask a service whether it is ready.",
            "It is asked at its --metrics, 'cairn up' or a master also at --admin."
                    + " Ends with 0 when it is ready, with 69 when it is not or does not"
                    + " answer, and says why."
        },
        footer = {
            "  cairn health",
            "  cairn health --data /srv/cairn --wait 120",
            "  cairn health --metrics 10.0.0.5:9882 --live"
        })
public final class HealthCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int HTTP_OK = 200;
    private static final long PAUSE_MS = 250;

    @Mixin private DataDirectory data = new DataDirectory();

    @Option(
            names = "--metrics",
            paramLabel = "HOST:PORT",
            description = {
                "What the service was given as --metrics, or as --admin (default: the"
                        + " admin address of the 'cairn up' on --data, else "
                        + AdminAddress.STANDARD
                        + ")."
            })
    private @Nullable String metrics;

    @Option(names = "--live", description = "Ask only whether the process answers.")
    private boolean live;

    @Option(
            names = "--wait",
            arity = "0..1",
            fallbackValue = "" + MasterWait.STANDARD_S,
            defaultValue = "0",
            paramLabel = "SECONDS",
            description =
                    "Ask again until it is ready, at most so long (default: do not wait; without a"
                            + " number: "
                            + MasterWait.STANDARD_S
                            + ").")
    private int waitS;

    @Override
    public Integer call() throws Exception {
        LogLevels.showWarningsOnly();
        Require.between("--wait", waitS, 0, 86_400);
        Deadline end = Deadline.afterS(waitS);
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(LIMIT).build()) {
            while (true) {
                boolean isLast = end.isOver();
                Integer code = ask(client, isLast);
                if (code != null) {
                    return code;
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
            }
        }
    }

    /** Null when it is not ready and there will be another try. */
    private @Nullable Integer ask(HttpClient client, boolean isLast) throws InterruptedException {
        // Looked up each time: a 'cairn up' that starts writes it down late.
        Endpoint given = MasterList.endpoint(address());
        // A service that listens everywhere is asked here.
        String host = given.host().equals("0.0.0.0") ? "127.0.0.1" : given.host();
        Endpoint at = new Endpoint(host, given.port());
        URI uri = URI.create("http://" + at + (live ? "/health/live" : "/health/ready"));
        try {
            HttpResponse<String> response =
                    client.send(
                            HttpRequest.newBuilder(uri).timeout(LIMIT).build(),
                            HttpResponse.BodyHandlers.ofString());
            boolean isWell = response.statusCode() == HTTP_OK;
            if (isWell || isLast) {
                System.out.println(response.body().strip());
                return isWell ? ExitCode.OK : ExitCode.UNAVAILABLE;
            }
        } catch (IOException e) {
            if (isLast) {
                throw new CommandException(
                        ExitCode.UNAVAILABLE, "nothing healthy at " + at + ": " + remedy(e), e);
            }
        }
        return null;
    }

    private String address() {
        if (metrics != null) {
            return metrics;
        }
        RunFile running = RunFile.read(data.path());
        if (running == null) {
            return AdminAddress.STANDARD;
        }
        if (running.secure()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "the admin address "
                            + running.admin()
                            + " speaks HTTPS only: start 'cairn up' with --metrics HOST:PORT and"
                            + " give it here, too");
        }
        return running.admin();
    }

    private String remedy(IOException error) {
        return Wording.of(error)
                + (metrics == null
                        ? "; is anything running? Give --data DIR of a 'cairn up', or --metrics"
                                + " HOST:PORT of a service"
                        : "; is the service started, with this --metrics or --admin?");
    }
}
