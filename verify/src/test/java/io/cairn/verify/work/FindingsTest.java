package io.cairn.verify.work;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.runtime.Clock;
import io.cairn.verify.access.MountAccess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FindingsTest {
    private final List<Findings.Violation> told = new ArrayList<>();
    private final Findings findings = new Findings(told::add);
    private final Trial trial = new Trial("pause-chunk-server", "SIGSTOP of c1", Set.of(), 0);
    private final AccessPoint access =
            new AccessPoint(new MountAccess("mount1", Path.of("/")), Clock.system(), findings);

    private void fail() {
        access.run(
                OperationKind.READ,
                "read",
                files -> {
                    throw new IOException("Transport endpoint is not connected");
                });
    }

    @Test
    void anOperationThatFailsDuringATrialIsAnErrorOfIt() {
        findings.during(trial);
        fail();
        findings.violate("a block is torn");
        assertEquals(1, trial.errorCount());
        assertEquals(1, told.size());
    }

    @Test
    void nothingCountsOnceTheProcessesAreEndedOnPurpose() {
        findings.during(trial);
        findings.close();
        fail();
        findings.violate("a file cannot be read");
        assertEquals(0, trial.errorCount());
        assertEquals(List.of(), told);
        findings.during(trial);
        assertNull(findings.trial(), "no trial begins any more");
    }
}
