package io.cairn.cli.admin;

import io.cairn.base.Printable;
import io.cairn.base.Wording;
import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiOptions;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Pause;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The verification of a tree: its progress and its result in lines. */
final class TreeScrubLines {
    private static final long POLL_MS = 250;
    private static final int TELL_EVERY = 12;

    private final Changing api;

    TreeScrubLines(Changing api) {
        this.api = api;
    }

    /** Begins, waits, tells; the exit code. */
    int run(String path) {
        ApiAnswer begun = api.apply(ApiRequest.of("POST /scrub/{path}", path));
        if (begun == null) {
            return ExitCode.OK;
        }
        ApiAnswer answer = begun;
        for (int i = 1; "running".equals(answer.document().get("state")); i++) {
            if (i % TELL_EVERY == 0) {
                api.errors().println("cairn: verified so far: " + sums(answer.document()));
                api.errors().flush();
            }
            Pause.millis(POLL_MS, ExitCode.TEMPORARY, "the verification goes on");
            answer = api.ask(ApiRequest.of("GET /scrub"));
        }
        Object startedAt = begun.document().get("startedAt");
        if (!Objects.equals(startedAt, answer.document().get("startedAt"))) {
            throw new CommandException(
                    ExitCode.TEMPORARY,
                    "another master leads now, and the verification has ended: begin it again");
        }
        if (api.isJson()) {
            api.printDocument(answer.text());
        } else {
            api.print(lines(answer.document()));
        }
        return code(answer.document());
    }

    private static String sums(Map<String, Object> document) {
        return "%s, %s, %s (%s), %d bad, %d mended"
                .formatted(
                        Wording.count(number(document, "files"), "file"),
                        Wording.count(number(document, "chunks"), "chunk"),
                        Wording.count(number(document, "copies"), "copy"),
                        Wording.bytes(number(document, "bytes")),
                        number(document, "bad"),
                        number(document, "mended"));
    }

    private static List<String> lines(Map<String, Object> document) {
        List<String> lines = new ArrayList<>();
        for (Object finding : ApiOptions.items(document, "findings")) {
            lines.add(Printable.of(String.valueOf(finding)));
        }
        for (Object missed : ApiOptions.items(document, "unchecked")) {
            lines.add("not verified: " + Printable.of(String.valueOf(missed)));
        }
        if (number(document, "omitted") > 0) {
            lines.add("and " + number(document, "omitted") + " more");
        }
        if (document.get("error") != null) {
            lines.add("it ended early: " + Printable.of(String.valueOf(document.get("error"))));
        }
        lines.add(sums(document));
        return lines;
    }

    /** The exit code: what is bad still goes before what was not verified. */
    static int code(Map<String, Object> document) {
        if (number(document, "bad") > number(document, "mended")) {
            return ExitCode.DATA;
        }
        boolean isWhole =
                "done".equals(document.get("state")) && number(document, "uncheckedFiles") == 0;
        return isWhole ? ExitCode.OK : ExitCode.TEMPORARY;
    }

    private static long number(Map<String, Object> document, String field) {
        return document.get(field) instanceof Number number ? number.longValue() : 0;
    }
}
