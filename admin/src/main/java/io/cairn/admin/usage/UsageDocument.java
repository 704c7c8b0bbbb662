package io.cairn.admin.usage;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Shape;
import io.cairn.fs.quota.Sums;
import java.util.List;
import java.util.Map;

/** Sums in documents. */
final class UsageDocument {
    static final List<Field> FIELDS =
            List.of(
                    Field.of("inodes", Shape.count(), "Files, directories and all others."),
                    Field.of("lengthBytes", Shape.count(), "Lengths of files, as stat tells."),
                    Field.of("spaceBytes", Shape.count(), "What all copies occupy."));

    private UsageDocument() {}

    static void put(Map<String, Object> document, Sums sums) {
        document.put("inodes", shown(sums.inodes()));
        document.put("lengthBytes", shown(sums.lengthBytes()));
        document.put("spaceBytes", shown(sums.spaceBytes()));
    }

    /** Sums of lengths may go beyond 2^63. */
    static long shown(long number) {
        return number < 0 ? Long.MAX_VALUE : number;
    }
}
