package io.cairn.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.api.Audit;
import io.cairn.admin.api.Call;
import io.cairn.admin.api.EventLog;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.ShapeCheck;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Lock;
import io.cairn.identity.scram.Password;
import io.cairn.identity.scram.ScramVerifier;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResourcesTest {
    @TempDir Path directory;
    private AdminBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static String etag(HttpResponse<String> response) {
        return response.headers().firstValue("etag").orElse("");
    }

    private HttpResponse<String> changeIf(String method, String path, String body, String etag)
            throws Exception {
        return bench.send(AdminBench.method(bench.to(path).header("If-Match", etag), method, body));
    }

    @Test
    void serversTargetsPoolsAndGroups() throws Exception {
        bench.startServers();
        List<Map<String, Object>> servers = bench.items("/servers");
        assertEquals(List.of("c1", "c2"), servers.stream().map(s -> s.get("name")).toList());
        assertEquals("up", servers.getFirst().get("state"));
        assertEquals(1000, servers.getFirst().get("capacityBytes"));
        List<Map<String, Object>> targets = bench.items("/targets");
        assertEquals("00000000000000a1", targets.getFirst().get("identity"));
        assertEquals(400, targets.getFirst().get("usedBytes"));
        assertTrue(bench.items("/pools").size() >= 2);
        assertFalse(bench.items("/groups?state=complete").isEmpty());
        assertEquals(List.of(), bench.items("/groups?state=unavailable"));
        Object id = targets.getFirst().get("id");
        for (Map<String, Object> group : bench.items("/groups?limit=1000&target=" + id)) {
            assertTrue(Json.text(group).contains("\"target\":" + id + ","), group::toString);
        }
        assertEquals(404, bench.send(bench.to("/targets/99")).statusCode());
        assertEquals(404, bench.send(bench.to("/groups/x")).statusCode());
        HttpResponse<String> wrong = bench.send(bench.to("/servers/c3"));
        assertEquals(404, wrong.statusCode());
        assertTrue(wrong.body().contains("Did you mean 'c"), wrong.body());
    }

    @Test
    void listsHavePages() throws Exception {
        bench.startServers();
        List<Map<String, Object>> all = bench.items("/groups?limit=1000");
        int seen = 0;
        Map<String, Object> page = bench.get("/groups?limit=3");
        while (true) {
            for (Map<String, Object> each : AdminBench.itemsOf(page)) {
                assertEquals(all.get(seen++), each);
            }
            Object next = page.get("next");
            if (next == null) {
                break;
            }
            page = bench.get("/groups?limit=3&after=" + next);
        }
        assertEquals(all.size(), seen);
        assertEquals(400, bench.send(bench.to("/groups?after=%21")).statusCode());
        assertEquals(400, bench.send(bench.to("/groups?limit=0")).statusCode());
        assertEquals(400, bench.send(bench.to("/groups?limit=1001")).statusCode());
    }

    @Test
    void labelsAreWordsThatEverythingTakes() throws Exception {
        bench.startServers();
        for (String bad :
                List.of("", "a b", "\\u001b[2J", "\\u202e", "<b>", "x".repeat(64), "\u00e4")) {
            for (String labels : List.of("{\"rack\":\"" + bad + "\"}", "{\"" + bad + "\":\"x\"}")) {
                HttpResponse<String> refused =
                        bench.change("PATCH", "/servers/c1", "{\"labels\":" + labels + "}");
                assertEquals(400, refused.statusCode(), labels);
                assertTrue(refused.body().contains("1 to 63"), refused.body());
            }
        }
        String good = "{\"labels\":{\"zone/rack-1\":\"" + "R.7_" + "x".repeat(59) + "\"}}";
        assertEquals(200, bench.change("PATCH", "/servers/c1", good).statusCode());
    }

    @Test
    void aPlanTellsAndDoesNothingAndGoesStale() throws Exception {
        bench.startServers();
        String blue = "{\"labels\":{\"rack\":\"blue\"}}";
        HttpResponse<String> plan = bench.change("PATCH", "/servers/c1?plan=true", blue);
        assertEquals(200, plan.statusCode(), plan.body());
        Map<String, Object> told = AdminBench.object(plan);
        ShapeCheck.check(Plan.shape(), told, "");
        assertTrue(plan.body().contains("\"to\":{\"rack\":\"blue\"}"), plan.body());
        assertEquals(Map.of(), bench.get("/servers/c1").get("labels"));
        assertEquals("\"" + told.get("etag") + "\"", etag(plan));
        String red = "{\"labels\":{\"rack\":\"red\"}}";
        assertEquals(200, bench.change("PATCH", "/servers/c1", red).statusCode());
        HttpResponse<String> stale = changeIf("PATCH", "/servers/c1", blue, etag(plan));
        assertEquals(412, stale.statusCode());
        assertEquals("urn:cairn:problem:stale", AdminBench.object(stale).get("type"));
        HttpResponse<String> again = bench.change("PATCH", "/servers/c1?plan=true", blue);
        HttpResponse<String> done = changeIf("PATCH", "/servers/c1", blue, etag(again));
        assertEquals(200, done.statusCode(), done.body());
        assertEquals(Map.of("rack", "blue"), bench.get("/servers/c1").get("labels"));
    }

    @Test
    void aChangeMayDependOnWhatWasRead() throws Exception {
        HttpResponse<String> read = bench.send(bench.to("/configuration"));
        String body = "{\"logLevels\":{\"io.cairn.master\":\"debug\"}}";
        HttpResponse<String> done = changeIf("PATCH", "/configuration", body, etag(read));
        assertEquals(200, done.statusCode(), done.body());
        assertEquals(412, changeIf("PATCH", "/configuration", body, etag(read)).statusCode());
        assertEquals(200, changeIf("PATCH", "/configuration", body, "*").statusCode());
    }

    @Test
    void levelsOfLoggersReachTheMaster() throws Exception {
        String body = "{\"logLevels\":{\"io.cairn.master\":\"debug\"}}";
        assertEquals(200, bench.change("PATCH", "/configuration", body).statusCode());
        AdminBench.until(() -> bench.levels.get().equals(Map.of("io.cairn.master", "debug")));
        assertEquals(
                200, bench.change("PATCH", "/configuration", "{\"logLevels\":{}}").statusCode());
        AdminBench.until(() -> bench.levels.get().isEmpty());
        HttpResponse<String> wrong =
                bench.change("PATCH", "/configuration", "{\"logLevels\":{\"a\":\"loud\"}}");
        assertEquals(400, wrong.statusCode());
        assertEquals("logLevels.a", AdminBench.object(wrong).get("field"));
        assertTrue(wrong.body().contains("\"allowed\":[\"trace\""), wrong.body());
    }

    @Test
    void theStandardNumberOfCopiesNeedsAPool() throws Exception {
        bench.startServers();
        String one = "{\"standardReplicas\":1}";
        assertEquals(200, bench.change("PATCH", "/configuration", one).statusCode());
        assertEquals(1, bench.get("/configuration").get("standardReplicas"));
        HttpResponse<String> many =
                bench.change("PATCH", "/configuration", "{\"standardReplicas\":15}");
        assertEquals(409, many.statusCode());
        assertTrue(many.body().contains("add chunk servers"), many.body());
        HttpResponse<String> none =
                bench.change("PATCH", "/configuration", "{\"standardReplicas\":0}");
        assertEquals(400, none.statusCode());
        assertEquals(1, bench.get("/configuration").get("standardReplicas"));
    }

    @Test
    void aSessionIsSeenWithItsLocksAndEvicted() throws Exception {
        long session = bench.openSession("host:/mnt 4711");
        assertInstanceOf(
                Reply.EntryReply.class, bench.query(session, new Query.Open(FileSystem.ROOT_INO)));
        Lock lock = new Lock(Lock.Kind.POSIX, Lock.Mode.EXCLUSIVE, 1, 0, Lock.TO_END, 99);
        bench.mutate(session, 1, new SessionMutation.SetLock(FileSystem.ROOT_INO, lock, false, 1));
        String path = "/sessions/" + Json.hex(session);
        Map<String, Object> seen = bench.get(path);
        assertEquals("host:/mnt 4711", seen.get("client"));
        assertTrue(String.valueOf(seen.get("address")).startsWith("127.0.0.1:"));
        assertEquals("[{\"ino\":\"1\",\"path\":\"/\",\"count\":1}]", Json.text(seen.get("open")));
        String locks = Json.text(seen.get("locks"));
        assertTrue(locks.contains("\"kind\":\"posix\",\"mode\":\"exclusive\""), locks);
        assertTrue(locks.contains("\"pid\":99,\"waiting\":false"), locks);
        HttpResponse<String> plan = bench.change("DELETE", path + "?plan=true", "");
        assertTrue(plan.body().contains("given up"), plan.body());
        assertEquals(200, bench.send(bench.to(path)).statusCode());
        assertEquals(204, changeIf("DELETE", path, "", etag(plan)).statusCode());
        assertEquals(404, bench.send(bench.to(path)).statusCode());
        assertEquals(404, bench.change("DELETE", path, "").statusCode());
        assertEquals(404, bench.change("DELETE", "/sessions/xyz", "").statusCode());
    }

    @Test
    void leadershipMovesToAMasterThatAnswers() throws Exception {
        List<Map<String, Object>> masters = bench.items("/masters");
        assertEquals("leader", masters.getFirst().get("role"));
        assertEquals(2, masters.get(1).get("lagEntries"));
        assertEquals("unknown", masters.get(2).get("state"));
        assertEquals(409, bench.change("POST", "/masters/m1/lead", "").statusCode());
        assertEquals(409, bench.change("POST", "/masters/m3/lead", "").statusCode());
        assertEquals(404, bench.change("POST", "/masters/m4/lead", "").statusCode());
        assertEquals(200, bench.change("POST", "/masters/m2/lead?plan=true", "").statusCode());
        assertEquals("m1", bench.group.leader);
        assertEquals(204, bench.change("POST", "/masters/m2/lead", "").statusCode());
        assertEquals("m2", bench.group.leader);
    }

    @Test
    void aMasterThatIsDownIsTold() throws Exception {
        bench.startServers();
        assertFalse(Json.text(bench.get("/cluster").get("health")).contains("Master"));
        bench.group.silentMs = 2_900;
        assertFalse(Json.text(bench.get("/cluster").get("health")).contains("Master"));
        bench.group.silentMs = 60_000;
        Map<String, Object> down = bench.items("/masters").get(2);
        assertEquals("down", down.get("state"));
        String since = String.valueOf(down.get("silentSince"));
        long silentMs = System.currentTimeMillis() - Instant.parse(since).toEpochMilli();
        assertTrue(silentMs >= 60_000 && silentMs < 80_000, since);
        String health = Json.text(bench.get("/cluster").get("health"));
        assertTrue(health.contains("\"level\":\"warning\""), health);
        assertTrue(health.contains("Master m3 has not answered since 20"), health);
        assertTrue(health.contains("another loss stops the cluster"), health);
        AdminBench.until(() -> isTold("masterDown"));
        bench.group.silentMs = 10;
        AdminBench.until(() -> isTold("masterUp"));
        assertFalse(Json.text(bench.get("/cluster").get("health")).contains("Master"));
    }

    private boolean isTold(String kind) {
        try {
            return bench.items("/events?limit=1000").stream()
                    .anyMatch(e -> kind.equals(e.get("kind")) && "m3".equals(e.get("subject")));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void settingsAreChangedTogetherOrNotAtAll() throws Exception {
        bench.startServers();
        String both = "{\"standardReplicas\":1,\"logLevels\":{\"io.cairn.x\":\"debug\"}}";
        assertEquals(200, bench.change("PATCH", "/configuration", both).statusCode());
        Map<String, Object> now = bench.get("/configuration");
        assertEquals(1, now.get("standardReplicas"));
        assertEquals(Map.of("io.cairn.x", "debug"), now.get("logLevels"));
        String one = "{\"standardReplicas\":15,\"logLevels\":{}}";
        assertEquals(409, bench.change("PATCH", "/configuration", one).statusCode());
        assertEquals(now, bench.get("/configuration"));
    }

    @Test
    void theAuditLogKeepsItsNumbersWhoeverAppends() throws Exception {
        Records records = new Records(bench.master.service);
        EventLog events = new EventLog(Clock.system());
        Audit one = new Audit(records, Clock.system(), events);
        Audit other = new Audit(records, Clock.system(), events);
        Call.Caller caller = new Call.Caller("t", Role.ADMIN, "127.0.0.1");
        bench.change("PATCH", "/configuration", "{}");
        long first = Audit.numberOf(records.all(Audit.PREFIX).getLast()) + 1;
        for (int i = 0; i < Audit.KEPT + 100; i++) {
            (i % 7 < 3 ? one : other).note(caller, "PUT /x", "x", "done");
        }
        List<AdminRecord> kept = records.all(Audit.PREFIX);
        assertEquals(Audit.KEPT, kept.size());
        assertEquals(first + Audit.KEPT + 99, Audit.numberOf(kept.getLast()));
        for (int i = 1; i < kept.size(); i++) {
            assertEquals(Audit.numberOf(kept.get(i - 1)) + 1, Audit.numberOf(kept.get(i)));
        }
    }

    @Test
    void mountRulesAreKeptInOrderAndHoldAtOnce() throws Exception {
        assertEquals(false, bench.get("/mount-rules").get("enforced"));
        assertEquals(true, bench.get("/mount-rules/test?address=10.0.0.7").get("allowed"));
        String first = "{\"rule\":\"/ 10.0.0.0/8\"}";
        assertEquals(200, bench.change("POST", "/mount-rules", first).statusCode());
        assertEquals(409, bench.change("POST", "/mount-rules", first).statusCode());
        String before = "{\"rule\":\"/ 10.0.0.0/16(rw)\",\"at\":1}";
        HttpResponse<String> both = bench.change("POST", "/mount-rules", before);
        assertEquals(200, both.statusCode(), both.body());
        assertEquals("/ 10.0.0.0/16(rw)", bench.items("/mount-rules").getFirst().get("rule"));
        assertEquals(2, bench.items("/mount-rules/test?address=10.0.0.7").size());
        assertEquals(false, bench.get("/mount-rules/test?address=11.0.0.7").get("allowed"));
        assertEquals(400, bench.send(bench.to("/mount-rules/test?address=a")).statusCode());
        assertEquals(400, bench.change("DELETE", "/mount-rules", "").statusCode());
        String wrong = "/mount-rules?rule=%2F%2010.0.0.0%2F8(rw)";
        assertEquals(404, bench.change("DELETE", wrong, "").statusCode());
        String right = "/mount-rules?rule=%2F%2010.0.0.0%2F8(ro)";
        assertEquals(200, bench.change("DELETE", right, "").statusCode());
        assertEquals(1, bench.items("/mount-rules").size());
    }

    @Test
    void passwordsOfMountsAreKeptAndTold() throws Exception {
        ScramVerifier verifier =
                ScramVerifier.of(
                        Password.of("correct horse"),
                        new byte[ScramVerifier.SALT_BYTES],
                        ScramVerifier.LEAST_ITERATIONS);
        String alice = "{\"name\":\"alice\",\"verifier\":\"" + verifier.text() + "\"}";
        String test = "/mount-rules/test?address=10.0.0.7&user=alice";
        assertEquals(false, bench.get(test).get("allowed"), "without rules a password is nothing");
        String early = bench.change("POST", "/mount-users?plan=true", alice).body();
        assertTrue(early.contains("No mount rule names alice"), early);
        String rule = "{\"rule\":\"/ *(rw)\",\"user\":\"alice\"}";
        HttpResponse<String> planned = bench.change("POST", "/mount-rules?plan=true", rule);
        assertTrue(planned.body().contains("cairn exports passwd alice"), planned.body());
        assertEquals(200, bench.change("POST", "/mount-rules", rule).statusCode());
        assertEquals("/ *(rw,user=alice)", bench.items("/mount-rules").getFirst().get("rule"));
        assertEquals(false, bench.get("/mount-rules/test?address=10.0.0.7").get("allowed"));
        assertEquals(true, bench.get(test).get("allowed"));
        HttpResponse<String> plan = bench.change("POST", "/mount-users?plan=true", alice);
        assertEquals(200, plan.statusCode(), plan.body());
        assertFalse(plan.body().contains("No mount rule"), plan.body());
        assertTrue(bench.items("/mount-users").isEmpty());
        HttpResponse<String> set = bench.change("POST", "/mount-users", alice);
        assertEquals(200, set.statusCode(), set.body());
        HttpResponse<String> again = bench.change("POST", "/mount-users?plan=true", alice);
        assertTrue(again.body().contains("lose their connections"), again.body());
        assertEquals("alice", bench.items("/mount-users").getFirst().get("name"));
        assertEquals(404, bench.change("DELETE", "/mount-users?name=bob", "").statusCode());
        String end = "/mount-users?name=alice";
        HttpResponse<String> removal = bench.change("DELETE", end + "&plan=true", "");
        assertTrue(removal.body().contains("1 mount rule is for the user"), removal.body());
        assertEquals(200, bench.change("DELETE", end, "").statusCode());
        assertTrue(bench.items("/mount-users").isEmpty());
        String audit = bench.send(bench.to("/audit")).body();
        assertTrue(audit.contains("password of alice"), audit);
        String key = verifier.text().substring(verifier.text().lastIndexOf(':') + 1);
        for (String told : List.of(plan.body(), set.body(), again.body(), audit)) {
            assertFalse(told.contains(key), told);
        }
    }

    @Test
    void exportsAreChangedOnlyAsTheyWereSeen() throws Exception {
        assertEquals(false, bench.get("/exports").get("set"));
        String data = "{\"line\":\"/data 10.0.0.0/8(rw)\"}";
        HttpResponse<String> made = bench.change("POST", "/exports", data);
        assertEquals(200, made.statusCode(), made.body());
        HttpResponse<String> seen = bench.send(bench.to("/exports"));
        String both = "{\"lines\":[\"/data *(ro)\",\"/home *(rw)\"]}";
        assertEquals(200, changeIf("PUT", "/exports", both, etag(seen)).statusCode());
        assertEquals(412, changeIf("PUT", "/exports", both, etag(seen)).statusCode());
        assertEquals(2, bench.items("/exports").size());
        assertEquals(404, bench.change("DELETE", "/exports?path=/date", "").statusCode());
        assertEquals(400, bench.change("DELETE", "/exports", "").statusCode());
        assertEquals(200, bench.change("DELETE", "/exports?path=/data", "").statusCode());
        assertEquals("/home", bench.items("/exports").getFirst().get("path"));
        HttpResponse<String> wrong = bench.change("POST", "/exports", "{\"line\":\"no path\"}");
        assertEquals(400, wrong.statusCode());
        assertTrue(wrong.body().contains("is not PATH CLIENT"), wrong.body());
    }

    /** A machine that was taken out of service must not keep others from changing the list. */
    @Test
    void exportsToHostsThatAreGoneAreToldAndRemoved() throws Exception {
        export("/old stranger");
        assertEquals("/old", bench.items("/exports").getFirst().get("path"));
        String added = "{\"line\":\"/new *(rw)\"}";
        assertEquals(200, bench.change("POST", "/exports", added).statusCode());
        String unknown = "{\"line\":\"/other stranger\"}";
        assertEquals(400, bench.change("POST", "/exports", unknown).statusCode());
        String kept = "{\"lines\":[\"/old stranger\",\"/new *(ro)\"]}";
        assertEquals(200, bench.change("PUT", "/exports", kept).statusCode());
        String more = "{\"lines\":[\"/old stranger\",\"/other stranger\"]}";
        assertEquals(400, bench.change("PUT", "/exports", more).statusCode());
        assertEquals(200, bench.change("DELETE", "/exports?path=/old", "").statusCode());
        assertEquals(List.of("/new *(ro)"), lines());
    }

    /** Another administrator adds a line between reading and writing. */
    @Test
    void changesOfExportsAtTheSameMomentAreNotLost() throws Exception {
        export("/old *");
        bench.exports.meanwhile.set(() -> export("/old *", "/other *"));
        String added = "{\"lines\":[\"/new *\"]}";
        assertEquals(412, bench.change("PUT", "/exports", added).statusCode());
        bench.exports.meanwhile.set(() -> export("/old *", "/others *"));
        assertEquals(412, bench.change("DELETE", "/exports?path=/old", "").statusCode());
        assertEquals(List.of("/old *", "/others *"), lines());
    }

    private void export(String... lines) {
        byte[] name = "trusted.cairn.exports".getBytes(StandardCharsets.US_ASCII);
        byte[] text = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.US_ASCII);
        TreeMutation change = new TreeMutation.SetXattr(FileSystem.ROOT_INO, name, text, 0);
        Reply reply = bench.master.service.change(change).join();
        assertFalse(reply instanceof Reply.Failure, reply.toString());
    }

    private List<Object> lines() throws Exception {
        List<Object> lines = new ArrayList<>();
        bench.items("/exports").forEach(item -> lines.add(item.get("line")));
        return lines;
    }

    @Test
    void tokensAreMadeShownOnceAndEnd() throws Exception {
        String body = "{\"name\":\"ci\",\"role\":\"read\",\"expiresAt\":\"2100-01-01T00:00:00Z\"}";
        assertEquals(200, bench.change("POST", "/tokens?plan=true", body).statusCode());
        assertEquals(1, bench.items("/tokens").size());
        HttpResponse<String> made = bench.change("POST", "/tokens", body);
        assertEquals(201, made.statusCode(), made.body());
        assertEquals("/api/v1/tokens/ci", made.headers().firstValue("location").orElse(""));
        String secret = String.valueOf(AdminBench.object(made).get("secret"));
        assertEquals(200, bench.send(bench.to("/cluster", secret)).statusCode());
        assertEquals(403, bench.send(bench.to("/tokens", secret)).statusCode());
        assertFalse(bench.send(bench.to("/tokens")).body().contains(secret));
        assertEquals(409, bench.change("POST", "/tokens", body).statusCode());
        assertEquals(204, bench.change("DELETE", "/tokens/ci", "").statusCode());
        assertEquals(401, bench.send(bench.to("/cluster", secret)).statusCode());
        HttpResponse<String> last = bench.change("DELETE", "/tokens/first", "");
        assertEquals(409, last.statusCode());
        String past = "{\"name\":\"old\",\"role\":\"read\",\"expiresAt\":\"2001-01-01T00:00:00Z\"}";
        assertEquals(400, bench.change("POST", "/tokens", past).statusCode());
    }

    @Test
    void changesAreInTheAuditLogWhateverBecameOfThem() throws Exception {
        bench.newToken("ci", Role.READ);
        bench.change("DELETE", "/tokens/nobody", "");
        bench.change("DELETE", "/tokens/ci?plan=true", "");
        List<Map<String, Object>> audit = bench.items("/audit");
        assertEquals(2, audit.size(), audit::toString);
        assertEquals("DELETE /api/v1/tokens/nobody", audit.getFirst().get("call"));
        assertTrue(String.valueOf(audit.getFirst().get("result")).contains("no token 'nobody'"));
        assertEquals("done", audit.get(1).get("result"));
        assertEquals("first", audit.get(1).get("token"));
        assertEquals("127.0.0.1", audit.get(1).get("address"));
        Map<String, Object> page = bench.get("/audit?limit=1");
        assertNotEquals(null, page.get("next"));
        assertEquals(
                "done", bench.items("/audit?after=" + page.get("next")).getFirst().get("result"));
    }
}
