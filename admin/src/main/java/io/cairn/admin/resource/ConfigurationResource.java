package io.cairn.admin.resource;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.base.Wording;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Pool;
import io.cairn.master.MasterService;
import io.cairn.master.MasterSettings;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.wire.master.RecordChange;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * {@code /configuration}: what can be changed while all runs, and what was decided at the start.
 * Levels of loggers are the record {@code setting/logLevels}; every master follows it.
 */
public final class ConfigurationResource implements Resource {
    public static final String LOG_LEVELS = "setting/logLevels";

    private static final Pattern LOGGER = Pattern.compile("[a-zA-Z0-9_$]+(\\.[a-zA-Z0-9_$]+)*");
    private static final int MAX_LOGGERS = 64;
    private static final List<String> LEVELS =
            List.of("trace", "debug", "info", "warn", "error", "off");

    private static final Field REPLICAS =
            Field.of(
                    "standardReplicas",
                    Shape.whole(1, Policy.MAX_REPLICAS),
                    "Copies of every chunk of new files where no policy says otherwise.");
    private static final Field LOGGERS =
            Field.of(
                    "logLevels",
                    new Shape.Table(Shape.choice(LEVELS), MAX_LOGGERS),
                    "Levels of loggers of all masters; others are as logback.xml says.");

    private static final Shape SHAPE =
            Shape.fields(
                    REPLICAS,
                    LOGGERS,
                    Field.of("inlineLimitBytes", Shape.count(), "Files up to it are in the inode."),
                    Field.of("sessionLeaseMs", Shape.count(), "Of clients."),
                    Field.of("serverLeaseMs", Shape.count(), "Of chunk servers."),
                    Field.of("settleMs", Shape.count(), "Before new pools are made."),
                    Field.of("expectedServers", Shape.count(), "0: as many as come."));

    private final MasterService master;
    private final Records records;

    public ConfigurationResource(MasterService master, Records records) {
        this.master = master;
        this.records = records;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/configuration", Role.READ, "Settings of the cluster.")
                        .answers(SHAPE)
                        .reads(_ -> Outcome.of(document())),
                Route.of("PATCH", "/configuration", Role.ADMIN, "Changes some settings.")
                        .takes(
                                Field.maybe(
                                        REPLICAS.name(), REPLICAS.shape(), REPLICAS.description()),
                                Field.maybe(
                                        LOGGERS.name(),
                                        LOGGERS.shape(),
                                        "Replaces all; an empty object sets none."))
                        .answers(SHAPE)
                        .changes(this::change));
    }

    /** The levels of loggers that a state tells. */
    public static Map<String, String> logLevels(List<AdminRecord> found) {
        Map<String, String> levels = new TreeMap<>();
        if (!found.isEmpty() && found.getFirst().key().equals(LOG_LEVELS)) {
            Json.stored(found.getFirst().value())
                    .forEach((logger, level) -> levels.put(logger, String.valueOf(level)));
        }
        return levels;
    }

    private Map<String, String> logLevels() {
        return logLevels(records.some(LOG_LEVELS, "", 1));
    }

    private Map<String, Object> document() {
        MasterSettings settings = master.settings();
        Map<String, Object> document = Json.map();
        document.put("standardReplicas", master.namespace().standardReplicas());
        document.put("logLevels", logLevels());
        document.put("inlineLimitBytes", master.namespace().inlineLimitBytes());
        document.put("sessionLeaseMs", settings.sessionLeaseMs());
        document.put("serverLeaseMs", settings.cluster().serverLeaseMs());
        document.put("settleMs", settings.cluster().settleMs());
        document.put("expectedServers", settings.cluster().expectedServers());
        return document;
    }

    private Plan change(Call call) {
        Long replicas = call.bodyNumber("standardReplicas");
        Map<String, String> levels = call.body().get("logLevels") == null ? null : wanted(call);
        long version = records.version(LOG_LEVELS);
        Plan plan =
                new Plan(
                        () -> {
                            records.changeSettings(
                                    replicas == null ? 0 : replicas.intValue(),
                                    levels == null ? List.of() : List.of(record(levels, version)));
                            return Outcome.of(document());
                        });
        int standard = master.namespace().standardReplicas();
        if (replicas != null && replicas != standard) {
            requirePool(replicas.intValue());
            plan.change("standardReplicas", standard, replicas);
            plan.warn("Files that exist keep their number of copies.");
        }
        if (levels != null && !levels.equals(logLevels())) {
            plan.change("logLevels", logLevels(), levels);
        }
        return plan;
    }

    private static Map<String, String> wanted(Call call) {
        Map<String, String> levels = new TreeMap<>();
        if (call.body().get("logLevels") instanceof Map<?, ?> map) {
            map.forEach(
                    (logger, level) -> levels.put(String.valueOf(logger), String.valueOf(level)));
        }
        for (String logger : levels.keySet()) {
            if (!LOGGER.matcher(logger).matches() || logger.length() > 200) {
                throw Problem.invalid(
                        "logLevels." + logger,
                        "'" + logger + "' is not the name of a logger, such as io.cairn.master.");
            }
        }
        return levels;
    }

    private void requirePool(int replicas) {
        List<Integer> possible =
                master.namespace().clusterMap().pools().stream()
                        .map(Pool::replicas)
                        .distinct()
                        .sorted()
                        .toList();
        if (!possible.contains(replicas)) {
            throw Problem.conflict(
                    "There is no pool with "
                            + Wording.count(replicas, "copy")
                            + ", only "
                            + possible
                            + ": add chunk servers.");
        }
    }

    private static RecordChange record(Map<String, String> levels, long version) {
        byte[] value = levels.isEmpty() ? null : Json.bytes(levels);
        return new RecordChange(LOG_LEVELS, version, value);
    }
}
