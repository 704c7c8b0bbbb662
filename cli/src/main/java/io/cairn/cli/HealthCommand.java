package io.cairn.cli;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.Wording;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn health}: asks a service how it is, for probes of containers and scripts. */
@Command(
        name = "health",
        description = {
            "Ask a service whether it is ready: 'cairn up' or a master at its admin address, any",
            "service at the address of its --metrics. Ends with 0 when it is ready, with 69 when"
                    + " it",
            "is not or does not answer, and says why."
        },
        footer = {
            "  cairn health",
            "  cairn health --data /srv/cairn",
            "  cairn health --metrics 10.0.0.5:9882 --live"
        })
final class HealthCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int HTTP_OK = 200;

    @Mixin private DataDirectory data = new DataDirectory();

    @Option(
            names = "--metrics",
            paramLabel = "HOST:PORT",
            description = {
                "What the service was given as --metrics, or as --admin (default: the admin"
                        + " address",
                "of the 'cairn up' on --data, else " + AdminAddress.STANDARD + ")."
            })
    private @Nullable String metrics;

    @Option(names = "--live", description = "Ask only whether the process answers.")
    private boolean live;

    @Override
    public Integer call() throws Exception {
        LogLevels.showWarningsOnly();
        Endpoint given = MasterList.endpoint(address());
        // A service that listens everywhere is asked here.
        String host = given.host().equals("0.0.0.0") ? "127.0.0.1" : given.host();
        Endpoint at = new Endpoint(host, given.port());
        HttpRequest request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://" + at + (live ? "/health/live" : "/health/ready")))
                        .timeout(LIMIT)
                        .build();
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(LIMIT).build()) {
            HttpResponse<String> response =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            System.out.println(response.body().strip());
            return response.statusCode() == HTTP_OK ? ExitCode.OK : ExitCode.UNAVAILABLE;
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.UNAVAILABLE, "nothing healthy at " + at + ": " + remedy(e), e);
        }
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
