package io.cairn.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cli.doctor.Finding.Level;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SystemChecksTest {
    @TempDir private Path root;

    private FakeMachine good() {
        return new FakeMachine(root)
                .with("/proc/sys/kernel/osrelease", "6.8.0-45-generic\n")
                .with("/proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n")
                .with("/proc/self/limits", limits("1024", "1048576"));
    }

    private static String limits(String soft, String hard) {
        return "Limit                     Soft Limit           Hard Limit           Units     \n"
                + "Max processes             95767                95767                processes\n"
                + String.format("%-26s%-21s%-21s%-10s\n", "Max open files", soft, hard, "files");
    }

    private static Finding find(List<Finding> findings, String check) {
        return findings.stream().filter(f -> f.check().equals(check)).findFirst().orElseThrow();
    }

    private Finding check(FakeMachine machine, String check) {
        return find(
                new SystemChecks(machine.machine()).run(Runtime.Version.parse("25.0.1")), check);
    }

    @Test
    void aGoodMachineHasNothingToImprove() {
        List<Finding> findings =
                new SystemChecks(good().machine()).run(Runtime.Version.parse("25.0.1"));
        assertEquals(4, findings.size());
        for (Finding finding : findings) {
            assertEquals(Level.OK, finding.level(), finding.toString());
        }
    }

    @Test
    void anOldKernelCannotTellMountsApart() {
        Finding old = check(good().with("/proc/sys/kernel/osrelease", "6.7.12"), "kernel");
        assertEquals(Level.WARN, old.level());
        assertNotNull(old.remedy());
        assertEquals(
                Level.WARN,
                check(good().with("/proc/sys/kernel/osrelease", "5.15.0"), "kernel").level());
        assertEquals(
                Level.OK,
                check(good().with("/proc/sys/kernel/osrelease", "7.0.1"), "kernel").level());
        assertEquals(Level.FAIL, check(new FakeMachine(root.resolve("none")), "kernel").level());
    }

    @Test
    void anOldJavaFails() {
        List<Finding> findings =
                new SystemChecks(good().machine()).run(Runtime.Version.parse("21.0.2"));
        assertEquals(Level.FAIL, find(findings, "java").level());
    }

    @Test
    void fewOpenFilesAreReported() {
        FakeMachine few = good().with("/proc/self/limits", limits("1024", "1024"));
        Finding fail = check(few, "limits");
        assertEquals(Level.FAIL, fail.level());
        assertTrue(String.valueOf(fail.remedy()).contains("LimitNOFILE"));
        FakeMachine some = good().with("/proc/self/limits", limits("1024", "16384"));
        assertEquals(Level.WARN, check(some, "limits").level());
        FakeMachine all = good().with("/proc/self/limits", limits("unlimited", "unlimited"));
        assertEquals(Level.OK, check(all, "limits").level());
    }

    @Test
    void littleMemoryIsReported() {
        FakeMachine full =
                good().with("/proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 100000 kB\n");
        assertEquals(Level.WARN, check(full, "memory").level());
    }
}
