package io.cairn.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.Wording;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn status}: how a cluster is. */
@Command(
        name = "status",
        description = "Show the state of a cluster: masters, chunk servers, redundancy, clients.",
        footer = {"  cairn status", "  cairn status --masters 10.0.0.1:9871,10.0.0.2:9871 --json"})
final class StatusCommand implements Callable<Integer> {
    @Mixin private DataDirectory data = new DataDirectory();

    @Option(
            names = "--masters",
            paramLabel = "HOST:PORT[,...]",
            description = "The masters of a cluster that 'cairn up' did not start.")
    private @Nullable String masters;

    @Option(names = "--json", description = "Print a JSON document.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        LogLevels.showWarningsOnly();
        List<Endpoint> endpoints =
                MasterList.parse(masters != null ? masters : data.running().master());
        String document;
        try (World world = new World()) {
            document = new MasterProbe(world.transport()).status(endpoints);
        }
        if (json) {
            System.out.println(document);
        } else {
            print(JSON.std.mapFrom(document), System.out);
        }
        return ExitCode.OK;
    }

    private static void print(Map<String, Object> status, PrintStream out) {
        Map<String, Object> capacity = map(status.get("capacity"));
        Map<String, Object> groups = map(status.get("placementGroups"));
        out.printf("cluster   %s, led by %s%n", status.get("cluster"), status.get("leader"));
        long total = number(capacity.get("totalBytes"));
        long free = number(capacity.get("freeBytes"));
        out.printf(
                "capacity  %s, %s free, %s%n",
                ByteSize.format(total),
                ByteSize.format(free),
                Wording.count(number(capacity.get("inodes")), "inode"));
        Map<String, Object> load = map(status.get("load"));
        if (!load.isEmpty()) {
            out.printf(
                    "load      clients read %s/s and write %s/s%n",
                    ByteSize.format(number(load.get("readBytesPerSecond"))),
                    ByteSize.format(number(load.get("writtenBytesPerSecond"))));
        }
        for (Object each : list(status.get("masters"))) {
            Map<String, Object> master = map(each);
            out.printf(
                    "master    %-8s %-21s %s%s%n",
                    master.get("id"),
                    master.get("raft"),
                    standing(master),
                    release(master, number(status.get("level"))));
        }
        out.printf("groups    %s%n", health(groups, list(status.get("chunkServers")).isEmpty()));
        for (Object each : list(status.get("chunkServers"))) {
            Map<String, Object> server = map(each);
            long chunks = 0;
            long used = 0;
            for (Object target : list(server.get("targets"))) {
                chunks += number(map(target).get("chunks"));
                used +=
                        number(map(target).get("capacityBytes"))
                                - number(map(target).get("freeBytes"));
            }
            out.printf(
                    "chunk     %-8s %-21s %-5s %s, %s, disk use %s, release %s%n",
                    server.get("name"),
                    server.get("endpoint"),
                    Boolean.TRUE.equals(server.get("alive")) ? "up" : "DOWN",
                    Wording.count(list(server.get("targets")).size(), "target"),
                    Wording.count(chunks, "chunk"),
                    ByteSize.format(used),
                    server.get("release"));
        }
        for (Object each : list(status.get("sessions"))) {
            Map<String, Object> session = map(each);
            out.printf(
                    "client    %s, %s, release %s%n",
                    session.get("client"),
                    Wording.count(number(session.get("openFiles")), "open file"),
                    session.get("release"));
        }
    }

    private static String standing(Map<String, Object> master) {
        Object since = master.get("silentSince");
        return since == null ? String.valueOf(master.get("role")) : "DOWN since " + since;
    }

    private static String release(Map<String, Object> master, long level) {
        Object release = master.get("release");
        if (release == null) {
            return "";
        }
        return ", release "
                + release
                + (number(master.get("newestVersion")) > level
                        ? ", not yet used: see 'cairn admin masters finish-upgrade'"
                        : "");
    }

    private static String health(Map<String, Object> groups, boolean noServers) {
        long total = number(groups.get("total"));
        long degraded = number(groups.get("degraded"));
        long unavailable = number(groups.get("unavailable"));
        if (total == 0) {
            return noServers
                    ? "none yet: no chunk server has registered"
                    : "none yet: waiting some seconds for more chunk servers";
        }
        if (degraded == 0) {
            return total + ", all complete";
        }
        return total
                + ", "
                + degraded
                + " short of a copy ("
                + number(groups.get("syncing"))
                + " syncing), "
                + unavailable
                + " unavailable";
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(@Nullable Object value) {
        return value instanceof Map<?, ?> ? (Map<String, Object>) value : Map.of();
    }

    private static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    private static long number(@Nullable Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }
}
