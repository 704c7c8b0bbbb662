package io.cairn.cli.service;

import java.lang.management.ManagementFactory;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this JVM has the second compiler, which alone uses the instructions of the processor for
 * AES. The launcher leaves it out on few processors, unless it sees that a process has TLS or
 * encrypts files (.mvn/jvm-options.sh). It does not see everything.
 */
final class CipherCompiler {
    private static final Logger LOG = LoggerFactory.getLogger(CipherCompiler.class);

    private static final String STOP = "-XX:TieredStopAtLevel=";
    private static final String LAST_LEVEL = "4";

    private CipherCompiler() {}

    /** Warns when it is missing; to be called by a service that has TLS or encrypts files. */
    static void check() {
        if (isMissing(ManagementFactory.getRuntimeMXBean().getInputArguments())) {
            LOG.warn(
                    "TLS and encryption are very slow with the first compiler of Java alone; start"
                            + " this process with CAIRN_JAVA_OPTS={}{}",
                    STOP,
                    LAST_LEVEL);
        }
    }

    /**
     * Whether a JVM with these options has the first compiler alone.
     *
     * @param options those given to the JVM; the last one wins
     */
    static boolean isMissing(List<String> options) {
        return options.stream()
                .filter(each -> each.startsWith(STOP))
                .reduce((_, later) -> later)
                .filter(last -> !last.equals(STOP + LAST_LEVEL))
                .isPresent();
    }
}
