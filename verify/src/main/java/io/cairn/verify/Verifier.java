package io.cairn.verify;

import io.cairn.net.FreePorts;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Deadline;
import io.cairn.runtime.FileDisk;
import io.cairn.verify.access.FileAccess;
import io.cairn.verify.access.GatewayAccess;
import io.cairn.verify.access.MountAccess;
import io.cairn.verify.fault.FaultKind;
import io.cairn.verify.fault.Faults;
import io.cairn.verify.fault.Strike;
import io.cairn.verify.process.Cluster;
import io.cairn.verify.process.CommandShell;
import io.cairn.verify.process.Member;
import io.cairn.verify.process.Namespaces;
import io.cairn.verify.process.Network;
import io.cairn.verify.process.Role;
import io.cairn.verify.work.AccessPoint;
import io.cairn.verify.work.Findings;
import io.cairn.verify.work.Findings.Violation;
import io.cairn.verify.work.OperationKind;
import io.cairn.verify.work.Trial;
import io.cairn.verify.work.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Starts a cluster, lets it work, breaks it again and again, and compares what it holds with what
 * was acknowledged.
 */
public final class Verifier implements AutoCloseable {
    /** So long may it take until all accesses work after a fault. */
    private static final int PROGRESS_LIMIT_S = 60;

    /** So long may it take until all copies are there after a fault. */
    private static final int WELL_LIMIT_S = 120;

    private static final int MAX_HOLD_MS = 4000;

    private final VerifySettings settings;
    private final Clock clock;
    private final Consumer<String> told;
    private final CommandShell shell;
    private final Cluster cluster;
    private final Random random;
    private final Findings findings;
    private final Map<String, AccessPoint> accesses = new LinkedHashMap<>();
    private final List<Trial> trials = new ArrayList<>();

    /**
     * Nothing is started yet.
     *
     * @param told lines for people
     */
    public Verifier(VerifySettings settings, Clock clock, Consumer<String> told)
            throws IOException {
        this.settings = settings;
        this.clock = clock;
        this.told = told;
        random = new Random(settings.seed());
        findings = new Findings(this::tell);
        shell = new CommandShell();
        cluster =
                new Cluster(
                        settings.cluster(),
                        shell,
                        settings.namespaces() ? new Namespaces(shell) : Network.loopback(),
                        new FreePorts(new Random(clock.nanoTime())));
    }

    private void tell(Violation violation) {
        told.accept(
                "VIOLATION during %s: %s%n    logs: %s%n    repeat: %s"
                        .formatted(
                                violation.fault(),
                                violation.text(),
                                settings.cluster().logs(),
                                settings.command()));
    }

    /** Does it all; what came of it. */
    public Report run() throws IOException, InterruptedException {
        long beginNs = clock.nanoTime();
        told.accept(
                "starting "
                        + settings.cluster().masters()
                        + " masters, "
                        + settings.cluster().chunkServers()
                        + " chunk servers, "
                        + settings.cluster().mounts()
                        + " mounts in "
                        + settings.cluster().directory());
        cluster.start();
        for (Member each : cluster.members(Role.MOUNT)) {
            add(new MountAccess(each.name(), settings.cluster().mountpoint(each.name())));
        }
        for (Member each : cluster.members(Role.GATEWAY)) {
            add(
                    new GatewayAccess(
                            each.name(), cluster.gatewayHost(each), cluster.gatewayPort(each)));
        }
        List<AccessPoint> all = List.copyOf(accesses.values());
        long operations;
        try (Workload workload = new Workload(all, clock, findings, settings.seed())) {
            workload.start();
            injectFaults(workload);
            findings.during(null);
            for (AccessPoint each : all) {
                workload.check(each);
            }
            operations = workload.operations();
        }
        String fault = cluster.fsck();
        if (fault != null) {
            findings.violate("cairn fsck: " + fault);
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(clock.nanoTime() - beginNs);
        return Report.of(settings, trials, findings, settings.notes(), operations, seconds);
    }

    private void add(FileAccess files) {
        accesses.put(files.name(), new AccessPoint(files, clock, findings));
    }

    private void injectFaults(Workload workload) throws IOException, InterruptedException {
        Faults faults = new Faults(cluster, random, new FileDisk());
        Deadline end = Deadline.afterS(settings.seconds());
        for (int i = 0; isWanted(i, end); i++) {
            Thread.sleep(random.nextInt(500, 1500));
            FaultKind kind = settings.faults().get(i % settings.faults().size());
            inject(kind, faults.next(kind), workload);
        }
    }

    private boolean isWanted(int done, Deadline end) {
        return !findings.isClosed() && (!end.isOver() || done < settings.faults().size());
    }

    private void inject(FaultKind kind, Strike strike, Workload workload)
            throws IOException, InterruptedException {
        Set<String> hit = strike.hit().stream().map(Member::name).collect(Collectors.toSet());
        Trial trial = new Trial(kind.word(), strike.what(), hit, clock.nanoTime());
        trials.add(trial);
        findings.during(trial);
        List<AccessPoint> ended =
                strike.ends()
                        ? hit.stream().filter(accesses::containsKey).map(accesses::get).toList()
                        : List.of();
        ended.forEach(AccessPoint::down);
        if (strike.losesPower()) {
            workload.cuts().begin();
        }
        strike.begin().run();
        Thread.sleep(random.nextInt(MAX_HOLD_MS));
        strike.mend().run();
        for (Member each : strike.hit()) {
            cluster.awaitReady(each);
        }
        ended.forEach(AccessPoint::up);
        if (strike.losesPower()) {
            workload.cuts().end();
        }
        trial.mended(clock.nanoTime());
        awaitProgress(trial);
        awaitWell();
        List<AccessPoint> all = List.copyOf(accesses.values());
        workload.check(all.get(random.nextInt(all.size())));
        if (findings.isClosed()) {
            // An interrupt: whatever was felt of it is no answer of the cluster.
            return;
        }
        told.accept(
                "%s: %d ms reads, %d ms writes, %d ms names at the longest, %d errors"
                        .formatted(
                                trial,
                                trial.longestNs(OperationKind.READ) / 1_000_000,
                                trial.longestNs(OperationKind.WRITE) / 1_000_000,
                                trial.longestNs(OperationKind.NAME) / 1_000_000,
                                trial.errorCount()));
    }

    private void awaitProgress(Trial trial) {
        Deadline end = Deadline.afterS(PROGRESS_LIMIT_S);
        while (!trial.hasProgressed(accesses.keySet())) {
            if (end.isOver()) {
                findings.violate(
                        "not all accesses read, write and change names again within "
                                + PROGRESS_LIMIT_S
                                + " s: "
                                + trial.waiting(accesses.keySet()));
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private void awaitWell() throws IOException, InterruptedException {
        Deadline end = Deadline.afterS(WELL_LIMIT_S);
        String status = cluster.status();
        while (!Cluster.isWell(status)) {
            if (end.isOver()) {
                findings.violate(
                        "the cluster is not well within " + WELL_LIMIT_S + " s: " + status);
                return;
            }
            Thread.sleep(500);
            status = cluster.status();
        }
    }

    /** Ends all processes and unmounts. From any thread, also while {@link #run} runs. */
    @Override
    public void close() {
        findings.close();
        shell.close();
    }
}
