package io.cairn.cli.option;

import io.cairn.cluster.Endpoint;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.Loopback;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** Whether a service may be reached from other machines without certificates. */
public final class InsecureOption {
    private static final Logger LOG = LoggerFactory.getLogger(InsecureOption.class);

    /** The name of the option. */
    public static final String NAME = "--insecure-plain";

    @Option(
            names = NAME,
            description = {
                "Listen beyond loopback without TLS: whoever reaches the ports can read and"
                        + " change everything.",
                "For a network in which you trust every machine."
            })
    private boolean insecure;

    /**
     * Looks whether a service may listen without TLS: on loopback only, unless it was told so. A
     * host that is not known is not looked at: listening will fail, and say why.
     *
     * @param remedy what else to do, for people
     * @throws CommandException with CONFIG when it may not
     */
    public void requireFor(String remedy, Endpoint... listening) {
        List<String> open =
                Arrays.stream(listening)
                        .filter(each -> isOpen(each.host()))
                        .map(Endpoint::toString)
                        .distinct()
                        .toList();
        if (open.isEmpty()) {
            return;
        }
        String where = String.join(" and ", open);
        if (!insecure) {
            throw new CommandException(
                    ExitCode.CONFIG,
                    "will not listen on %s without TLS: whoever reaches it could read and change"
                                    .formatted(where)
                            + " everything; "
                            + remedy
                            + "; or, in a network where you trust every machine, give "
                            + NAME
                            + ", in a file of settings 'insecure-plain: true'");
        }
        LOG.warn(
                "Listening on {} without authentication and encryption: whoever reaches this can"
                        + " read and change everything. Let only machines that you trust reach it"
                        + " (docs/operating.md, \"Who may reach it\")",
                where);
    }

    private static boolean isOpen(String host) {
        try {
            return !Loopback.holds("listening", host);
        } catch (CommandException e) {
            return false;
        }
    }

    /** The option again, for another process. */
    public List<String> arguments() {
        return insecure ? List.of(NAME) : List.of();
    }
}
