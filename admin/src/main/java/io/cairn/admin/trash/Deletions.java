package io.cairn.admin.trash;

import io.cairn.admin.api.Problem;
import io.cairn.master.MasterService;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What waits for its deletion on disks: all, or what was removed up to a mark. First files wait
 * that lost their last names up to a time. When they are gone, their data waits: all pieces up to a
 * number. So following a mark comes to an end, whatever others remove meanwhile.
 *
 * @param awaiting how many files and pieces of data
 * @param mark asks for these alone
 */
record Deletions(long awaiting, String mark) {
    private static final int LOOKED = 512;

    /** So many pieces are counted one by one. */
    private static final int COUNTED = 1 << 15;

    /** What waits of what was removed up to a mark; all when it is null. */
    static Deletions of(MasterService master, @Nullable String mark) {
        if (mark == null) {
            return new Deletions(master.trash().awaiting(), "t" + wallNs(master));
        }
        long number = number(mark);
        if (mark.charAt(0) == 'n') {
            return pieces(master.namespace(), number);
        }
        long files = master.trash().orphans(number);
        return files > 0
                ? new Deletions(files + master.namespace().garbageCount(), mark)
                : pieces(master.namespace(), Long.MAX_VALUE);
    }

    private static long wallNs(MasterService master) {
        return master.wallMs() * 1_000_000 + 999_999;
    }

    private static long number(String mark) {
        if (mark.matches("[nt][0-9]{1,19}")) {
            try {
                return Long.parseLong(mark.substring(1));
            } catch (NumberFormatException e) {
                // Told below.
            }
        }
        throw Problem.invalid("mark", "'mark' must be that of an earlier answer.");
    }

    /**
     * Those with numbers up to one; the mark has the last of these. When there are very many, all
     * are told that wait, later ones among them: counting would take longer than the answer is good
     * for.
     */
    private static Deletions pieces(Namespace namespace, long lastNumber) {
        return pieces(namespace::garbage, namespace.garbageCount(), lastNumber, COUNTED);
    }

    /** The queue of pieces in the order of their numbers. */
    interface Queue {
        /** The next behind a number, at most so many. */
        List<GarbageTask> after(long number, int max);
    }

    static Deletions pieces(Queue queue, long all, long lastNumber, int counted) {
        long count = 0;
        long after = 0;
        while (count < counted) {
            List<GarbageTask> page = queue.after(after, LOOKED);
            for (GarbageTask piece : page) {
                if (piece.entryId() > lastNumber) {
                    return new Deletions(count, "n" + after);
                }
                after = piece.entryId();
                count++;
            }
            if (page.size() < LOOKED) {
                return new Deletions(count, "n" + after);
            }
        }
        long last = lastNumber == Long.MAX_VALUE ? lastOf(queue, after) : lastNumber;
        return new Deletions(Math.max(count, all), "n" + last);
    }

    /** The last number, found in a few dozen steps. */
    private static long lastOf(Queue queue, long known) {
        long low = known;
        long step = 1;
        while (step < Long.MAX_VALUE / 4 - low && !queue.after(low + step, 1).isEmpty()) {
            low += step;
            step *= 2;
        }
        long high = low + step;
        while (low + 1 < high) {
            long middle = (low + high) >>> 1;
            if (queue.after(middle, 1).isEmpty()) {
                high = middle;
            } else {
                low = middle;
            }
        }
        List<GarbageTask> last = queue.after(low, 1);
        return last.isEmpty() ? low : last.getFirst().entryId();
    }
}
