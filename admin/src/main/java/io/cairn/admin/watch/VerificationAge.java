package io.cairn.admin.watch;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Shape;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.scrub.ScrubReport;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Since when all copies on some targets are verified. Servers tell it for each target.
 *
 * @param secondsAgo when the oldest copy was verified, or written; null when none was yet, or there
 *     is none
 * @param unverified targets that have not verified all their copies yet, or tell nothing now
 */
public record VerificationAge(@Nullable Long secondsAgo, long unverified) {
    public static final Shape SHAPE =
            Shape.fields(
                    Field.maybe(
                            "secondsAgo",
                            Shape.count(),
                            "When the oldest copy was verified, or written; null: none was yet, or"
                                    + " there is none."),
                    Field.of(
                            "unverified",
                            Shape.count(),
                            "Disks that have not verified all copies yet, or tell nothing now."));

    /** Of targets with some identities. */
    public static VerificationAge of(List<TargetReport> told, Collection<Long> identities) {
        List<ScrubReport> verified =
                told.stream()
                        .filter(report -> identities.contains(report.identity()))
                        .map(TargetReport::scrub)
                        .filter(report -> report.verifiedAgoMs() >= 0)
                        .toList();
        Long oldest =
                verified.stream()
                        .filter(report -> report.totalBlobs() > 0)
                        .map(report -> report.verifiedAgoMs() / 1_000)
                        .max(Comparator.naturalOrder())
                        .orElse(null);
        return new VerificationAge(oldest, Math.max(0, identities.size() - verified.size()));
    }

    /** The document. */
    public Map<String, Object> document() {
        Map<String, Object> document = Json.map();
        document.put("secondsAgo", secondsAgo);
        document.put("unverified", unverified);
        return document;
    }
}
