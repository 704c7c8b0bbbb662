package io.cairn.admin.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.AdminBench;
import io.cairn.admin.Forest;
import io.cairn.admin.api.EventLog;
import io.cairn.admin.api.Records;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.fs.Name;
import io.cairn.master.LoneMaster;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.master.JobMutation.ClassMutation;
import io.cairn.wire.master.TreeMutation;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Schedules of snapshots on a real master over a store in memory. */
final class SchedulesResourceTest {
    private static final long HOUR_MS = TimeUnit.HOURS.toMillis(1);

    @TempDir private Path directory;

    private static void until(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + 60_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("did not happen within 60 s");
            }
            Thread.sleep(5);
        }
    }

    private static List<String> names(LoneMaster master, long root) {
        return master.service.namespace().snapshots().stream()
                .filter(each -> each.isLive() && each.root() == root)
                .map(SnapshotRecord::name)
                .map(Name::toString)
                .sorted()
                .toList();
    }

    @Test
    void theRealCoreTakesAndDropsThem() throws Exception {
        try (LoneMaster master = LoneMaster.withoutServers()) {
            Forest forest = new Forest(master.service);
            long dir = forest.mkdir(Forest.ROOT, "d").ino();
            ManualClock clock =
                    new ManualClock(Instant.parse("2026-11-28T18:07:09Z").toEpochMilli());
            ScheduleBook book = new ScheduleBook(master.service, new Records(master.service));
            EventLog events = new EventLog(clock);
            ScheduledSnapshots taker = new ScheduledSnapshots(book, events, clock);
            book.set(new DirectorySchedule(dir, "/d", new SnapshotCounts(2, 1, 0, 0), 0), 0);
            List<String> wanted = List.of("daily-2026-11-28T00:00Z", "hourly-2026-11-28T18:00Z");
            until(() -> ticked(taker, clock) && names(master, dir).equals(wanted));
            for (int hour = 19; hour <= 21; hour++) {
                clock.advance(HOUR_MS);
                String name = "hourly-2026-11-28T" + hour + ":00Z";
                until(() -> ticked(taker, clock) && names(master, dir).contains(name));
            }
            List<String> last =
                    List.of(
                            "daily-2026-11-28T00:00Z",
                            "hourly-2026-11-28T20:00Z",
                            "hourly-2026-11-28T21:00Z");
            until(() -> ticked(taker, clock) && names(master, dir).equals(last));

            ScheduledSnapshots next = new ScheduledSnapshots(book, events, clock);
            for (int i = 0; i < 50; i++) {
                ticked(next, clock);
            }
            assertEquals(last, names(master, dir));

            long empty = forest.mkdir(Forest.ROOT, "e").ino();
            book.set(new DirectorySchedule(empty, "/e", new SnapshotCounts(1, 0, 0, 0), 0), 0);
            forest.made(new TreeMutation.Rmdir(Forest.ROOT, Name.of("e")));
            until(() -> ticked(next, clock) && book.schedules().size() == 1);
            assertEquals(List.of(), master.service.namespace().check());
        }
    }

    @Test
    void theyAreTakenOfDirectoriesThatHaveAClass() throws Exception {
        try (LoneMaster master = LoneMaster.withoutServers()) {
            Forest forest = new Forest(master.service);
            long dir = forest.mkdir(Forest.ROOT, "d").ino();
            ManualClock clock =
                    new ManualClock(Instant.parse("2026-11-28T18:07:09Z").toEpochMilli());
            ScheduleBook book = new ScheduleBook(master.service, new Records(master.service));
            ScheduledSnapshots taker = new ScheduledSnapshots(book, new EventLog(clock), clock);
            book.classes().set("kept", "daily=1");
            ticked(taker, clock);
            assertEquals(List.of(), book.schedules());
            StorageClass kept =
                    new StorageClass("kept", Policy.STANDARD.withInline(512), StorageClass.UNSAID);
            forest.submit(new ClassMutation.SetClass(kept, true));
            forest.submit(new ClassMutation.AssignClass(dir, "kept"));
            book.classes().assigned();
            List<String> first = List.of("daily-2026-11-28T00:00Z");
            until(() -> ticked(taker, clock) && names(master, dir).equals(first));
            clock.advance(24 * HOUR_MS);
            List<String> next = List.of("daily-2026-11-29T00:00Z");
            until(() -> ticked(taker, clock) && names(master, dir).equals(next));

            long empty = forest.mkdir(Forest.ROOT, "e").ino();
            forest.submit(new ClassMutation.AssignClass(empty, "kept"));
            assertEquals(2, book.schedules().size());
            forest.made(new TreeMutation.Rmdir(Forest.ROOT, Name.of("e")));
            forest.submit(new ClassMutation.AssignClass(dir, ""));
            clock.advance(24 * HOUR_MS);
            for (int i = 0; i < 10; i++) {
                ticked(taker, clock);
            }
            assertEquals(List.of(), book.schedules());
            assertEquals(next, names(master, dir));
            assertEquals("daily=1", book.classes().text("kept"));
        }
    }

    private static boolean ticked(ScheduledSnapshots taker, ManualClock clock) {
        clock.advance(1);
        taker.tick(1);
        return true;
    }

    private HttpResponse<String> change(AdminBench bench, String method, String path, String body)
            throws Exception {
        return bench.change(method, "/snapshot-schedules" + path, body);
    }

    private void refused(AdminBench bench, int status, String word, String path, String body)
            throws Exception {
        HttpResponse<String> answer = change(bench, "PUT", path, body);
        assertEquals(status, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains(word), answer.body());
    }

    @Test
    void aScheduleIsSetListedChangedAndRemoved() throws Exception {
        try (AdminBench bench = new AdminBench(directory, LoneMaster.withoutServers())) {
            Forest forest = new Forest(bench.master.service);
            long dir = forest.mkdir(Forest.ROOT, "d").ino();
            HttpResponse<String> plan = change(bench, "PUT", "/d?plan=true", "{\"weekly\":24}");
            assertTrue(plan.body().contains("weekly=24"), plan.body());
            assertEquals(List.of(), bench.items("/snapshot-schedules"));
            // No week begins while this runs, but an hour may.
            String body = "{\"weekly\":24,\"monthly\":7}";
            HttpResponse<String> set = change(bench, "PUT", "/d", body);
            assertEquals(200, set.statusCode(), set.body());
            until(() -> names(bench.master, dir).size() == 2);
            Map<String, Object> listed = bench.items("/snapshot-schedules").getFirst();
            assertEquals("/d", listed.get("directory"));
            assertEquals("weekly=24,monthly=7", listed.get("schedule"));
            assertEquals(24, listed.get("weekly"));
            assertNull(listed.get("hourly"));
            assertEquals(2, listed.get("snapshotCount"));
            assertNull(listed.get("error"));
            assertTrue(
                    Instant.parse(String.valueOf(listed.get("nextAt")))
                            .isAfter(Instant.parse(String.valueOf(listed.get("lastAt")))));

            plan = change(bench, "PUT", "/d?plan=true", "{\"monthly\":7}");
            assertTrue(plan.body().contains("The 1 weekly snapshot"), plan.body());
            assertEquals(204, change(bench, "DELETE", "/d", "").statusCode());
            assertEquals(List.of(), bench.items("/snapshot-schedules"));
            assertEquals(2, names(bench.master, dir).size());
            assertEquals(404, change(bench, "DELETE", "/d", "").statusCode());
            assertTrue(
                    bench.items("/audit").stream()
                            .anyMatch(each -> String.valueOf(each).contains("snapshot schedule")));
        }
    }

    @Test
    void badOrdersAreRefusedWithAWord() throws Exception {
        try (AdminBench bench = new AdminBench(directory, LoneMaster.withoutServers())) {
            Forest forest = new Forest(bench.master.service);
            long dir = forest.mkdir(Forest.ROOT, "d").ino();
            forest.create(dir, "f", "12345");
            refused(bench, 400, "says nothing", "/d", "{}");
            refused(bench, 400, "from 1 to 4000", "/d", "{\"hourly\":0}");
            refused(bench, 400, "from 1 to 4000", "/d", "{\"hourly\":5000}");
            refused(bench, 400, "yearly", "/d", "{\"yearly\":1}");
            refused(bench, 409, "not a directory", "/d/f", "{\"hourly\":1}");
            refused(bench, 404, "absent", "/absent", "{\"hourly\":1}");
            refused(bench, 409, "at most 4000", "/d", "{\"hourly\":3000,\"daily\":1001}");
            assertEquals(200, change(bench, "PUT", "/", "{\"monthly\":3990}").statusCode());
            refused(bench, 409, "at most 10 of this", "/d", "{\"hourly\":11}");
            until(() -> names(bench.master, Forest.ROOT).size() == 1);
            String name = names(bench.master, Forest.ROOT).getFirst();
            refused(
                    bench,
                    409,
                    "in a snapshot itself",
                    "/.snapshots/" + name + "/d",
                    "{\"hourly\":1}");
        }
    }
}
