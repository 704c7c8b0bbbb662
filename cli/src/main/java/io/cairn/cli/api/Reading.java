package io.cairn.cli.api;

import io.cairn.base.Printable;
import io.cairn.cli.option.Require;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.jr.ob.JSON;

/** Options of commands that show something of the admin API, and how they show it. */
public final class Reading extends ApiOptions {
    private static final int PAGE = 1000;
    private static final int MAX_ITEMS = 1_000_000;
    private static final String CLEAR = "\u001b[H\u001b[2J";

    @Option(
            names = "--watch",
            arity = "0..1",
            paramLabel = "SECONDS",
            fallbackValue = "2",
            description = "Show it again and again, every 2 seconds unless told, until Ctrl-C.")
    private @Nullable Integer watch;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Show at most so many items of a list (default: ${DEFAULT-VALUE}).")
    private int limit;

    /** Shows a document as {@code form} says. */
    public int show(ApiRequest request, Function<Map<String, Object>, List<String>> form) {
        return again(() -> ask(request), form);
    }

    /** Shows what {@code source} tells, as {@code form} says. */
    public int show(Supplier<ApiAnswer> source, Function<Map<String, Object>, List<String>> form) {
        return again(source, form);
    }

    /** Shows a document with all its fields. */
    public int show(ApiRequest request) {
        return show(request, document -> sheet().lines(document));
    }

    /** Shows a document with all its fields, and for people a remark on it. */
    public int show(ApiRequest request, String remark) {
        return show(
                request,
                document -> {
                    List<String> lines = new ArrayList<>(sheet().lines(document));
                    lines.add(remark);
                    return lines;
                });
    }

    /** Shows a list as a table. */
    public int list(ApiRequest request, String columns) {
        Require.between("--limit", limit, 1, MAX_ITEMS);
        return again(
                () -> pages(request),
                document -> {
                    List<?> items = items(document);
                    return items.isEmpty() ? List.of("none") : table(columns).lines(items);
                });
    }

    int limit() {
        return limit;
    }

    /** All pages up to the limit; a single one as it came. */
    private ApiAnswer pages(ApiRequest request) {
        List<Object> all = new ArrayList<>();
        boolean isWhole = true;
        ApiAnswer first = ask(request.query("limit", Math.min(limit, PAGE)));
        all.addAll(items(first.document()));
        Object next = first.document().get("next");
        while (next != null && all.size() < limit) {
            isWhole = false;
            ApiAnswer page =
                    ask(
                            request.query("limit", Math.min(limit - all.size(), PAGE))
                                    .query("after", next));
            all.addAll(items(page.document()));
            next = page.document().get("next");
        }
        if (next != null && !isJson()) {
            errors().println("cairn: there are more than " + limit + "; see --limit");
        }
        if (isWhole) {
            return first;
        }
        Map<String, Object> document = new LinkedHashMap<>(first.document());
        document.put("items", all);
        document.put("next", next);
        return new ApiAnswer(text(document), document, null);
    }

    private static String text(Map<String, Object> document) {
        return JSON.std.asString(document);
    }

    private int again(
            Supplier<ApiAnswer> source, Function<Map<String, Object>, List<String>> form) {
        Integer periodS = watch;
        if (periodS == null) {
            print(lines(source.get(), form));
            return ExitCode.OK;
        }
        Require.between("--watch", periodS, 1, 86_400);
        boolean isTerminal = screen().isTerminal();
        while (!Thread.currentThread().isInterrupted()) {
            List<String> lines = watched(source, form);
            if (isTerminal && !isJson()) {
                out().print(CLEAR);
                out().println(
                                line().getCommandSpec().qualifiedName()
                                        + ", every "
                                        + periodS
                                        + " s: "
                                        + Instant.now().truncatedTo(ChronoUnit.SECONDS));
                out().println();
            }
            print(lines);
            if (!isTerminal && !isJson()) {
                print(List.of(""));
            }
            try {
                TimeUnit.SECONDS.sleep(periodS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return ExitCode.OK;
    }

    /** A person who watches wants to see the end of a trouble, too. */
    private List<String> watched(
            Supplier<ApiAnswer> source, Function<Map<String, Object>, List<String>> form) {
        try {
            return lines(source.get(), form);
        } catch (ApiException e) {
            if (e.exitCode() != ExitCode.UNAVAILABLE && e.exitCode() != ExitCode.TEMPORARY) {
                throw e;
            }
            errors().println("cairn: " + Printable.of(String.valueOf(e.getMessage())));
            return List.of();
        } catch (CommandException e) {
            if (e.exitCode() != ExitCode.UNAVAILABLE) {
                throw e;
            }
            errors().println("cairn: " + e.getMessage());
            return List.of();
        }
    }

    private List<String> lines(ApiAnswer answer, Function<Map<String, Object>, List<String>> form) {
        return isJson() ? List.of(answer.text().strip()) : form.apply(answer.document());
    }
}
