package io.cairn.admin.slow;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.master.MasterGroup;
import io.cairn.master.MasterService;
import io.cairn.master.load.SlowMutation;
import io.cairn.metadata.session.SessionRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code /slow}: the slowest mutations of the last five minutes, and where the leader spent their
 * time. Thread-safe.
 */
public final class SlowResource implements Resource {
    private static final Shape DECIMAL = new Shape.Decimal();

    private static final Shape MUTATION =
            Shape.fields(
                    Field.of("type", Shape.text(), "What was to be changed, such as rename."),
                    Field.maybe("client", Shape.text(), "Whose session; null when it ended."),
                    Field.of("agoMs", DECIMAL, "When it was answered."),
                    Field.of("totalMs", DECIMAL, "From its arrival to its answer."),
                    Field.of("queueMs", DECIMAL, "Until it was part of an entry of the log."),
                    Field.of("logMs", DECIMAL, "Until a majority had the entry on its disks."),
                    Field.of("applyMs", DECIMAL, "Until the state in RocksDB had it."));

    private final MasterGroup group;
    private final MasterService master;

    /** Of the log of this master. */
    public SlowResource(MasterGroup group, MasterService master) {
        this.group = group;
        this.master = master;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of(
                                "GET",
                                "/slow",
                                Role.READ,
                                "The slowest mutations of the last five minutes, up to eight of"
                                        + " each type, as this leader knows; the slowest first.")
                        .with(Parameter.LIMIT)
                        .answers(
                                Shape.fields(
                                        Field.of("items", Shape.items(MUTATION), "The mutations.")))
                        .reads(call -> Outcome.of(document(Listing.limit(call)))));
    }

    private Map<String, Object> document(int limit) {
        Map<Long, String> clients = new HashMap<>();
        for (SessionRecord session : master.namespace().sessions()) {
            clients.put(session.session(), session.client());
        }
        List<Object> items = new ArrayList<>();
        group.slow().stream().limit(limit).forEach(each -> items.add(item(each, clients)));
        Map<String, Object> document = Json.map();
        document.put("items", items);
        return document;
    }

    private static Map<String, Object> item(SlowMutation each, Map<Long, String> clients) {
        Map<String, Object> item = Json.map();
        item.put("type", each.type());
        item.put("client", each.session() == 0 ? "the leader" : clients.get(each.session()));
        item.put("agoMs", ms(each.agoNs()));
        item.put("totalMs", ms(each.totalNs()));
        item.put("queueMs", ms(each.queueNs()));
        item.put("logMs", ms(each.logNs()));
        item.put("applyMs", ms(each.applyNs()));
        return item;
    }

    /** To a thousandth. */
    private static double ms(long ns) {
        return Math.round(ns / 1e3) / 1e3;
    }
}
