package io.cairn.admin.watch;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Shape;
import io.cairn.wire.scrub.ScrubReport;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** How far the copies of a target are verified, as fields of documents. */
public final class ScrubDocument {
    public static final Shape SHAPE =
            Shape.fields(
                    Field.maybe(
                            "verifiedAt",
                            Shape.time(),
                            "Each copy was verified, or written, since then; null: not yet."),
                    Field.of(
                            "state",
                            Shape.choice(List.of("running", "ordered", "done")),
                            "ordered: without pauses, because somebody asked for it."),
                    Field.of("beganAt", Shape.time(), "When this pass began."),
                    Field.maybe("order", Shape.text(), "Number of the order that it follows."),
                    Field.of("doneChunks", Shape.count(), "Copies verified in this pass."),
                    Field.of("totalChunks", Shape.count(), "Copies that it holds."),
                    Field.of("readBytes", Shape.count(), "For this, since its process began."),
                    Field.of("verifiedChunks", Shape.count(), "Since its process began."),
                    Field.of("found", Shape.count(), "Damaged copies since then."),
                    Field.of("mended", Shape.count(), "Of those, replaced by a good copy."),
                    Field.of("quarantined", Shape.count(), "Bad files that it keeps aside."));

    private ScrubDocument() {}

    /** The document. */
    public static Map<String, Object> of(ScrubReport report, long nowMs) {
        Instant now = Instant.ofEpochMilli(nowMs);
        Map<String, Object> document = Json.map();
        boolean isKnown = report.verifiedAgoMs() >= 0;
        document.put(
                "verifiedAt",
                isKnown ? LoadDocument.text(now.minusMillis(report.verifiedAgoMs())) : null);
        boolean isOrdered = report.order() != 0;
        document.put("state", report.done() ? "done" : isOrdered ? "ordered" : "running");
        document.put("beganAt", LoadDocument.text(now.minusMillis(report.passAgoMs())));
        document.put("order", isOrdered ? String.valueOf(report.order()) : null);
        document.put("doneChunks", report.doneBlobs());
        document.put("totalChunks", report.totalBlobs());
        document.put("readBytes", report.readBytes());
        document.put("verifiedChunks", report.verifiedBlobs());
        document.put("found", report.found());
        document.put("mended", report.mended());
        document.put("quarantined", (long) report.quarantined());
        return document;
    }
}
