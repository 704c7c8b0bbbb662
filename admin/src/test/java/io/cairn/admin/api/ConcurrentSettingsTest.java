package io.cairn.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.admin.AdminBench;
import io.cairn.admin.resource.ConfigurationResource;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two administrators change parts of one setting at the same moment. */
final class ConcurrentSettingsTest {
    private static final Call.Caller CALLER = new Call.Caller("t", Role.ADMIN, "127.0.0.1");

    @TempDir Path directory;
    private AdminBench bench;
    private ConfigurationResource resource;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
        resource =
                new ConfigurationResource(bench.master.service, new Records(bench.master.service));
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static Call call(Route route, Map<String, Object> body) {
        return new Call(route, Map.of(), Map.of(), body, CALLER);
    }

    private Plan plan(Map<String, Object> body) {
        Route change = resource.routes().getLast();
        return change.deciding().decide(call(change, body));
    }

    private Object told(String field) {
        Route look = resource.routes().getFirst();
        return ((Map<?, ?>) look.reading().answer(call(look, Map.of())).body()).get(field);
    }

    @ParameterizedTest
    @CsvSource({
        "backupKeep, backupIntervalMinutes",
        "scrubSharePercent, scrubPeriodSeconds",
        "repairSharePercent, repairGraceMs"
    })
    void theChangeOfAnotherPartIsNotLost(String mine, String other) {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        Map<String, Object> body =
                new HashMap<>(Map.of(mine, 3L)) {
                    @Override
                    public Object get(Object field) {
                        if (field.equals(mine) && isFirst.getAndSet(false)) {
                            plan(Map.of(other, 77L)).carryOut();
                        }
                        return super.get(field);
                    }
                };
        Problem stale = assertThrows(Problem.class, plan(body)::carryOut);
        assertEquals(412, stale.problem().status());
        assertEquals(77L, told(other));
        plan(Map.of(mine, 3L)).carryOut();
        assertEquals(3L, ((Number) told(mine)).longValue());
        assertEquals(77L, told(other));
    }
}
