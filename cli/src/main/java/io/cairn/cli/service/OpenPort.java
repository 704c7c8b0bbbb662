package io.cairn.cli.service;

import io.cairn.cluster.Endpoint;
import io.cairn.node.CommandException;
import io.cairn.node.Loopback;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of NFS ports that other machines can reach, because NFS has no authentication. */
final class OpenPort {
    private static final Logger LOG = LoggerFactory.getLogger(OpenPort.class);

    private OpenPort() {}

    /**
     * Warns once of those of the ports that are not on loopback. A host that is not known is not
     * warned of: listening will fail, and say why.
     */
    static void warn(Endpoint... listening) {
        List<String> open =
                Arrays.stream(listening)
                        .filter(each -> isOpen(each.host()))
                        .map(Endpoint::toString)
                        .distinct()
                        .toList();
        if (!open.isEmpty()) {
            LOG.warn(
                    "Listening on {} with NFS, which has no authentication and encryption: whoever"
                            + " reaches this can do what the exports allow. Let only machines that"
                            + " you trust reach it (docs/operating.md, \"Who may reach it\")",
                    String.join(" and ", open));
        }
    }

    private static boolean isOpen(String host) {
        try {
            return !Loopback.holds("listening", host);
        } catch (CommandException e) {
            return false;
        }
    }
}
