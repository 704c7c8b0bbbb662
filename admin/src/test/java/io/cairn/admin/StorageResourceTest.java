package io.cairn.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.api.Plan;
import io.cairn.admin.api.ShapeCheck;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.wire.master.TargetLoad;
import io.cairn.wire.scrub.ScrubReport;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullUnmarked
class StorageResourceTest {
    @TempDir Path directory;
    private AdminBench bench;
    private Forest forest;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
        bench.startServers();
        forest = new Forest(bench.master.service);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private ClusterMap map() {
        return bench.master.service.namespace().clusterMap();
    }

    private void refused(int status, String method, String path, String body, String... words)
            throws Exception {
        ClusterMap before = map();
        HttpResponse<String> answer = bench.change(method, path, body);
        assertEquals(status, answer.statusCode(), answer.body());
        for (String word : words) {
            assertTrue(answer.body().contains(word), () -> word + " in " + answer.body());
        }
        assertEquals(before, map());
    }

    private void done(String method, String path, String body) throws Exception {
        HttpResponse<String> answer = bench.change(method, path, body);
        assertEquals(204, answer.statusCode(), answer.body());
    }

    /** A file of so many copies refers to their pool. */
    private void store(int replicas) throws Exception {
        String copies = "{\"standardReplicas\":" + replicas + "}";
        assertEquals(200, bench.change("PATCH", "/configuration", copies).statusCode());
        forest.create(Forest.ROOT, "file" + replicas, "words");
    }

    @Test
    void aTargetDrainsByAPlanAndComesBack() throws Exception {
        store(1);
        HttpResponse<String> told = bench.change("POST", "/targets/1/drain?plan=true", "{}");
        assertEquals(200, told.statusCode(), told.body());
        ShapeCheck.check(Plan.shape(), AdminBench.object(told), "");
        assertTrue(told.body().contains("move to other targets"), told.body());
        assertTrue(told.body().contains("target 1 of chunk server c1"), told.body());
        assertEquals(false, bench.get("/targets/1").get("draining"));
        done("POST", "/targets/1/drain", "{}");
        assertEquals(true, bench.get("/targets/1").get("draining"));
        done("POST", "/targets/1/undrain", "");
        assertEquals(false, bench.get("/targets/1").get("draining"));
        done("POST", "/servers/c2/drain", "{}");
        assertEquals(true, bench.get("/targets/2").get("draining"));
        done("POST", "/servers/c2/undrain", "");
        assertEquals(false, bench.get("/targets/2").get("draining"));
    }

    @Test
    void whatFindsNoOtherPlaceIsRefusedUnlessForced() throws Exception {
        store(2);
        for (String path : List.of("/targets/1/drain", "/servers/c1/drain")) {
            refused(409, "POST", path, "{}", "find no other target", "--force REASON", "Add chunk");
            refused(409, "POST", path + "?plan=true", "{}", "find no other target");
            refused(409, "POST", path, "{\"force\":\" \"}", "find no other target");
        }
        done("POST", "/targets/1/drain", "{\"force\":\"c3 comes on Monday\"}");
        assertEquals(true, bench.get("/targets/1").get("draining"));
        Map<String, Object> entry = bench.items("/audit").getFirst();
        assertTrue(
                String.valueOf(entry.get("what")).contains("c3 comes on Monday"), entry::toString);
        AdminBench.until(() -> mentioned("c3 comes on Monday"));
    }

    private boolean mentioned(String reason) {
        try {
            return bench.items("/events").toString().contains(reason);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void unknownNamesAreRefusedWithNearOnes() throws Exception {
        for (String order :
                List.of("POST|/drain", "POST|/undrain", "DELETE|", "POST|/maintenance")) {
            String[] parts = order.split("\\|", -1);
            String body =
                    switch (parts[1]) {
                        case "/drain" -> "{}";
                        case "/maintenance" -> "{\"forSeconds\":60}";
                        default -> "";
                    };
            refused(404, parts[0], "/servers/c3" + parts[1], body, "c3", "Did you mean 'c");
            if (!parts[1].equals("/maintenance")) {
                refused(404, parts[0], "/targets/9" + parts[1], body, "target 9", "1, 2");
            }
        }
        refused(400, "POST", "/servers/c1/maintenance", "{\"forSeconds\":0}", "forSeconds");
        refused(400, "POST", "/servers/c1/maintenance", "{\"forSeconds\":700000}", "forSeconds");
    }

    @Test
    void whatHoldsSomethingOrRunsIsNotRemoved() throws Exception {
        store(1);
        refused(409, "DELETE", "/targets/1", "", "still is a member of", "targets drain 1");
        refused(409, "DELETE", "/servers/c1", "", "last copy", "servers drain c1");
        done("POST", "/servers/c1/drain", "{}");
        refused(409, "DELETE", "/servers/c1", "", "Wait until it has drained");
        bench.heartbeat("c3", 3);
        AdminBench.until(() -> map().server("c3") != null);
    }

    @Test
    void maintenanceMovesTheHeadsAndEnds() throws Exception {
        assertNull(bench.get("/servers/c1").get("maintenanceUntil"));
        HttpResponse<String> told =
                bench.change("POST", "/servers/c1/maintenance?plan=true", "{\"forSeconds\":600}");
        assertTrue(told.body().contains("no other copy that serves"), told.body());
        done("POST", "/servers/c1/maintenance", "{\"forSeconds\":600}");
        assertNotNull(bench.get("/servers/c1").get("maintenanceUntil"));
        int target = map().targetsOf(map().server("c1")).getFirst().id();
        for (PlacementGroup group : map().groups()) {
            PlacementGroup.Member head = group.head();
            assertNotNull(head);
            assertFalse(group.members().size() > 1 && head.targetId() == target, group::toString);
        }
        done("DELETE", "/servers/c1/maintenance", "");
        assertNull(bench.get("/servers/c1").get("maintenanceUntil"));
    }

    @Test
    void durabilityTellsWhatMayFail() throws Exception {
        Map<String, Object> nothing = bench.get("/durability/");
        assertEquals(0, nothing.get("groups"));
        store(2);
        Map<String, Object> all = bench.get("/durability/");
        assertTrue(all.toString().contains("{what=disk, survives=1"), all::toString);
        assertTrue(all.toString().contains("{what=server, survives=1"), all::toString);
        assertFalse(all.toString().contains("rack"), all::toString);
        store(1);
        all = bench.get("/durability/");
        assertTrue(all.toString().contains("{what=server, survives=0"), all::toString);
        done("POST", "/targets/1/drain", "{\"force\":\"x\"}");
        String racks = "{\"labels\":{\"rack\":\"r1\"}}";
        for (String name : List.of("c1", "c2")) {
            assertEquals(200, bench.change("PATCH", "/servers/" + name, racks).statusCode());
        }
        assertTrue(bench.get("/durability/").toString().contains("{what=rack, survives=0"));
        assertEquals(404, bench.send(bench.to("/durability/none")).statusCode());
        assertEquals(true, bench.get("/durability/file1").get("complete"));
    }

    @Test
    void theOldestVerificationIsTold() throws Exception {
        store(2);
        String never = "verified={secondsAgo=null, unverified=2}";
        assertTrue(bench.get("/durability/").toString().contains(never));
        List<ScrubReport.Finding> none = List.of();
        ScrubReport empty = new ScrubReport(5_900, 0, 0, 0, true, 0, 0, 0, 0, 0, 0, none);
        bench.heartbeat("c1", 1, TargetLoad.NONE, empty);
        String noCopy = "verified={secondsAgo=null, unverified=1}";
        assertTrue(bench.get("/durability/").toString().contains(noCopy));
        ScrubReport young = new ScrubReport(5_900, 0, 3, 3, true, 0, 0, 3, 0, 0, 0, none);
        bench.heartbeat("c1", 1, TargetLoad.NONE, young);
        String one = "verified={secondsAgo=5, unverified=1}";
        assertTrue(bench.get("/durability/").toString().contains(one));
        assertTrue(bench.get("/cluster").toString().contains(one));
        ScrubReport old = new ScrubReport(90_000_000, 0, 3, 3, true, 0, 0, 3, 0, 0, 0, none);
        bench.heartbeat("c2", 2, TargetLoad.NONE, old);
        String both = "verified={secondsAgo=90000, unverified=0}";
        assertTrue(bench.get("/durability/").toString().contains(both));
        String inline = "verified={secondsAgo=null, unverified=0}";
        assertTrue(bench.get("/durability/file2").toString().contains(inline));
        assertTrue(bench.get("/cluster").toString().contains(both));
    }
}
