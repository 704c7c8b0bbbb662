package io.cairn.cli.service;

import io.cairn.identity.TlsSecurity;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this JVM has the second compiler, which alone uses the instructions of the processor for
 * AES. The launcher leaves it out on few processors, unless it sees that a process encrypts files
 * (.mvn/jvm-options.sh). It does not see everything, nor that TLS is that of the JDK.
 */
final class CipherCompiler {
    private static final Logger LOG = LoggerFactory.getLogger(CipherCompiler.class);

    private static final String STOP = "-XX:TieredStopAtLevel=";
    private static final String LAST_LEVEL = "4";

    private CipherCompiler() {}

    /**
     * Warns when a service needs it and it is missing.
     *
     * @param hasTls whether the service has TLS
     * @param encrypts whether it encrypts files
     */
    static void check(boolean hasTls, boolean encrypts) {
        boolean isNeeded = encrypts || (hasTls && TlsSecurity.isOfJdk());
        if (isNeeded && isMissing(ManagementFactory.getRuntimeMXBean().getInputArguments())) {
            LOG.warn(
                    "{} is very slow with the first compiler of Java alone; start this process with"
                            + " CAIRN_JAVA_OPTS={}{}",
                    encrypts ? "encryption" : "TLS of the JDK",
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
