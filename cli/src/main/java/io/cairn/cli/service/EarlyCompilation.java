package io.cairn.cli.service;

import io.cairn.runtime.Deadline;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compiles at the start what the rehearsal has shown to be hot. The JVM does that by itself, but
 * only for methods whose classes are initialized. Without it the first second of a fresh mount is
 * half as fast (bench/NOTES.md). A later JDK may make this class superfluous (JEP 515 and its
 * successors).
 */
final class EarlyCompilation {
    private static final Logger LOG = LoggerFactory.getLogger(EarlyCompilation.class);

    /** The option with which the JVM compiles before it is asked (.mvn/jvm-options.sh). */
    private static final String EAGERLY = "-XX:+AOTCompileEagerly";

    private static final String CLASS = ".class";
    private static final long LONGEST_MS = 1000;
    private static final long LOOK_MS = 15;
    private static final int QUIET_LOOKS = 3;

    private EarlyCompilation() {}

    /**
     * Initializes all classes of some modules, if this JVM compiles early: else it would begin with
     * the first requests.
     *
     * @param samples a class of each module
     */
    static void begin(Class<?>... samples) {
        if (!ManagementFactory.getRuntimeMXBean().getInputArguments().contains(EAGERLY)) {
            return;
        }
        for (Class<?> sample : samples) {
            CodeSource source = sample.getProtectionDomain().getCodeSource();
            if (source != null && source.getLocation().getPath().endsWith(".jar")) {
                try (JarFile jar = new JarFile(Path.of(source.getLocation().toURI()).toFile())) {
                    initialize(jar, sample.getClassLoader());
                } catch (IOException | URISyntaxException e) {
                    LOG.debug("{} cannot be read", source.getLocation(), e);
                }
            }
        }
    }

    private static void initialize(JarFile jar, ClassLoader loader) {
        for (JarEntry entry : Collections.list(jar.entries())) {
            String name = entry.getName();
            if (name.endsWith(CLASS) && !name.endsWith("-info.class")) {
                String type = name.substring(0, name.length() - CLASS.length()).replace('/', '.');
                try {
                    Class.forName(type, true, loader);
                } catch (ClassNotFoundException | LinkageError e) {
                    // The first user of the class hears of it.
                    LOG.debug("{} is not initialized early", type, e);
                }
            }
        }
    }

    /** Waits until nothing more is compiled, but not longer than a second. */
    static void await() throws InterruptedException {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        if (compiler == null || !compiler.isCompilationTimeMonitoringSupported()) {
            return;
        }
        Deadline end = Deadline.afterMs(LONGEST_MS);
        long lastMs = -1;
        int quiet = 0;
        while (quiet < QUIET_LOOKS && !end.isOver()) {
            long totalMs = compiler.getTotalCompilationTime();
            quiet = totalMs == lastMs ? quiet + 1 : 0;
            lastMs = totalMs;
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }
}
