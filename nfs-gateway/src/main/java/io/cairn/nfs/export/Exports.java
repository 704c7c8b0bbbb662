package io.cairn.nfs.export;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The list of exports, which may change at any time. Thread-safe; never blocks. */
public interface Exports {
    /** All exports now. */
    List<Export> all();

    /** The export with an id, or null. */
    default @Nullable Export ofId(int id) {
        for (Export export : all()) {
            if (export.id() == id) {
                return export;
            }
        }
        return null;
    }

    /**
     * A list that does not change.
     *
     * @throws IllegalArgumentException when two have the same path, or, by chance, the same id
     */
    static Exports of(List<Export> exports) {
        List<Export> fixed = List.copyOf(exports);
        Set<Integer> ids = new HashSet<>();
        for (Export export : fixed) {
            if (!ids.add(export.id())) {
                throw new IllegalArgumentException(
                        "the export " + export.path() + " is there twice, or has to be renamed");
            }
        }
        return () -> fixed;
    }
}
