package io.cairn.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** JDK, kernel, memory and limits of processes. */
public final class SystemChecks {
    private static final int LEAST_JAVA = 25;
    private static final long MIB = 1 << 20;
    private static final long LEAST_MEMORY_MIB = 1024;
    private static final long GOOD_FILES = 65_536;
    private static final long LEAST_FILES = 4096;
    private static final Pattern KERNEL = Pattern.compile("(\\d+)\\.(\\d+).*");
    private static final Pattern LIMIT = Pattern.compile("^(.+?)\\s{2,}(\\S+)\\s+(\\S+).*$");

    private final Machine machine;

    /** Checks of a machine. */
    public SystemChecks(Machine machine) {
        this.machine = machine;
    }

    /** All of them, for a JVM of that version. */
    public List<Finding> run(Runtime.Version java) {
        List<Finding> findings = new ArrayList<>();
        findings.add(java(java));
        findings.add(kernel());
        findings.add(memory());
        findings.add(openFiles());
        return findings;
    }

    private static Finding java(Runtime.Version version) {
        String text = version + ", " + System.getProperty("java.vendor", "unknown vendor");
        return version.feature() >= LEAST_JAVA
                ? Finding.ok("java", text)
                : Finding.fail(
                        "java",
                        text + " is too old",
                        "install a JDK " + LEAST_JAVA + " or newer, or set CAIRN_JAVA_HOME to it");
    }

    /** STATX_MNT_ID_UNIQUE came with Linux 6.8. */
    private Finding kernel() {
        String release = machine.read("/proc/sys/kernel/osrelease");
        Matcher matcher = KERNEL.matcher(String.valueOf(release));
        if (!matcher.matches()) {
            return Finding.fail(
                    "kernel", "/proc tells no version of Linux", "run Cairn on Linux, mount /proc");
        }
        int major = Integer.parseInt(matcher.group(1));
        int minor = Integer.parseInt(matcher.group(2));
        if (major > 6 || (major == 6 && minor >= 8)) {
            return Finding.ok("kernel", "Linux " + release);
        }
        return Finding.warn(
                "kernel",
                "Linux "
                        + release
                        + " gives mounts no unique numbers: every restart of a chunk server counts"
                        + " as a loss of power",
                "upgrade to Linux 6.8 or newer on chunk servers");
    }

    private Finding memory() {
        long total = -1;
        long available = -1;
        for (String line : machine.lines("/proc/meminfo")) {
            if (line.startsWith("MemTotal:")) {
                total = kibibytes(line) / 1024;
            } else if (line.startsWith("MemAvailable:")) {
                available = kibibytes(line) / 1024;
            }
        }
        if (total < 0) {
            return Finding.warn("memory", "/proc/meminfo cannot be read", "mount /proc");
        }
        String text = total + " MiB, " + available + " MiB available";
        return available >= LEAST_MEMORY_MIB
                ? Finding.ok("memory", text)
                : Finding.warn(
                        "memory",
                        text,
                        "leave 1 GiB for a mount or chunk server and 2 GiB for a master, or lower"
                                + " their heaps (CAIRN_JAVA_OPTS=-Xmx512m)");
    }

    private static long kibibytes(String line) {
        String digits = line.replaceAll("\\D", "");
        return digits.isEmpty() || digits.length() > 18 ? -1 : Long.parseLong(digits);
    }

    private Finding openFiles() {
        for (String line : machine.lines("/proc/self/limits")) {
            Matcher matcher = LIMIT.matcher(line);
            if (matcher.matches() && matcher.group(1).equals("Max open files")) {
                return openFiles(matcher.group(3));
            }
        }
        return Finding.warn("limits", "/proc/self/limits cannot be read", "mount /proc");
    }

    private static Finding openFiles(String hardLimit) {
        String text = "open files: " + hardLimit;
        String remedy = "set LimitNOFILE=1048576 in the systemd unit, or ulimit -n 1048576";
        long limit = hardLimit.equals("unlimited") ? Long.MAX_VALUE : kibibytes(hardLimit);
        if (limit < LEAST_FILES) {
            return Finding.fail("limits", text, remedy);
        }
        return limit < GOOD_FILES
                ? Finding.warn("limits", text + ", too few for a busy server", remedy)
                : Finding.ok("limits", text);
    }

    /** For texts: bytes in MiB or GiB. */
    static String size(long bytes) {
        long mebibytes = bytes / MIB;
        return mebibytes >= 10_240 ? mebibytes / 1024 + " GiB" : mebibytes + " MiB";
    }
}
