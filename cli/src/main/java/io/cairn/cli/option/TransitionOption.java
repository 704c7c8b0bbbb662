package io.cairn.cli.option;

import io.cairn.node.ProcessContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** Whether a service with a certificate speaks plain text, too, while its cluster gets TLS. */
public final class TransitionOption {
    private static final Logger LOG = LoggerFactory.getLogger(TransitionOption.class);

    @Option(
            names = "--also-plain",
            description = {
                "Speak plain text, too, with whoever has no certificate yet: while a cluster"
                        + " changes to TLS (docs/upgrade.md).",
                "As long as it lasts, whoever reaches the ports can read and change everything."
            })
    private boolean alsoPlain;

    /** Has a process do so, if it was told to, before it listens. */
    public void apply(ProcessContext world) {
        if (alsoPlain) {
            world.admitPlain();
            LOG.warn(
                    "Speaking plain text, too: whoever reaches the ports can read and change"
                            + " everything. Start without --also-plain when all have certificates"
                            + " (docs/upgrade.md)");
        }
    }
}
