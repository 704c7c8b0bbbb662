package io.cairn.cli.admin;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** An option to begin what cannot be finished now. */
final class ForceOption {
    @Option(
            names = "--force",
            paramLabel = "REASON",
            description =
                    "Begin although not everything finds another place. The reason goes to the"
                            + " audit log.")
    private @Nullable String reason;

    /** The body of a request. */
    Map<String, Object> body() {
        String why = reason;
        return why == null ? Map.of() : Map.of("force", why);
    }
}
