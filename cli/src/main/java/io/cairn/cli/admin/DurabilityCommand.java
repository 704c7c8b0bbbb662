package io.cairn.cli.admin;

import io.cairn.base.Wording;
import io.cairn.cli.api.ApiOptions;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Reading;
import io.cairn.cli.fs.ClusterPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn admin durability}: which failures lose nothing now. */
@Command(
        name = "durability",
        description = {
            "Tell how many disks, servers, racks and zones may fail at once now without loss of"
                    + " data.",
            "Copies count that are complete: while one is made anew the answer is smaller.",
            "The last line tells since when the copies on these disks are verified."
        },
        footer = {"  cairn admin durability", "  cairn admin durability /projects"})
@Calls("GET /durability/{path}")
final class DurabilityCommand implements Callable<Integer> {
    @Mixin private Reading reading = new Reading();

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "PATH",
            description = "Of a file or directory: below a mount, or as in the cluster.")
    private @Nullable String path;

    @Override
    public Integer call() {
        String given = path;
        String place = given == null ? "" : ClusterPath.of(given, reading).text();
        return reading.show(
                ApiRequest.of("GET /durability/{path}", place), DurabilityCommand::lines);
    }

    private static List<String> lines(Map<String, Object> document) {
        List<String> lines = new ArrayList<>();
        if (number(document, "groups") == 0) {
            lines.add("nothing is stored there on chunk servers");
        }
        for (Object each : ApiOptions.items(document, "failures")) {
            if (each instanceof Map<?, ?> failure && number(document, "groups") > 0) {
                long survives = number(failure, "survives");
                lines.add(
                        "%-7s %s"
                                        .formatted(
                                                failure.get("what"),
                                                survives == 0
                                                        ? "none may fail: data would be lost, or is"
                                                                + " not there now"
                                                        : survives + " may fail at once")
                                + " (weakest: "
                                + Wording.count(number(failure, "groups"), "group")
                                + " of "
                                + number(document, "groups")
                                + ")");
            }
        }
        lines.add("%-7s %d may fail at once".formatted("master", number(document, "masters")));
        String verified = VerifiedPhrase.of(document.get("verified"));
        if (verified != null) {
            lines.add("%-7s %s".formatted("scrub", verified));
        }
        if (number(document, "unavailable") > 0) {
            lines.add(
                    Wording.count(number(document, "unavailable"), "group")
                            + " cannot be read now: see 'cairn admin groups --state unavailable'");
        }
        if (number(document, "incomplete") > 0) {
            lines.add(
                    Wording.count(number(document, "incomplete"), "group")
                            + " short of a copy: see 'cairn admin groups --at-risk'");
        }
        if (Boolean.FALSE.equals(document.get("complete"))) {
            lines.add("a part of the tree was looked at: it has many names");
        }
        return lines;
    }

    private static long number(Map<?, ?> document, String field) {
        return document.get(field) instanceof Number number ? number.longValue() : 0;
    }
}
