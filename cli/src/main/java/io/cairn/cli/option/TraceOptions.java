package io.cairn.cli.option;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.trace.OtlpTracing;
import io.cairn.runtime.Release;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the traces of a process go, and how many of them there are. */
public final class TraceOptions {
    private static final String PATH = "/v1/traces";

    @Option(
            names = "--trace-to",
            paramLabel = "URL",
            description = {
                "Send traces to the OpenTelemetry collector here, by OTLP over HTTP:"
                        + " for instance http://10.0.0.9:4318 (default: no traces)."
            })
    private @Nullable String collector;

    @Option(
            names = "--trace-ratio",
            paramLabel = "SHARE",
            defaultValue = "0.01",
            description = {
                "Share of the operations beginning here that are traced, 0 to 1 (default:"
                        + " ${DEFAULT-VALUE}). What others ask for is traced if they trace it."
            })
    private double ratio;

    /**
     * Looks at the options before anything starts.
     *
     * @throws CommandException with USAGE when they make no sense
     */
    void check() {
        if (!(ratio >= 0 && ratio <= 1)) {
            throw usage("--trace-ratio is " + ratio + "; it must be from 0 to 1");
        }
        var _ = address();
    }

    /** Begins to send traces; null when none are wanted. */
    @Nullable OtlpTracing open() {
        check();
        URI to = address();
        return to == null ? null : new OtlpTracing(to, ratio, Release.text());
    }

    /** Where to post, with the path that OTLP has for traces; null when nowhere. */
    @Nullable URI address() {
        if (collector == null || collector.isBlank()) {
            return null;
        }
        URI base;
        try {
            base = new URI(collector.strip());
        } catch (URISyntaxException e) {
            throw notAddress(e.getReason());
        }
        String scheme = String.valueOf(base.getScheme()).toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https")) {
            throw notAddress("it must begin with http:// or https://");
        }
        if (base.getHost() == null) {
            throw notAddress("it names no host");
        }
        if (base.getPort() == 0 || base.getPort() > 65_535) {
            throw notAddress("its port must be from 1 to 65535");
        }
        if (base.getRawUserInfo() != null
                || base.getRawQuery() != null
                || base.getRawFragment() != null) {
            throw notAddress("it can have host, port and path only");
        }
        String path = base.getRawPath().replaceAll("/+$", "");
        String whole = path.endsWith(PATH) ? path : path + PATH;
        return URI.create(scheme + "://" + base.getRawAuthority() + whole);
    }

    private CommandException notAddress(String why) {
        return usage(
                "--trace-to '"
                        + collector
                        + "' is no address of a collector: "
                        + why
                        + "; give for instance http://10.0.0.9:4318");
    }

    private static CommandException usage(String text) {
        return new CommandException(ExitCode.USAGE, text);
    }

    /** The options again, for another process. */
    List<String> arguments() {
        return collector == null
                ? List.of()
                : List.of("--trace-to", collector, "--trace-ratio", String.valueOf(ratio));
    }
}
