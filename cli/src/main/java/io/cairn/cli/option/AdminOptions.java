package io.cairn.cli.option;

import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.http.WebCertificate;
import io.cairn.node.AdminAddress;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterList;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of the admin address of a master, and the rules for them. */
public final class AdminOptions {
    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            defaultValue = AdminAddress.STANDARD,
            description = {
                "Web console, admin API, health and metrics (default: ${DEFAULT-VALUE}).",
                "Elsewhere than on loopback only with a certificate."
            })
    private String admin = "";

    @Option(
            names = "--admin-tls-cert",
            paramLabel = "FILE",
            description = "Certificate (PEM) for --admin, which then speaks HTTPS.")
    private @Nullable Path certificate;

    @Option(
            names = "--admin-tls-key",
            paramLabel = "FILE",
            description = "Its private key (PEM, PKCS #8).")
    private @Nullable Path key;

    @Option(
            names = "--admin-host",
            split = ",",
            paramLabel = "NAME[,...]",
            description = "Further names under which browsers ask for it, as behind a proxy.")
    private List<String> hosts = new ArrayList<>();

    @Mixin private MetricsOption metrics = new MetricsOption();

    /** The address; fails with CONFIG when it needs a certificate and has none. */
    public AdminAddress address() {
        Endpoint endpoint = MasterList.endpoint(admin);
        AdminAddress address = new AdminAddress(endpoint, certificate(), hosts, metrics.endpoint());
        if (address.certificate() == null && !address.isLoopback()) {
            throw new CommandException(
                    ExitCode.CONFIG,
                    "--admin "
                            + endpoint
                            + " is not on loopback: give --admin-tls-cert and --admin-tls-key, or"
                            + " use 127.0.0.1; for health and metrics alone use --metrics");
        }
        return address;
    }

    private @Nullable WebCertificate certificate() {
        if (certificate == null && key == null) {
            return null;
        }
        if (certificate == null || key == null) {
            throw new CommandException(
                    ExitCode.CONFIG, "--admin-tls-cert and --admin-tls-key go together");
        }
        try {
            return WebCertificate.read(certificate, key);
        } catch (FsException e) {
            throw new CommandException(ExitCode.CONFIG, String.valueOf(e.getMessage()), e);
        }
    }

    /** The options again, for another process. */
    public List<String> arguments() {
        List<String> arguments = new ArrayList<>(List.of("--admin", admin));
        if (certificate != null && key != null) {
            arguments.addAll(
                    List.of(
                            "--admin-tls-cert",
                            certificate.toAbsolutePath().toString(),
                            "--admin-tls-key",
                            key.toAbsolutePath().toString()));
        }
        arguments.addAll(metrics.arguments());
        return arguments;
    }
}
