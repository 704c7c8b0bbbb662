package io.cairn.testkit.simulated;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
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

    /** Hands over all files, here and below, in the order of their names. */
    void files(Consumer<SimulatedFile> each) {
        for (Entry entry : seen.values()) {
            if (entry.directory != null) {
                entry.directory.files(each);
            } else if (entry.file != null) {
                each.accept(entry.file);
            }
        }
    }

    /** Bytes that files take, here and below. */
    long allocatedBytes() {
        long sum = 0;
        for (Entry entry : seen.values()) {
            if (entry.directory != null) {
                sum += entry.directory.allocatedBytes();
            } else if (entry.file != null) {
                sum += entry.file.allocatedBytes();
            }
        }
        return sum;
    }
}
