package io.cairn.cli.doctor;

import io.cairn.cli.option.IdentityOptions;
import io.cairn.cli.option.OwnDirectory;
import io.cairn.cluster.Endpoint;
import io.cairn.node.CommandException;
import io.cairn.node.MasterWait;
import io.cairn.node.ProcessContext;
import io.cairn.runtime.Release;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/** All checks of {@code cairn doctor}, in the order in which they are shown. */
final class Examination {
    private static final long ASK_MS = 5_000;

    /**
     * The subject of an examination.
     *
     * @param roles what the machine is for
     * @param data directories; empty for the one of {@code cairn up}
     * @param listen endpoints; empty for the standard ones of the roles
     * @param masters the cluster, or empty
     */
    record Scope(Set<Role> roles, List<Path> data, List<Endpoint> listen, List<Endpoint> masters) {}

    private final Machine machine = Machine.own();

    List<Finding> run(Scope scope) throws InterruptedException {
        List<Finding> findings = new ArrayList<>(new SystemChecks(machine).run(Runtime.version()));
        if (scope.roles().contains(Role.MOUNT)) {
            findings.addAll(new FuseChecks(machine).run());
        }
        boolean isMaster = scope.roles().contains(Role.MASTER);
        if (isMaster || scope.roles().contains(Role.CHUNK)) {
            List<Path> data = scope.data().isEmpty() ? List.of(OwnDirectory.path()) : scope.data();
            findings.addAll(new DiskChecks(machine, DiskChecks.disks(), isMaster).run(data));
        }
        findings.addAll(
                new PortChecks(machine)
                        .run(scope.listen().isEmpty() ? standard(scope.roles()) : scope.listen()));
        findings.add(ClusterChecks.discipline());
        if (!scope.masters().isEmpty()) {
            findings.addAll(cluster(scope.masters()));
        }
        return findings;
    }

    private static List<Endpoint> standard(Set<Role> roles) {
        List<Endpoint> endpoints = new ArrayList<>();
        if (roles.contains(Role.MASTER)) {
            endpoints.add(new Endpoint("127.0.0.1", 9870));
            endpoints.add(new Endpoint("127.0.0.1", 9871));
        }
        if (roles.contains(Role.NFS)) {
            endpoints.add(new Endpoint("127.0.0.1", 2049));
        }
        return endpoints;
    }

    private static List<Finding> cluster(List<Endpoint> masters) throws InterruptedException {
        List<Finding> findings = new ArrayList<>(ClusterChecks.reach(masters));
        if (findings.stream().allMatch(f -> f.level() == Finding.Level.FAIL)) {
            return findings;
        }
        try (ProcessContext world = IdentityOptions.worldOfCommand()) {
            long askedMs = System.currentTimeMillis();
            String status =
                    new MasterProbe(world.transport(), MasterWait.errors()).status(masters, ASK_MS);
            long answeredMs = System.currentTimeMillis();
            ClusterChecks.Told told =
                    new ClusterChecks.Told(JSON.std.mapFrom(status), askedMs, answeredMs);
            findings.add(ClusterChecks.version(told, Release.text()));
            findings.add(ClusterChecks.clock(told));
        } catch (CommandException | JacksonException e) {
            findings.add(
                    Finding.fail(
                            "leader",
                            String.valueOf(e.getMessage()),
                            "start the majority of the masters, and look at their logs"));
        }
        return findings;
    }
}
