package io.cairn.admin.watch;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Shape;
import io.cairn.master.cluster.LoadRates;
import io.cairn.master.cluster.TargetActivity;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The load of targets as fields of documents: the same ones for a target, a server and all. */
public final class LoadDocument {
    /** A rate: its name, what it is, and where it comes from. */
    private record Rate(Field field, Function<LoadRates, @Nullable Object> value) {
        static Rate bytes(String name, String description, ToDoubleFunction<LoadRates> value) {
            return new Rate(
                    Field.maybe(name, Shape.count(), description),
                    rates -> Math.round(value.applyAsDouble(rates)));
        }

        static Rate count(String name, String description, ToDoubleFunction<LoadRates> value) {
            return new Rate(
                    Field.maybe(name, new Shape.Decimal(), description),
                    rates -> Math.round(value.applyAsDouble(rates) * 10) / 10.0);
        }

        static Rate ms(
                String name, String description, Function<LoadRates, @Nullable Object> value) {
            return new Rate(Field.maybe(name, new Shape.Decimal(), description), value);
        }
    }

    private static final List<Rate> RATES =
            List.of(
                    Rate.bytes("readBytesPerSecond", "What clients read.", LoadRates::servedBytes),
                    Rate.bytes(
                            "writtenBytesPerSecond",
                            "What clients write, each byte once.",
                            LoadRates::takenBytes),
                    Rate.bytes(
                            "diskReadBytesPerSecond",
                            "Off the disks, for other servers too.",
                            LoadRates::readBytes),
                    Rate.bytes(
                            "diskWrittenBytesPerSecond",
                            "To the disks: all copies.",
                            LoadRates::writtenBytes),
                    Rate.count("readsPerSecond", "Reads of the disks.", LoadRates::reads),
                    Rate.count("writesPerSecond", "Writes to the disks.", LoadRates::writes),
                    Rate.count(
                            "syncsPerSecond",
                            "How often contents were made durable.",
                            LoadRates::syncs),
                    Rate.ms("readMs", "That a read takes; null without any.", LoadRates::readMs),
                    Rate.ms("writeMs", "That a write takes; null without any.", LoadRates::writeMs),
                    Rate.ms(
                            "syncMs",
                            "That making durable takes; null without any.",
                            LoadRates::syncMs));

    private LoadDocument() {}

    /** The fields that {@link #put} puts, and others in front of them. */
    public static Shape shape(Field... before) {
        List<Field> fields = new ArrayList<>(List.of(before));
        RATES.forEach(rate -> fields.add(rate.field));
        return new Shape.Fields(fields);
    }

    /** The report of a target or a server about itself. */
    static Shape targetShape() {
        return shape(
                Field.of(
                        "errors",
                        Shape.count(),
                        "Failed reads, writes and syncs, and contents found damaged."),
                Field.of("since", Shape.time(), "When its process began to count."),
                Field.of("readBytes", Shape.count(), "What clients have read since then."),
                Field.of(
                        "writtenBytes",
                        Shape.count(),
                        "What clients have written since then, each byte once."),
                Field.maybe("lastErrorAt", Shape.time(), "Null without errors."));
    }

    /** Puts rates; null for each when they are not known. */
    public static void put(Map<String, Object> document, @Nullable LoadRates rates) {
        for (Rate rate : RATES) {
            document.put(rate.field.name(), rates == null ? null : rate.value.apply(rates));
        }
    }

    /** Targets together; null when nothing is known of any. */
    static @Nullable Map<String, Object> of(List<TargetActivity> targets) {
        if (targets.isEmpty()) {
            return null;
        }
        LoadRates rates = null;
        long errors = 0;
        long read = 0;
        long written = 0;
        Instant since = Instant.MAX;
        Instant lastErrorAt = null;
        for (TargetActivity target : targets) {
            rates = LoadRates.sum(rates, target.rates());
            errors += target.total().errors();
            read += target.total().servedBytes();
            written += target.total().takenBytes();
            since = since.isBefore(target.since()) ? since : target.since();
            Instant at = target.lastErrorAt();
            lastErrorAt =
                    at == null || (lastErrorAt != null && lastErrorAt.isAfter(at))
                            ? lastErrorAt
                            : at;
        }
        Map<String, Object> document = Json.map();
        document.put("errors", errors);
        document.put("since", text(since));
        document.put("readBytes", read);
        document.put("writtenBytes", written);
        document.put("lastErrorAt", lastErrorAt == null ? null : text(lastErrorAt));
        put(document, rates);
        return document;
    }

    /** To the second. */
    public static String text(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
