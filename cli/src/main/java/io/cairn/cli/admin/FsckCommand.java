package io.cairn.cli.admin;

import io.cairn.base.Printable;
import io.cairn.base.Wording;
import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Pause;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn fsck}: checks a running cluster. */
@Command(
        name = "fsck",
        description = {
            "Check a running cluster: names, link counts, sizes and layouts in a snapshot of the"
                    + " metadata, and the chunks that chunk servers hold against them. Nothing"
                    + " stops meanwhile.",
            "Exit codes, as of fsck(8): 0 clean; 1 leftovers, which only take room, or all faults"
                    + " were repaired; 4 faults are left; 8 not everything could be checked."
        },
        footer = {
            "  cairn fsck",
            "  cairn fsck --repair          # also delete chunks that belong to no file",
            "  cairn fsck --json"
        })
@Calls({"POST /fsck", "GET /fsck"})
public final class FsckCommand implements Callable<Integer> {
    private static final int LEFTOVERS = 1;
    private static final int FAULTS = 4;
    private static final int INCOMPLETE = 8;
    private static final long PERIOD_MS = 250;
    private static final int TELL_EVERY = 12;

    @Mixin private Changing api = new Changing();

    @Option(
            names = "--repair",
            description =
                    "Delete chunks that belong to no file, when a second look still finds them."
                            + " Nothing else is changed.")
    private boolean repair;

    @Override
    public Integer call() {
        ApiRequest request =
                ApiRequest.of("POST /fsck").body(repair ? Map.of("repair", true) : Map.of());
        ApiAnswer begun = repair ? api.applyWithConsent(request) : api.apply(request);
        if (begun == null) {
            return ExitCode.OK;
        }
        ApiAnswer answer = begun;
        for (int i = 1; is(answer, "running"); i++) {
            if (i % TELL_EVERY == 0) {
                progress(answer.document());
            }
            Pause.millis(PERIOD_MS, INCOMPLETE, "the check goes on");
            answer = api.ask(ApiRequest.of("GET /fsck"));
        }
        boolean isOurs =
                Objects.equals(
                        begun.document().get("startedAt"), answer.document().get("startedAt"));
        if (!isOurs) {
            throw new CommandException(
                    INCOMPLETE, "another master leads now, and the check has ended: check again");
        }
        if (api.isJson()) {
            api.printDocument(answer.text());
        } else {
            api.print(lines(answer.document()));
        }
        return code(answer.document());
    }

    private static boolean is(ApiAnswer answer, String state) {
        return state.equals(answer.document().get("state"));
    }

    private void progress(Map<String, Object> document) {
        api.errors()
                .println(
                        "cairn: checking %s: %s, %s"
                                .formatted(
                                        document.get("phase"),
                                        count(document, "inodes", "inode"),
                                        count(document, "chunks", "chunk")));
        api.errors().flush();
    }

    private static String count(Map<String, Object> document, String field, String noun) {
        return Wording.count(number(document, field), noun);
    }

    private static long number(Map<String, Object> document, String field) {
        return document.get(field) instanceof Number number ? number.longValue() : 0;
    }

    private static List<?> list(Map<String, Object> document, String field) {
        return document.get(field) instanceof List<?> list ? list : List.of();
    }

    private static List<String> lines(Map<String, Object> document) {
        List<String> lines = new ArrayList<>();
        for (Object each : list(document, "findings")) {
            if (each instanceof Map<?, ?> finding) {
                lines.add(
                        Printable.of(finding.get("kind") + ": " + finding.get("text"))
                                + (Boolean.TRUE.equals(finding.get("repaired"))
                                        ? " (repaired)"
                                        : ""));
            }
        }
        long omitted = number(document, "omitted");
        if (omitted > 0) {
            lines.add("and " + omitted + " more");
        }
        list(document, "unchecked")
                .forEach(each -> lines.add("not checked: " + Printable.of(String.valueOf(each))));
        if (document.get("error") != null) {
            lines.add(
                    "the check ended early: "
                            + Printable.of(String.valueOf(document.get("error"))));
        }
        lines.add(
                "%s, %s: %s, %s"
                        .formatted(
                                count(document, "inodes", "inode"),
                                count(document, "chunks", "chunk"),
                                count(document, "faults", "fault"),
                                count(document, "leftovers", "leftover")));
        return lines;
    }

    private static int code(Map<String, Object> document) {
        if (number(document, "faults") > 0) {
            return FAULTS;
        }
        if (!"done".equals(document.get("state")) || !list(document, "unchecked").isEmpty()) {
            return INCOMPLETE;
        }
        return number(document, "leftovers") > 0 ? LEFTOVERS : ExitCode.OK;
    }
}
