package io.cairn.cli.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Checks of the needs of a mount: the device, libfuse 2 and the program that mounts and unmounts.
 */
public final class FuseChecks {
    private static final String LIBRARY = "libfuse.so.2";
    private static final List<String> LIBRARY_DIRECTORIES =
            List.of(
                    "/lib",
                    "/lib64",
                    "/usr/lib",
                    "/usr/lib64",
                    "/usr/local/lib",
                    "/lib/x86_64-linux-gnu",
                    "/usr/lib/x86_64-linux-gnu",
                    "/lib/aarch64-linux-gnu",
                    "/usr/lib/aarch64-linux-gnu");

    private final Machine machine;

    /** Checks of a machine. */
    public FuseChecks(Machine machine) {
        this.machine = machine;
    }

    /** All of them. */
    public List<Finding> run() {
        List<Finding> findings = new ArrayList<>();
        findings.add(device());
        findings.add(
                hasLibrary()
                        ? Finding.ok("libfuse", LIBRARY + " is there")
                        : Finding.fail(
                                "libfuse",
                                LIBRARY + " is missing",
                                "apt-get install libfuse2 (libfuse2t64 where it is called so), or"
                                        + " dnf install fuse-libs"));
        findings.add(
                machine.hasProgram("fusermount3") || machine.hasProgram("fusermount")
                        ? Finding.ok("fusermount", "is there")
                        : Finding.fail(
                                "fusermount",
                                "neither fusermount3 nor fusermount is on the PATH",
                                "apt-get install fuse3, or dnf install fuse3"));
        return findings;
    }

    private Finding device() {
        Path device = machine.file("/dev/fuse");
        if (!Files.exists(device)) {
            return Finding.fail(
                    "fuse",
                    "/dev/fuse is missing",
                    "modprobe fuse; in a container: --device /dev/fuse --cap-add SYS_ADMIN");
        }
        if (!Files.isReadable(device) || !Files.isWritable(device)) {
            return Finding.fail(
                    "fuse",
                    "/dev/fuse may not be opened by this user",
                    "chmod 0666 /dev/fuse, or mount as root");
        }
        return Finding.ok("fuse", "/dev/fuse may be opened");
    }

    private boolean hasLibrary() {
        Stream<String> configured =
                Stream.of("x86_64-linux-gnu", "aarch64-linux-gnu", "libc", "fakeroot")
                        .flatMap(n -> machine.lines("/etc/ld.so.conf.d/" + n + ".conf").stream())
                        .filter(line -> line.startsWith("/"));
        return Stream.concat(LIBRARY_DIRECTORIES.stream(), configured)
                .anyMatch(d -> Files.exists(machine.file(d + "/" + LIBRARY)));
    }
}
