package io.cairn.admin.resource;

import io.cairn.admin.api.Audit;
import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.metadata.cluster.AdminRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code /audit}: the last changes, the youngest first. */
public final class AuditResource implements Resource {
    private static final Shape SHAPE =
            Shape.fields(
                    Field.of("id", Shape.text(), "16 hexadecimal digits."),
                    Field.of("at", Shape.time(), "When."),
                    Field.of("token", Shape.text(), "Whose token."),
                    Field.of("role", Shape.choice(Role.texts()), "Its role."),
                    Field.of("address", Shape.text(), "Where the request came from."),
                    Field.of("call", Shape.text(), "Method and address."),
                    Field.of("what", Shape.text(), "What it was to change."),
                    Field.of("result", Shape.text(), "'done', or why not."));

    private final Records records;

    public AuditResource(Records records) {
        this.records = records;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/audit", Role.READ, "Changes that were made, the youngest first.")
                        .with(Parameter.paging())
                        .answers(Shape.page(SHAPE))
                        .reads(this::list));
    }

    private Outcome list(Call call) {
        List<AdminRecord> all = records.all(Audit.PREFIX);
        String before = Listing.after(call);
        List<Object> items = new ArrayList<>();
        String last = null;
        for (AdminRecord record : all.reversed()) {
            String id = record.key().substring(Audit.PREFIX.length());
            if (before != null && id.compareTo(before) >= 0) {
                continue;
            }
            if (items.size() == Listing.limit(call)) {
                return Listing.page(items, last);
            }
            items.add(document(id, record));
            last = id;
        }
        return Listing.page(items, null);
    }

    private static Map<String, Object> document(String id, AdminRecord record) {
        Map<String, Object> document = Json.map();
        document.put("id", id);
        document.putAll(Json.stored(record.value()));
        return document;
    }
}
