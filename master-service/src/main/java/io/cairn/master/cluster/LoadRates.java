package io.cairn.master.cluster;

import io.cairn.wire.master.TargetLoad;
import org.jspecify.annotations.Nullable;

/**
 * The work of a target per second, or of several together.
 *
 * @param servedBytes to clients
 * @param takenBytes from clients, each byte once
 * @param readBytes from the disk, for clients and other servers
 * @param writtenBytes to the disk: all copies
 * @param reads how many reads
 * @param writes how many writes
 * @param syncs how many times a blob was made durable
 * @param readNs nanoseconds of reading, by all threads together
 * @param writeNs of writing
 * @param syncNs of making durable
 */
public record LoadRates(
        double servedBytes,
        double takenBytes,
        double readBytes,
        double writtenBytes,
        double reads,
        double writes,
        double syncs,
        double readNs,
        double writeNs,
        double syncNs) {
    /** The rates between two looks at the counters of one process, the second one later. */
    static LoadRates between(TargetLoad first, TargetLoad last) {
        double seconds = (last.countedMs() - first.countedMs()) / 1000.0;
        return new LoadRates(
                (last.servedBytes() - first.servedBytes()) / seconds,
                (last.takenBytes() - first.takenBytes()) / seconds,
                (last.readBytes() - first.readBytes()) / seconds,
                (last.writtenBytes() - first.writtenBytes()) / seconds,
                (last.reads() - first.reads()) / seconds,
                (last.writes() - first.writes()) / seconds,
                (last.syncs() - first.syncs()) / seconds,
                (last.readNs() - first.readNs()) / seconds,
                (last.writeNs() - first.writeNs()) / seconds,
                (last.syncNs() - first.syncNs()) / seconds);
    }

    /** Both together; one alone when the other is not known, null when neither is. */
    public static @Nullable LoadRates sum(@Nullable LoadRates one, @Nullable LoadRates other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.plus(other);
    }

    private LoadRates plus(LoadRates other) {
        return new LoadRates(
                servedBytes + other.servedBytes,
                takenBytes + other.takenBytes,
                readBytes + other.readBytes,
                writtenBytes + other.writtenBytes,
                reads + other.reads,
                writes + other.writes,
                syncs + other.syncs,
                readNs + other.readNs,
                writeNs + other.writeNs,
                syncNs + other.syncNs);
    }

    /** Milliseconds that a read takes on average; null without any. */
    public @Nullable Double readMs() {
        return meanMs(readNs, reads);
    }

    /** The same of a write. */
    public @Nullable Double writeMs() {
        return meanMs(writeNs, writes);
    }

    /** The same of making a blob durable. */
    public @Nullable Double syncMs() {
        return meanMs(syncNs, syncs);
    }

    private static @Nullable Double meanMs(double ns, double count) {
        return count <= 0 ? null : Math.round(ns / count / 1000) / 1000.0;
    }
}
