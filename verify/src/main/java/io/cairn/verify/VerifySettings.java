package io.cairn.verify;

import io.cairn.verify.fault.FaultKind;
import io.cairn.verify.process.ClusterPlan;
import java.util.List;

/**
 * What is verified.
 *
 * @param cluster the processes
 * @param seconds how long faults are injected; checks take their time besides
 * @param seed of everything that is chosen
 * @param faults classes, in turn
 * @param namespaces whether each process has a network namespace of its own
 * @param notes what is left out, and why
 * @param command what to type to repeat it
 */
public record VerifySettings(
        ClusterPlan cluster,
        int seconds,
        long seed,
        List<FaultKind> faults,
        boolean namespaces,
        List<String> notes,
        String command) {}
