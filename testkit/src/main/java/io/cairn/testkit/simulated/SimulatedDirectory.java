package io.cairn.testkit.simulated;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The entries of a simulated directory, as processes see them and as they are on the medium. */
final class SimulatedDirectory {
    /** The entry of a name: one of the two. */
    record Entry(@Nullable SimulatedFile file, @Nullable SimulatedDirectory directory) {}

    /** One entry after a change; null = gone. */
    record Update(SimulatedDirectory directory, String name, @Nullable Entry entry) {
        void see() {
            put(directory.seen);
        }

        void store() {
            put(directory.stored);
        }

        private void put(Map<String, Entry> entries) {
            if (entry == null) {
                entries.remove(name);
            } else {
                entries.put(name, entry);
            }
        }
    }

    private final Map<String, Entry> seen = new TreeMap<>();
    private final Map<String, Entry> stored = new TreeMap<>();

    /** The names that processes see. */
    Map<String, Entry> entries() {
        return seen;
    }

    /** The power was lost: what is on the medium is what is seen, here and below. */
    void revert() {
        seen.clear();
        seen.putAll(stored);
        for (Entry entry : seen.values()) {
            if (entry.directory != null) {
                entry.directory.revert();
            }
        }
    }
}
