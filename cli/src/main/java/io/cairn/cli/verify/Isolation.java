package io.cairn.cli.verify;

import io.cairn.node.Program;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How processes of this program are started by another one. */
final class Isolation {
    private static final String INSIDE = "cairn.verify.isolated";

    private Isolation() {}

    /** Whether this process has namespaces of its own. */
    static boolean isInside() {
        return Boolean.getBoolean(INSIDE);
    }

    /**
     * Runs this program again, in a network and mount namespace of its own; its exit code. An
     * interrupt reaches both, and this one waits for the other.
     */
    static int runInside(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("unshare", "--net", "--mount"));
        command.add(java());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.add("-D" + INSIDE + "=true");
        command.addAll(program());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).inheritIO().start();
        Thread wait =
                new Thread(
                        () -> {
                            try {
                                process.waitFor();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
        Runtime.getRuntime().addShutdownHook(wait);
        int code = process.waitFor();
        Runtime.getRuntime().removeShutdownHook(wait);
        return code;
    }

    /** The command of a process of the cluster, for many on one machine. */
    static List<String> member() {
        List<String> command = new ArrayList<>();
        command.add(java());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "-XX:+ExitOnOutOfMemoryError"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("-XX:AOTCache=") || each.equals("-Xlog:disable"))
                .forEach(command::add);
        command.addAll(program());
        return command;
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static List<String> program() {
        return List.of("-cp", System.getProperty("java.class.path"), Program.MAIN_CLASS);
    }
}
