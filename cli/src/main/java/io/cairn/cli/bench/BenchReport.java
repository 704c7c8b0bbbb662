package io.cairn.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/**
 * The figures of one run as text, as JSON and as a page, beside those of an earlier run if there is
 * one. Immutable.
 */
final class BenchReport {
    private static final int BAR_PIXELS = 260;
    private static final String FORMAT = "cairn-bench-1";
    private static final String STYLE =
            """
            body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }
            table { border-collapse: collapse; width: 100% }
            th, td { border-bottom: 1px solid #ccc; padding: .2em .6em; text-align: right }
            th:first-child, td:first-child { text-align: left }
            rect.now { fill: #2f6f9f } rect.before { fill: #c3cfd8 }
            """;

    private final String title;
    private final List<Figure> figures;
    private final Map<String, Double> before;

    /**
     * A report.
     *
     * @param title where and when it was measured
     * @param figures all of them
     * @param before the values of an earlier run by {@link Figure#key}; may be empty
     */
    BenchReport(String title, List<Figure> figures, Map<String, Double> before) {
        this.title = title;
        this.figures = List.copyOf(figures);
        this.before = Map.copyOf(before);
    }

    /**
     * The values in a document that an earlier run printed with {@code --json}.
     *
     * @throws IOException when the file cannot be read, or is no such document
     */
    static Map<String, Double> read(Path file) throws IOException {
        Map<String, Object> document;
        try {
            document = JSON.std.mapFrom(Files.readString(file));
        } catch (JacksonException e) {
            throw new IOException(file + " is not the JSON of an earlier run", e);
        }
        if (!FORMAT.equals(document.get("format"))
                || !(document.get("figures") instanceof List<?> list)) {
            throw new IOException(file + " is not the JSON of an earlier 'cairn bench --json'");
        }
        Map<String, Double> values = new HashMap<>();
        for (Object each : list) {
            if (each instanceof Map<?, ?> figure && figure.get("value") instanceof Number value) {
                values.put(figure.get("group") + ": " + figure.get("name"), value.doubleValue());
            }
        }
        return values;
    }

    /** One figure as a line. */
    String line(Figure figure) {
        StringBuilder line = new StringBuilder();
        line.append(
                String.format(
                        Locale.ROOT,
                        "  %-34s %12s %-5s",
                        figure.name(),
                        figure.text(),
                        figure.unit()));
        if (figure.ceiling() != null) {
            line.append(
                    String.format(
                            Locale.ROOT,
                            "  %4.0f %% of %s",
                            figure.share() * 100,
                            figure.ceiling().name()));
        }
        Double old = before.get(figure.key());
        if (old != null && old > 0) {
            line.append(String.format(Locale.ROOT, "  %.2f times before", figure.value() / old));
        }
        return line.toString();
    }

    /** As an object of JSON. */
    Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("format", FORMAT);
        document.put("title", title);
        List<Map<String, Object>> all = new ArrayList<>();
        for (Figure each : figures) {
            Map<String, Object> one = each.document();
            Double old = before.get(each.key());
            if (old != null) {
                one.put("before", old);
            }
            all.add(one);
        }
        document.put("figures", all);
        return document;
    }

    /** As a page that needs nothing else. */
    String page() {
        StringBuilder page = new StringBuilder();
        page.append("<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\">")
                .append("<title>cairn bench</title><style>")
                .append(STYLE)
                .append("</style><h1>cairn bench</h1><p>")
                .append(escape(title))
                .append("</p>");
        String group = "";
        for (Figure each : figures) {
            if (!each.group().equals(group)) {
                page.append(group.isEmpty() ? "" : "</table>");
                group = each.group();
                page.append("<h2>").append(escape(group)).append("</h2><table><tr><th>");
                page.append("<th>speed<th>of the ceiling<th>times before<th>");
            }
            row(page, each);
        }
        return page.append("</table></html>\n").toString();
    }

    private void row(StringBuilder page, Figure each) {
        Double old = before.get(each.key());
        page.append("<tr><td>").append(escape(each.name()));
        page.append("<td>").append(each.text()).append(' ').append(each.unit()).append("<td>");
        if (each.ceiling() != null) {
            page.append(String.format(Locale.ROOT, "%.0f %%", each.share() * 100));
        }
        page.append("<td>");
        if (old != null && old > 0) {
            page.append(String.format(Locale.ROOT, "%.2f", each.value() / old));
        }
        double most = largest(each);
        page.append("<td><svg width=\"").append(BAR_PIXELS).append("\" height=\"18\">");
        bar(page, "now", 1, each.value() / most);
        if (old != null) {
            bar(page, "before", 10, old / most);
        }
        page.append("</svg>");
    }

    /** The largest value that stands in the same unit in the same group. */
    private double largest(Figure figure) {
        double most = 1e-9;
        for (Figure each : figures) {
            if (each.group().equals(figure.group()) && each.unit().equals(figure.unit())) {
                most = Math.max(most, each.value());
                most = Math.max(most, value(before.get(each.key())));
            }
        }
        return most;
    }

    private static double value(@Nullable Double value) {
        return value == null ? 0 : value;
    }

    private static void bar(StringBuilder page, String kind, int y, double share) {
        page.append("<rect class=\"").append(kind).append("\" x=\"0\" y=\"").append(y);
        page.append("\" height=\"8\" width=\"").append(Math.round(share * BAR_PIXELS));
        page.append("\"/>");
    }

    private static String escape(String plain) {
        return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
