package io.cairn.cli;

import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.http.WebCertificate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where a master is administered: the options of its admin address, and the rules for them. */
final class AdminAddress {
    /** Where a master is administered unless it is told otherwise. */
    static final String STANDARD = "127.0.0.1:9870";

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            defaultValue = STANDARD,
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

    @Mixin private MetricsAddress metrics = new MetricsAddress();

    /** An address without anything else. */
    static AdminAddress of(Endpoint endpoint) {
        AdminAddress address = new AdminAddress();
        address.admin = endpoint.toString();
        return address;
    }

    /** The address; fails with CONFIG when it needs a certificate and has none. */
    Endpoint endpoint() {
        Endpoint endpoint = MasterList.endpoint(admin);
        if (certificate() == null && !Loopback.holds("--admin", endpoint.host())) {
            throw new CommandException(
                    ExitCode.CONFIG,
                    "--admin "
                            + endpoint
                            + " is not on loopback: give --admin-tls-cert and --admin-tls-key, or"
                            + " use 127.0.0.1; for health and metrics alone use --metrics");
        }
        return endpoint;
    }

    /** Whether only this machine reaches it. */
    boolean isLoopback() {
        return Loopback.holds("--admin", MasterList.endpoint(admin).host());
    }

    /** The certificate, or null; fails with CONFIG when its files cannot be used. */
    @Nullable WebCertificate certificate() {
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

    /** Names under which browsers may find it. */
    Set<String> hostNames() {
        Set<String> names = new HashSet<>();
        names.add(MasterList.endpoint(admin).host().toLowerCase(Locale.ROOT));
        names.add(MountNode.hostName().toLowerCase(Locale.ROOT));
        hosts.forEach(name -> names.add(name.strip().toLowerCase(Locale.ROOT)));
        WebCertificate proof = certificate();
        if (proof != null) {
            names.addAll(proof.names());
        }
        return names;
    }

    /** {@code http://HOST:PORT/} with the real port. */
    String url(Endpoint real) {
        return (certificate == null ? "http://" : "https://") + real + "/";
    }

    MetricsAddress metrics() {
        return metrics;
    }

    /** The options again, for another process. */
    List<String> arguments() {
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
