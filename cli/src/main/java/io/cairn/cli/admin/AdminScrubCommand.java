package io.cairn.cli.admin;

import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Pause;
import io.cairn.cli.fs.ClusterPath;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn admin scrub}: verifies copies now. */
@Command(
        name = "scrub",
        description = {
            "Verify all copies on a target, or on all targets, now; or those of a file, or of all"
                    + " files below a directory.",
            "Each copy is read off its disk and compared with its checksums, and with the other",
            "copies. Damaged ones are replaced by good ones. Without this command the same is done",
            "in the background, once in scrubPeriodSeconds (cairn admin config get)."
        },
        footer = {
            "  cairn admin scrub 3 --follow",
            "  cairn admin scrub",
            "  cairn admin scrub /projects       # waits, and tells what was bad and mended"
        })
@Calls({
    "GET /targets",
    "GET /targets/{id}",
    "POST /targets/{id}/scrub",
    "POST /scrub/{path}",
    "GET /scrub"
})
final class AdminScrubCommand implements Callable<Integer> {
    private static final long POLL_MS = 500;
    private static final int MOST_TARGETS = 1000;
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

    @Parameters(
            arity = "0..1",
            paramLabel = "TARGET|PATH",
            description =
                    "The number of a target, or a file or directory: below a mount, or as in the"
                            + " cluster. All targets unless given.")
    private @Nullable String subject;

    @Option(
            names = "--follow",
            description = "Wait until all is verified, and show what was found.")
    private boolean isFollowing;

    @Mixin private Changing changing = new Changing();

    @Override
    public Integer call() {
        String only = subject;
        if (only != null && !NUMBER.matcher(only).matches()) {
            return new TreeScrubLines(changing).run(ClusterPath.of(only, changing).text());
        }
        Map<String, String> orders = new LinkedHashMap<>();
        for (String id : only == null ? targets() : List.of(only)) {
            ApiAnswer done = changing.apply(ApiRequest.of("POST /targets/{id}/scrub", id));
            if (done != null) {
                orders.put(id, String.valueOf(done.document().get("scrubOrder")));
            }
        }
        if (changing.isPlan()) {
            return ExitCode.OK;
        }
        if (isFollowing) {
            orders.forEach(this::await);
        }
        List<Object> rows = new ArrayList<>();
        for (String id : orders.keySet()) {
            rows.add(document(id));
        }
        changing.print(
                changing.table(
                                "id server directory scrub.state:state scrub.doneChunks:done"
                                        + " scrub.totalChunks:of scrub.found:found"
                                        + " scrub.mended:mended scrub.verifiedAt:verified")
                        .lines(rows));
        return ExitCode.OK;
    }

    private List<String> targets() {
        List<String> ids = new ArrayList<>();
        ApiRequest all = ApiRequest.of("GET /targets").query("limit", MOST_TARGETS);
        if (changing.ask(all).document().get("items") instanceof List<?> items) {
            for (Object each : items) {
                if (each instanceof Map<?, ?> one && "up".equals(one.get("state"))) {
                    ids.add(String.valueOf(one.get("id")));
                }
            }
        }
        if (ids.isEmpty()) {
            throw new CommandException(
                    ExitCode.UNAVAILABLE, "no target is up: see cairn admin targets");
        }
        return ids;
    }

    private Map<String, Object> document(String id) {
        return changing.ask(ApiRequest.of("GET /targets/{id}", id)).document();
    }

    /** The order of a later caller counts as well: its pass begins later. */
    private void await(String id, String order) {
        while (true) {
            Map<String, Object> now = document(id);
            boolean follows =
                    now.get("scrub") instanceof Map<?, ?> scrub
                            && "done".equals(scrub.get("state"))
                            && scrub.get("order") instanceof String number
                            && Long.parseLong(number) >= Long.parseLong(order);
            if (follows) {
                return;
            }
            if (!"up".equals(now.get("state"))) {
                throw new CommandException(
                        ExitCode.UNAVAILABLE,
                        "target %s is %s: it is verified when it is up again"
                                .formatted(id, now.get("state")));
            }
            Pause.millis(POLL_MS, ExitCode.TEMPORARY, "the targets go on without this");
        }
    }
}
