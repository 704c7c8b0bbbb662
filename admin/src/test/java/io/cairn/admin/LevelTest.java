package io.cairn.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.wire.ProtocolRange;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a rolling upgrade, over the API. The masters are m1 (this one), m2 and m3. */
class LevelTest {
    @TempDir Path directory;

    private static HttpResponse<String> raise(AdminBench bench, String query) throws Exception {
        return bench.change("POST", "/cluster/level" + query, "");
    }

    private static int level(AdminBench bench) {
        return bench.master.service.namespace().level();
    }

    @Test
    void theLevelRisesOnceAllMastersUnderstandMore() throws Exception {
        try (AdminBench bench = new AdminBench(directory, new ProtocolRange(1, 2))) {
            bench.follower("m2", 2);
            HttpResponse<String> silent = raise(bench, "");
            assertEquals(409, silent.statusCode());
            assertTrue(silent.body().contains("m3"), silent.body());
            bench.follower("m3", 1);
            HttpResponse<String> old = raise(bench, "");
            assertEquals(409, old.statusCode());
            assertTrue(old.body().contains("m3 ("), old.body());
            bench.follower("m3", 2);
            assertEquals(200, raise(bench, "?plan=true").statusCode());
            assertEquals(1, level(bench), "a plan changes nothing");
            assertEquals(204, raise(bench, "").statusCode());
            assertEquals(2, level(bench));
            HttpResponse<String> again = raise(bench, "");
            assertEquals(409, again.statusCode());
        }
    }

    @Test
    void mastersTellWhatTheyRun() throws Exception {
        try (AdminBench bench = new AdminBench(directory)) {
            bench.follower("m2", 7);
            List<Map<String, Object>> masters = bench.items("/masters");
            assertEquals(1, masters.get(0).get("newestVersion"));
            assertEquals(7, masters.get(1).get("newestVersion"));
            assertNull(masters.get(2).get("release"), "m3 has told nothing");
            String status = bench.master.service.statusJson();
            assertTrue(status.contains("\"newestVersion\":7"), status);
        }
    }

    @Test
    void clientsCannotRaiseTheLevel() throws Exception {
        try (AdminBench bench = new AdminBench(directory, new ProtocolRange(1, 2))) {
            long session = bench.openSession("somebody");
            Errno errno = bench.refusal(session, 1, new LeaderMutation.RaiseLevel(2));
            assertEquals(Errno.EPERM, errno);
            assertEquals(1, level(bench));
            assertInstanceOf(
                    Reply.Done.class,
                    bench.master.service.submit(new LeaderMutation.RaiseLevel(2)).get());
        }
    }
}
