package io.cairn.cli.doctor;

import io.cairn.runtime.WaitCause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where slow operations spent most of their time.
 *
 * @param cause what they waited for most; null: the mount itself was at work
 * @param percent how much of all their time that was
 */
record SlowVerdict(@Nullable WaitCause cause, int percent) {
    /** Of one operation or more. */
    static SlowVerdict of(List<SlowOperation> operations) {
        long total = operations.stream().mapToLong(SlowOperation::totalUs).sum();
        long most = operations.stream().mapToLong(SlowOperation::ownUs).sum();
        WaitCause worst = null;
        for (WaitCause cause : WaitCause.values()) {
            long sum = operations.stream().mapToLong(each -> each.waitUs(cause)).sum();
            if (sum > most) {
                most = sum;
                worst = cause;
            }
        }
        return new SlowVerdict(worst, (int) Math.min(100, Math.round(100.0 * most / total)));
    }

    /** The word of the part that was slowest. */
    String part() {
        return cause == null ? "mount" : cause.word();
    }

    /** A sentence that says so. */
    String text() {
        return percent
                + " % of this time "
                + switch (cause) {
                    case MASTER -> "they waited for the leading master.";
                    case CHUNKS -> "they waited for chunk servers.";
                    case BUFFERS -> "writers waited for room in the buffers of the mount.";
                    case OTHERS -> "they waited for other work on the same file.";
                    case null -> "the mount itself was at work, or waited for a processor.";
                };
    }

    /** What to do about it. */
    String remedy() {
        return switch (cause) {
            case MASTER ->
                    "'cairn admin slow' tells what the leader spent it on: its queue, its log or"
                            + " its state.";
            case CHUNKS ->
                    "'cairn admin servers' tells which servers and disks are slow, full or away.";
            case BUFFERS ->
                    "programs write faster than chunk servers store: add disks or servers, or let"
                            + " fewer write at once.";
            case OTHERS ->
                    "several programs append to, cut or commit one file: give each a file of its"
                            + " own.";
            case null ->
                    "look at the load of this machine; 'cairn bench' compares the mount with what"
                            + " the machine allows.";
        };
    }
}
