package io.cairn.cli.doctor;

import io.cairn.cluster.Endpoint;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** TCP ports that services want to listen on: free, or who has them. */
public final class PortChecks {
    private static final String LISTEN_STATE = "0A";

    private final Machine machine;

    /** Checks of a machine. */
    public PortChecks(Machine machine) {
        this.machine = machine;
    }

    /** Looks at the ports of endpoints; a port that Cairn has is as it should be. */
    public List<Finding> run(List<Endpoint> endpoints) {
        List<Finding> findings = new ArrayList<>();
        for (Endpoint endpoint : endpoints) {
            String inode = listener(endpoint.port());
            if (inode == null) {
                findings.add(Finding.ok("port", endpoint.port() + " is free"));
                continue;
            }
            String owner = owner(inode);
            if (owner != null && owner.contains("io.cairn.cli.Cairn")) {
                findings.add(Finding.ok("port", endpoint.port() + " is Cairn's"));
            } else {
                findings.add(
                        Finding.warn(
                                "port",
                                endpoint.port() + " is taken by " + name(owner),
                                "stop that process (ss -ltnp 'sport = :"
                                        + endpoint.port()
                                        + "'), or give Cairn another port"));
            }
        }
        return findings;
    }

    private static String name(@Nullable String commandLine) {
        if (commandLine == null) {
            return "a process of another user";
        }
        return "'" + commandLine.split(" ", 2)[0] + "'";
    }

    /** The inode of the socket that listens on a port, or null. */
    private @Nullable String listener(int port) {
        String suffix = String.format(Locale.ROOT, ":%04X", port);
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .flatMap(name -> machine.lines(name).stream())
                .map(line -> line.strip().split("\\s+"))
                .filter(f -> f.length > 9 && f[1].endsWith(suffix) && f[3].equals(LISTEN_STATE))
                .map(f -> f[9])
                .findFirst()
                .orElse(null);
    }

    /** The command line of the process that has a socket open, or null when it may not be seen. */
    private @Nullable String owner(String inode) {
        String link = "socket:[" + inode + "]";
        try (DirectoryStream<Path> processes =
                Files.newDirectoryStream(machine.file("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (has(process, link)) {
                    return commandLine(process);
                }
            }
        } catch (IOException e) {
            return null;
        }
        return null;
    }

    private static boolean has(Path process, String link) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path file : files) {
                if (Files.readSymbolicLink(file).toString().equals(link)) {
                    return true;
                }
            }
        } catch (IOException e) {
            // Of another user, or ended meanwhile: not seen.
        }
        return false;
    }

    private static @Nullable String commandLine(Path process) {
        try {
            return Files.readString(process.resolve("cmdline")).replace('\0', ' ').strip();
        } catch (IOException e) {
            return null;
        }
    }
}
