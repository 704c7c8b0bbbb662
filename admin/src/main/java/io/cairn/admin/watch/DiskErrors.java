package io.cairn.admin.watch;

import io.cairn.admin.api.Json;
import io.cairn.base.Wording;
import io.cairn.master.cluster.LoadWatch;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.master.cluster.TargetActivity;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The targets that work and lately had errors: failed reads, writes or syncs, or contents that were
 * found damaged. A disk that begins to fail is better emptied before it ends.
 */
public final class DiskErrors {
    /** How long an error is remembered after it was the last one. */
    public static final Duration LATELY = Duration.ofDays(1);

    /** A target with errors. */
    record Erring(String server, TargetReport report, TargetActivity activity) {
        String disk() {
            return report.directory().isEmpty()
                    ? "target " + Json.hex(report.identity())
                    : report.directory();
        }
    }

    private DiskErrors() {}

    public static List<Erring> of(List<ServerStatus> servers, LoadWatch load, Instant now) {
        List<Erring> erring = new ArrayList<>();
        for (ServerStatus server : servers) {
            for (TargetReport report : server.targets()) {
                TargetActivity activity = load.of(report.identity());
                if (report.healthy() && activity != null && hasErrors(activity, now)) {
                    erring.add(new Erring(server.name(), report, activity));
                }
            }
        }
        return erring;
    }

    private static boolean hasErrors(TargetActivity activity, Instant now) {
        Instant last = activity.lastErrorAt();
        return last != null && last.plus(LATELY).isAfter(now);
    }

    /** The slow disks, by target: in words. */
    public static Map<Long, String> slow(List<ServerStatus> servers, LoadWatch load) {
        Map<Long, String> reasons = load.slow();
        Map<Long, String> texts = new TreeMap<>();
        for (ServerStatus server : servers) {
            for (TargetReport report : server.targets()) {
                String reason = reasons.get(report.identity());
                if (reason != null && server.alive() && report.healthy()) {
                    String disk =
                            report.directory().isEmpty()
                                    ? "target " + Json.hex(report.identity())
                                    : report.directory();
                    texts.put(
                            report.identity(),
                            "Disk %s of chunk server %s is slow: %s."
                                    .formatted(disk, server.name(), reason));
                }
            }
        }
        return texts;
    }

    /** Says which disks are slow to those who ask how the cluster is. */
    public static void tellSlow(Map<Long, String> slow, Health health) {
        for (String text : slow.values()) {
            health.warning(
                    text,
                    "Look at the disk's own health and at what else uses it; empty and replace it"
                            + " if this stays.");
        }
    }

    /** Says so to those who ask how the cluster is. */
    public static void tell(List<Erring> erring, Health health) {
        for (Erring each : erring) {
            long errors = each.activity.total().errors();
            Instant last = each.activity.lastErrorAt();
            health.warning(
                    "Disk %s of chunk server %s has had %s since %s%s."
                            .formatted(
                                    each.disk(),
                                    each.server,
                                    Wording.count(errors, "error"),
                                    LoadDocument.text(each.activity.since()),
                                    last == null ? "" : ", the last at " + LoadDocument.text(last)),
                    "Look at the log of %s and at the disk's own health; replace the disk if more"
                                    .formatted(each.server)
                            + " come. A day after the last one this is not told any more.");
        }
    }
}
