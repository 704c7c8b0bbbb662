package io.cairn.verify;

import io.cairn.verify.FaultSummary.Stalls;
import io.cairn.verify.work.Findings.Violation;
import io.cairn.verify.work.OperationKind;

/** A report as one page of HTML that needs nothing else. */
public final class ReportPage {
    private static final String STYLE =
            """
            body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em }
            table { border-collapse: collapse }
            th, td { border: 1px solid #bbb; padding: .3em .7em }
            td { text-align: right } td:first-child { text-align: left }
            pre { background: #f4f4f4; padding: 1em; overflow: auto }
            .well { color: #176117 } .broken { color: #a01010 }
            """;

    private ReportPage() {}

    /** The page. */
    public static String of(Report report) {
        StringBuilder page = new StringBuilder();
        page.append("<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\">")
                .append("<title>cairn verify</title><style>")
                .append(STYLE)
                .append("</style><h1>cairn verify</h1><p class=\"")
                .append(report.violationCount() == 0 ? "well" : "broken")
                .append("\">")
                .append(text(report.verdict()))
                .append("</p>");
        table(page, report);
        if (!report.violations().isEmpty()) {
            page.append("<h2>Broken promises</h2>");
            for (Violation each : report.violations()) {
                page.append("<h3>").append(text(each.fault())).append("</h3><pre>");
                page.append(text(each.text())).append("</pre>");
            }
        }
        list(page, "Operations that failed although they should have waited", report.errors());
        list(page, "Notes", report.notes());
        page.append("<h2>Again</h2><pre>").append(text(report.command())).append("</pre></html>\n");
        return page.toString();
    }

    private static void table(StringBuilder page, Report report) {
        page.append("<table><tr><th rowspan=2>fault<th rowspan=2>trials");
        page.append("<th rowspan=2>violations<th rowspan=2>errors");
        for (OperationKind kind : OperationKind.values()) {
            page.append("<th colspan=3>").append(kind.text()).append(" (ms)");
        }
        page.append("<tr>");
        for (OperationKind _ : OperationKind.values()) {
            page.append("<th>longest<th>median<th>p99");
        }
        for (FaultSummary each : report.summaries()) {
            page.append("<tr><td>").append(text(each.fault()));
            page.append("<td>").append(each.trials());
            page.append("<td>").append(each.violations());
            page.append("<td>").append(each.errors());
            for (Stalls stalls : each.stalls().values()) {
                page.append("<td>").append(stalls.longestMs());
                page.append("<td>").append(stalls.medianMs());
                page.append("<td>").append(stalls.p99Ms());
            }
        }
        page.append("</table><p>Longest: the time that one operation took of a fault. Median and")
                .append(" p99: from the fault to the next success, at each mount or gateway.</p>");
    }

    private static void list(StringBuilder page, String title, Iterable<String> lines) {
        if (!lines.iterator().hasNext()) {
            return;
        }
        page.append("<h2>").append(text(title)).append("</h2><ul>");
        for (String each : lines) {
            page.append("<li>").append(text(each));
        }
        page.append("</ul>");
    }

    private static String text(String plain) {
        return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
