package io.cairn.cli;

import io.cairn.cluster.Endpoint;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cairn health}: asks a service how it is, for probes of containers and scripts. */
@Command(
        name = "health",
        description = {
            "Ask a service on its plain address whether it is ready.",
            "Ends with 0 when it is, with 69 when it is not or does not answer, and says why."
        },
        footer = {
            "  cairn health --metrics 127.0.0.1:9880",
            "  cairn health --metrics 127.0.0.1:9880 --live"
        })
final class HealthCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int HTTP_OK = 200;

    @Option(
            names = "--metrics",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:9880",
            description = "What the service was given as --metrics (default: ${DEFAULT-VALUE}).")
    private String metrics = "";

    @Option(names = "--live", description = "Ask only whether the process answers.")
    private boolean live;

    @Override
    public Integer call() throws Exception {
        LogLevels.showWarningsOnly();
        Endpoint given = MasterList.endpoint(metrics);
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
                    ExitCode.UNAVAILABLE,
                    at + " does not answer: " + e + "; is the service started with --metrics?",
                    e);
        }
    }
}
