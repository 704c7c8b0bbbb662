package io.cairn.metadata.cluster;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Queries about records of the administration. Pure functions. */
public final class RecordQueries {
    private RecordQueries() {}

    public static List<AdminRecord> records(View view, String prefix, String after, int max) {
        List<AdminRecord> records = new ArrayList<>();
        byte[] from = Keys.record(after.compareTo(prefix) > 0 ? after : prefix);
        boolean skip = after.compareTo(prefix) >= 0 && !after.isEmpty();
        view.scan(
                Family.META,
                Keys.record(prefix),
                from,
                (key, value) -> {
                    if (skip && Arrays.equals(key, from)) {
                        return true;
                    }
                    return records.size() < max && records.add(AdminRecord.decode(key, value));
                });
        return records;
    }
}
