package io.cairn.admin.watch;

import io.cairn.admin.api.EventLog;
import io.cairn.admin.api.Json;
import io.cairn.base.Printable;
import io.cairn.base.Wording;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.master.MasterService;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.metadata.content.ObjectOwners;
import io.cairn.metadata.state.StoredState;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.scrub.ScrubReport.Finding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes events out of the damaged copies that chunk servers report: each one names file, server and
 * disk. To find the files of all that came together the state is read once, not more often than
 * every {@value #PAUSE_MS} ms. Used by one thread at a time.
 */
final class DamageWatch {
    private static final Logger LOG = LoggerFactory.getLogger(DamageWatch.class);

    static final long PAUSE_MS = 10_000;

    /** So many files that share a chunk are named at most. */
    private static final int MAX_FILES = 10;

    /** What was said of a target so far. */
    private record Said(long number, long countedMs) {}

    /** A finding, and where. */
    private record Place(Finding finding, String where) {}

    private final MasterService master;
    private final EventLog events;
    private final Clock clock;
    private final Executor searches;
    private final Map<Long, Said> said = new HashMap<>();
    private List<Place> open = new ArrayList<>();
    private CompletableFuture<Void> search = CompletableFuture.completedFuture(null);
    private long searchedMs = Long.MIN_VALUE / 2;

    /**
     * A watch that has not begun.
     *
     * @param searches runs what reads the whole state
     */
    DamageWatch(MasterService master, EventLog events, Clock clock, Executor searches) {
        this.master = master;
        this.events = events;
        this.clock = clock;
        this.searches = searches;
    }

    /** Another master led before, and told what was found then. */
    void lead() {
        said.clear();
        open = new ArrayList<>();
    }

    /** Looks at the reports; isFirst: nothing of it is news. */
    void look(List<ServerStatus> servers, boolean isFirst) {
        for (ServerStatus server : servers) {
            for (TargetReport report : server.targets()) {
                look(server.name(), report, isFirst);
            }
        }
        if (!open.isEmpty() && search.isDone() && clock.millis() - searchedMs >= PAUSE_MS) {
            List<Place> found = open;
            open = new ArrayList<>();
            searchedMs = clock.millis();
            try {
                search = CompletableFuture.runAsync(() -> tell(found), searches);
            } catch (RejectedExecutionException e) {
                LOG.debug("The admin API closes", e);
            }
        }
    }

    private void look(String server, TargetReport report, boolean isFirst) {
        List<Finding> findings = report.scrub().findings();
        long last = findings.isEmpty() ? 0 : findings.getLast().number();
        Said before = said.put(report.identity(), new Said(last, report.load().countedMs()));
        boolean isAnew = before != null && report.load().countedMs() < before.countedMs;
        if (isFirst || last == 0) {
            return;
        }
        long told = before == null || isAnew ? 0 : before.number;
        String where = "disk %s of chunk server %s".formatted(disk(report), server);
        for (Finding finding : findings) {
            if (finding.number() > told) {
                open.add(new Place(finding, where));
            }
        }
        long missed = findings.getFirst().number() - told - 1;
        if (missed > 0) {
            events.add(
                    "warning",
                    "copiesDamaged",
                    Json.hex(report.identity()),
                    "%s more of %s proved damaged; its log names them."
                            .formatted(Wording.count(missed, "copy"), where));
        }
    }

    private static String disk(TargetReport report) {
        return report.directory().isEmpty() ? Json.hex(report.identity()) : report.directory();
    }

    private void tell(List<Place> found) {
        Set<Long> oids = found.stream().map(p -> p.finding.oid()).collect(Collectors.toSet());
        Map<Long, List<Long>> owners = Map.of();
        try (StoredState state = master.namespace().snapshot()) {
            owners = ObjectOwners.of(state, oids);
        } catch (RuntimeException e) {
            LOG.warn("The files of damaged chunks cannot be found now: {}", e.toString());
        }
        for (Place each : found) {
            Finding finding = each.finding;
            List<String> files = files(finding, owners.getOrDefault(finding.oid(), List.of()));
            String file = files.isEmpty() ? "" : files.getFirst();
            String chunk = "chunk %d of %s".formatted(finding.index(), named(finding, files));
            String outcome =
                    finding.mended()
                            ? "a good copy has taken its place"
                            : "no good copy has been found so far; reading it may fail";
            events.add(
                    finding.mended() ? "warning" : "critical",
                    finding.mended() ? "copyMended" : "copyDamaged",
                    file.isEmpty() ? Json.hex(finding.oid()) : file,
                    "The copy of %s on %s was damaged (%s): %s."
                            .formatted(chunk, each.where, finding.reason(), outcome));
        }
    }

    /** The paths of the files that have the chunk, at most one more than are named. */
    private List<String> files(Finding finding, List<Long> owners) {
        return owners.stream()
                .filter(ino -> owners.size() == 1 || has(ino, finding))
                .map(this::path)
                .filter(path -> !path.isEmpty())
                .limit(MAX_FILES + 1L)
                .toList();
    }

    /** Files that share an object need not share each of its chunks. */
    private boolean has(long ino, Finding finding) {
        Inode inode = master.namespace().inode(ino);
        Layout layout = inode == null ? null : inode.layout();
        return layout != null && layout.refersTo(finding.oid(), finding.index());
    }

    private static String named(Finding finding, List<String> files) {
        if (files.isEmpty()) {
            return "object %s, of no file that has a name,".formatted(Json.hex(finding.oid()));
        }
        if (files.size() == 1) {
            return files.getFirst();
        }
        String shared = String.join(", ", files.subList(0, Math.min(MAX_FILES, files.size())));
        return "each of %s%s, which share it,"
                .formatted(shared, files.size() > MAX_FILES ? " and more" : "");
    }

    private String path(long ino) {
        return master.namespace().read(0, new Query.GetPath(ino)) instanceof Reply.BytesReply found
                ? Printable.of(new String(found.bytes(), StandardCharsets.UTF_8))
                : "";
    }
}
