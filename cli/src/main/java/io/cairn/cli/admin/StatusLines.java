package io.cairn.cli.admin;

import io.cairn.base.Wording;
import io.cairn.cli.api.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The status of a cluster in lines for people. Made for one document; for one thread. */
final class StatusLines {
    private final Map<String, Object> document;
    private final Values values;
    private final List<String> lines = new ArrayList<>();

    /** Of the document of {@code /cluster}, or of that of a master, which lists members, too. */
    StatusLines(Map<String, Object> document, Values values) {
        this.document = document;
        this.values = values;
    }

    /** All lines: how it is first, then its members. */
    List<String> lines() {
        lines.clear();
        health();
        glance();
        list("masters").forEach(each -> master(map(each)));
        list("chunkServers").forEach(each -> chunkServer(map(each)));
        list("sessions").forEach(each -> session(map(each)));
        return List.copyOf(lines);
    }

    private void health() {
        Map<?, ?> health = map(document.get("health"));
        lines.add(
                "health    %s: %s"
                        .formatted(
                                values.text("level", health.get("level")),
                                values.text("sentence", health.get("sentence"))));
        if (health.get("reasons") instanceof List<?> reasons) {
            for (Object each : reasons) {
                Map<?, ?> reason = map(each);
                lines.add("          - " + values.text("what", reason.get("what")));
                lines.add("            " + values.text("remedy", reason.get("remedy")));
            }
        }
    }

    private void glance() {
        Map<?, ?> space = map(document.get("capacity"));
        Map<?, ?> counts = map(document.get("counts"));
        lines.add(
                "cluster   %s, version %s, led by %s at %s"
                        .formatted(
                                values.text("clusterId", document.get("clusterId")),
                                values.text("version", document.get("version")),
                                values.text("leader", document.get("leader")),
                                values.text("leaderAddress", document.get("leaderAddress"))));
        lines.add(
                "space     %s can be written in %s; %s of %s on disks are free"
                        .formatted(
                                values.text("availableBytes", space.get("availableBytes")),
                                number(space, "standardReplicas", "copy"),
                                values.text("freeBytes", space.get("freeBytes")),
                                values.text("totalBytes", space.get("totalBytes"))));
        inSpace(space);
        lines.add(
                "servers   %s of %s up, %s"
                        .formatted(
                                count(counts, "serversUp"),
                                count(counts, "servers"),
                                number(counts, "targets", "target")));
        lines.add("groups    " + groups(counts));
        if (document.get("moves") instanceof Map<?, ?> moves) {
            copies(moves);
        }
        String verified = VerifiedPhrase.of(document.get("verified"));
        if (verified != null) {
            lines.add("scrub     " + verified);
        }
        lines.add(
                "use       %s, %s%s"
                        .formatted(
                                number(counts, "inodes", "inode"),
                                number(counts, "sessions", "session"),
                                removed(counts)));
        if (document.get("rates") instanceof Map<?, ?> rates) {
            load(rates);
        }
    }

    /** What is remarkable about the space, if anything is. */
    private void inSpace(Map<?, ?> space) {
        if (space.get("trashBytes") instanceof Number trash && trash.longValue() > 0) {
            lines.add(
                    "          of what can be written %s in the trash make room when needed"
                            .formatted(values.text("trashBytes", trash)));
        }
        if (space.get("snapshotBytes") instanceof Number held && held.longValue() > 0) {
            lines.add(
                    "          snapshots hold %s that no file has any more; see '%s'"
                            .formatted(
                                    values.text("snapshotBytes", held),
                                    "cairn snapshot list --held"));
        }
        long saved = amount(space.get("compressionSavedBytes"));
        if (saved > 0) {
            long without = saved + amount(space.get("usedBytes"));
            lines.add(
                    "          compression saves %s (%d %%)"
                            .formatted(
                                    values.text("compressionSavedBytes", saved),
                                    Math.round(100.0 * saved / without)));
        }
        if (space.get("limit") != null) {
            lines.add(
                    "          new files meet a limit after %s: %s"
                            .formatted(
                                    values.text("limitBytes", space.get("limitBytes")),
                                    values.text("limit", space.get("limit"))));
        }
    }

    /** What is copied from disk to disk, while anything is. */
    private void copies(Map<?, ?> moves) {
        long repairing = amount(moves.get("repairing"));
        long moving = amount(moves.get("moving"));
        if (repairing + moving == 0) {
            return;
        }
        Object seconds = moves.get("secondsLeft");
        lines.add(
                "copies    %s short of a copy, %s; about %s left%s"
                        .formatted(
                                Wording.count(repairing, "group"),
                                moving == 1 ? "1 moves" : moving + " move",
                                values.text("leftBytes", moves.get("bytesLeft")),
                                seconds == null
                                        ? ""
                                        : ", for "
                                                + values.text("leftMs", amount(seconds) * 1000)));
    }

    private void load(Map<?, ?> rates) {
        lines.addAll(
                List.of(
                        "load      clients read %s and write %s; %s operations/s in %s each"
                                .formatted(
                                        count(rates, "readBytesPerSecond"),
                                        count(rates, "writtenBytesPerSecond"),
                                        count(rates, "operationsPerSecond"),
                                        count(rates, "latencyMs")),
                        "disks     read %s, write %s; a read takes %s, a write %s, a sync %s"
                                .formatted(
                                        count(rates, "diskReadBytesPerSecond"),
                                        count(rates, "diskWrittenBytesPerSecond"),
                                        count(rates, "readMs"),
                                        count(rates, "writeMs"),
                                        count(rates, "syncMs"))));
    }

    /** What removals have left to do, when there is something. */
    private String removed(Map<?, ?> counts) {
        return amount(counts.get("objectsRemoved")) == 0
                ? ""
                : "; contents of %s still to delete"
                        .formatted(number(counts, "objectsRemoved", "removed file"));
    }

    private String groups(Map<?, ?> counts) {
        if (amount(counts.get("groups")) == 0) {
            return amount(counts.get("serversUp")) == 0
                    ? "none yet: no chunk server has registered"
                    : "none yet: waiting for more chunk servers";
        }
        long former = amount(counts.get("formerPools"));
        String pools =
                former == 0
                        ? ""
                        : "; %s of older files".formatted(Wording.count(former, "former pool"));
        if (amount(counts.get("groupsAtRisk")) == 0) {
            return count(counts, "groups") + ", all complete" + pools;
        }
        return "%s, %s at risk, %s unavailable%s"
                .formatted(
                        count(counts, "groups"),
                        count(counts, "groupsAtRisk"),
                        count(counts, "groupsUnavailable"),
                        pools);
    }

    private void master(Map<?, ?> master) {
        Object since = master.get("silentSince");
        lines.add(
                "master    %-8s %-21s %s%s"
                        .formatted(
                                text(master, "id"),
                                text(master, "raft"),
                                since == null ? text(master, "role") : "DOWN since " + since,
                                release(master)));
    }

    private String release(Map<?, ?> master) {
        if (master.get("release") == null) {
            return "";
        }
        boolean isLater = amount(master.get("newestVersion")) > amount(document.get("level"));
        return ", release "
                + text(master, "release")
                + (isLater ? ", not yet used: see 'cairn admin masters finish-upgrade'" : "");
    }

    private void chunkServer(Map<?, ?> server) {
        List<?> targets = server.get("targets") instanceof List<?> known ? known : List.of();
        String start =
                "chunk     %-8s %-21s %-5s %s"
                        .formatted(
                                text(server, "name"),
                                text(server, "endpoint"),
                                Boolean.TRUE.equals(server.get("alive")) ? "up" : "DOWN",
                                Wording.count(targets.size(), "target"));
        if (targets.stream().noneMatch(each -> map(each).containsKey("capacityBytes"))) {
            lines.add(start); // it has told this leader nothing
            return;
        }
        long chunks = 0;
        long used = 0;
        for (Object each : targets) {
            Map<?, ?> target = map(each);
            chunks += amount(target.get("chunks"));
            used += amount(target.get("capacityBytes")) - amount(target.get("freeBytes"));
        }
        lines.add(
                "%s, %s, disk use %s, release %s"
                        .formatted(
                                start,
                                Wording.count(chunks, "chunk"),
                                values.text("usedBytes", used),
                                text(server, "release")));
    }

    private void session(Map<?, ?> session) {
        lines.add(
                "client    %s, %s, release %s"
                        .formatted(
                                text(session, "client"),
                                Wording.count(amount(session.get("openFiles")), "open file"),
                                text(session, "release")));
    }

    private String text(Map<?, ?> map, String field) {
        return values.text(field, map.get(field));
    }

    private String count(Map<?, ?> counts, String field) {
        return values.text(field, counts.get(field));
    }

    /** A number as values are written, with its noun. */
    private String number(Map<?, ?> counts, String field, String one) {
        return count(counts, field) + " " + Wording.noun(amount(counts.get(field)), one);
    }

    private List<?> list(String field) {
        return document.get(field) instanceof List<?> list ? list : List.of();
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    private static long amount(@Nullable Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }
}
