package io.cairn.admin.resource;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.base.Spelling;
import io.cairn.base.Wording;
import io.cairn.fs.HostRecord;
import io.cairn.fs.LockHost;
import io.cairn.master.MasterService;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code /locks}: the machines that hold locks over NFS, which outlive gateways and masters. */
public final class LocksResource implements Resource {
    private static final int PAGE = 1000;

    private static final Shape HOST =
            Shape.fields(
                    Field.of("name", Shape.text(), "As the machine calls itself."),
                    Field.of("address", Shape.text(), "Of the machine."),
                    Field.of("server", Shape.text(), "The address it called last, a gateway's."),
                    Field.of("state", Shape.count(), "Rises when the machine starts anew."),
                    Field.of("held", Shape.count(), "Locks."),
                    Field.of("waiting", Shape.count(), "Requests that wait for others."),
                    Field.of("since", Shape.time(), "The first of its locks."));

    private final MasterService master;

    public LocksResource(MasterService master) {
        this.master = master;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/locks", Role.READ, "Machines that hold locks over NFS.")
                        .with(Parameter.paging())
                        .answers(Shape.page(HOST))
                        .reads(
                                call ->
                                        Listing.page(
                                                call,
                                                hosts(),
                                                LocksResource::key,
                                                LocksResource::document)),
                Route.of("DELETE", "/locks", Role.OPERATE, "Releases all locks of a machine.")
                        .with(
                                new Parameter(
                                        "host", Shape.text(), "Its name or address, as listed."))
                        .changes(this::release));
    }

    private List<HostRecord> hosts() {
        List<HostRecord> all = new ArrayList<>();
        LockHost after = new LockHost("", "");
        while (true) {
            Reply reply = master.namespace().read(0, new Query.ListHosts(after, PAGE));
            if (!(reply instanceof Reply.HostsReply page)) {
                throw new IllegalStateException("locks cannot be read: " + reply);
            }
            all.addAll(page.hosts());
            if (page.end() || page.hosts().isEmpty()) {
                return all;
            }
            after = page.hosts().getLast().contact().host();
        }
    }

    private static String key(HostRecord host) {
        return host.contact().host().name() + " " + host.contact().host().address();
    }

    private static Map<String, Object> document(HostRecord host) {
        Map<String, Object> document = Json.map();
        document.put("name", host.contact().host().name());
        document.put("address", host.contact().host().address());
        document.put("server", host.contact().server());
        document.put("state", Integer.toUnsignedLong(host.contact().state()));
        document.put("held", host.held());
        document.put("waiting", host.waiting());
        document.put("since", InodeDocument.time(host.sinceNs()));
        return document;
    }

    private Plan release(Call call) {
        String name = call.parameter("host");
        if (name == null) {
            throw Problem.invalid("host", "Parameter 'host' is missing: say whose locks.");
        }
        List<HostRecord> all = hosts();
        List<HostRecord> found =
                all.stream()
                        .filter(
                                host ->
                                        name.equals(host.contact().host().name())
                                                || name.equals(host.contact().host().address()))
                        .toList();
        if (found.isEmpty()) {
            List<String> known = all.stream().map(host -> host.contact().host().name()).toList();
            throw Problem.notFound(
                    "'" + name + "' holds no locks over NFS." + Spelling.hint(known, name));
        }
        Plan plan =
                new Plan(
                        () -> {
                            found.forEach(each -> Log.await(master.release(each.contact().host())));
                            return Outcome.done();
                        });
        for (HostRecord each : found) {
            plan.change(
                    "locks of " + each.contact().host(),
                    Wording.count(each.held(), "lock") + ", " + each.waiting() + " waiting",
                    null);
        }
        plan.warn("A machine that still lives would go on as if it had them.");
        return plan;
    }
}
