package io.cairn.cli.api;

import io.cairn.base.Printable;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of commands that change something over the admin API, and the care they take. */
public final class Changing extends ApiOptions {
    @Option(names = "--plan", description = "Print what would change, and change nothing.")
    private boolean plan;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask before data, copies or rights are lost.")
    private boolean yes;

    public boolean isPlan() {
        return plan;
    }

    /**
     * Does a change that loses nothing, or tells its plan.
     *
     * @return the answer; null when only the plan was asked for
     */
    public @Nullable ApiAnswer apply(ApiRequest request) {
        if (!plan) {
            return ask(request);
        }
        ApiAnswer planned = ask(request.query("plan", true));
        if (isJson()) {
            printDocument(planned.text());
        } else {
            print(planLines(planned.document()));
        }
        return null;
    }

    /** The same for a change that loses something: only after consent to its very plan. */
    public @Nullable ApiAnswer applyWithConsent(ApiRequest request) {
        if (plan || yes) {
            return apply(request);
        }
        ApiAnswer planned = ask(request.query("plan", true));
        PrintWriter errors = errors();
        planLines(planned.document()).forEach(errors::println);
        if (!Screen.isTerminal(0)) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "nothing was done: there is no terminal to ask; say --yes when this is wanted");
        }
        errors.print("Do it? [y/N] ");
        errors.flush();
        if (!isYes()) {
            throw new CommandException(ExitCode.TEMPORARY, "nothing was done");
        }
        String etag = planned.document().get("etag") instanceof String text ? text : null;
        return ask(request.ifMatch(etag));
    }

    private static boolean isYes() {
        try {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
            String answer = in.readLine();
            return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
        } catch (IOException e) {
            throw new CommandException(ExitCode.IO_ERROR, "the answer cannot be read", e);
        }
    }

    /** Tells what was done: the API's document with {@code --json}, else a line. */
    public int done(@Nullable ApiAnswer answer, String sentence) {
        if (answer == null) {
            return ExitCode.OK;
        }
        if (!isJson()) {
            print(List.of(Printable.of(sentence)));
        } else if (!answer.text().isEmpty()) {
            printDocument(answer.text());
        }
        return ExitCode.OK;
    }

    private List<String> planLines(Map<String, Object> document) {
        List<String> lines = new ArrayList<>();
        List<?> changes = document.get("changes") instanceof List<?> list ? list : List.of();
        if (changes.isEmpty()) {
            lines.add("nothing would change");
        }
        Values values = values();
        for (Object each : changes) {
            if (each instanceof Map<?, ?> change) {
                lines.add(
                        "would change "
                                + values.text("what", change.get("what"))
                                + ": "
                                + side(values, change.get("from"))
                                + " -> "
                                + side(values, change.get("to")));
            }
        }
        if (document.get("warnings") instanceof List<?> warnings) {
            warnings.forEach(each -> lines.add("  note: " + values.text("warning", each)));
        }
        return lines;
    }

    private static String side(Values values, @Nullable Object value) {
        return value == null ? "nothing" : values.text("", value);
    }
}
