package io.cairn.fuse.loop;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Printable;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fuse.sys.Opcode;
import io.cairn.fuse.sys.ProcessStatus;
import io.cairn.os.MountCalls;
import io.cairn.runtime.WaitCause;
import io.cairn.trace.SlowRing;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The slowest requests of the last five minutes, and what they waited for. The mount tells them as
 * the extended attribute {@link #NAME} of anything in it, so that they can be asked for without a
 * port, and also when no master answers. Only root and the user of the mount may read it, as it has
 * names of files. Thread-safe.
 *
 * <pre>
 *   a line for each request, fields separated by tabs:
 *   operation, ended ms ago, total us, waits us (one for each {@link WaitCause}),
 *   inode, process or 0, its name or nothing, path or nothing
 * </pre>
 */
public final class SlowRequests {
    /** The name of the attribute. */
    public static final String NAME = "system.cairn.slow";

    private static final byte[] NAME_BYTES = NAME.getBytes(StandardCharsets.UTF_8);

    /** In UTF-8; the kernel takes 64 KiB. */
    static final int MOST_BYTES = 60_000;

    /** More than the highest code of a request. */
    private static final int CODES =
            1 + Arrays.stream(Opcode.values()).mapToInt(Opcode::code).max().orElse(0);

    private final PathQuestions questions;
    private final LongSupplier clockNs;
    private final SlowRing ring = new SlowRing(CODES, WaitCause.values().length);

    /**
     * None yet.
     *
     * @param fileSystem knows paths
     * @param clockNs tells nanoseconds
     */
    SlowRequests(FileSystem fileSystem, LongSupplier clockNs) {
        questions = new PathQuestions(fileSystem);
        this.clockNs = clockNs;
    }

    /** A request was answered; null is none. */
    public void done(@Nullable Request request) {
        Opcode opcode = request == null ? null : request.opcode();
        if (request == null || opcode == null || !isMeasured(opcode) || request.isUnmeasured()) {
            return;
        }
        long nowNs = clockNs.getAsLong();
        long totalNs = request.ageNs();
        int kind = opcode.code();
        if (ring.isSlow(kind, totalNs, nowNs)) {
            ring.keep(
                    kind,
                    totalNs,
                    nowNs,
                    request.ino(),
                    request.process(),
                    request.waitedNs(WaitCause.MASTER),
                    request.waitedNs(WaitCause.CHUNKS),
                    request.waitedNs(WaitCause.BUFFERS),
                    request.waitedNs(WaitCause.OTHERS));
        }
    }

    /** Not what waits for others as long as they please, nor what no program asks for. */
    private static boolean isMeasured(Opcode opcode) {
        return opcode != Opcode.SETLKW && opcode != Opcode.INIT && opcode != Opcode.DESTROY;
    }

    /** Whether a name is the one of the attribute. */
    public boolean isName(byte[] name) {
        return Arrays.equals(name, NAME_BYTES);
    }

    /**
     * The value of the attribute. Asks the master for paths, and waits for it two seconds at most.
     *
     * @param asking the request that asks for it, which is not kept itself; null is none
     * @throws FsException EPERM for other users
     */
    public byte[] told(Caller caller, @Nullable Request asking) {
        if (asking != null) {
            asking.leaveUnmeasured();
        }
        if (caller.uid() != 0 && caller.uid() != MountCalls.effectiveUser()) {
            throw new FsException(Errno.EPERM, "another user's requests");
        }
        long nowNs = clockNs.getAsLong();
        List<SlowRing.Entry> entries = ring.entries(nowNs);
        Set<Long> inodes = new LinkedHashSet<>();
        entries.forEach(entry -> inodes.add(entry.subject()));
        Map<Long, String> paths = questions.ask(inodes);
        return joined(
                entries.stream().map(entry -> line(entry, nowNs)).toList(),
                entries.stream().map(entry -> paths.getOrDefault(entry.subject(), "")).toList());
    }

    /**
     * The text of all. A path may be longer than there is room: then its line is without it, and
     * the others are as they were.
     *
     * @param lines without their paths
     * @param paths as many
     */
    static byte[] joined(List<String> lines, List<String> paths) {
        int room = MOST_BYTES;
        int whole = 0;
        for (String line : lines) {
            int length = length(line) + 1;
            if (length > room) {
                break;
            }
            room -= length;
            whole++;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < whole; i++) {
            text.append(lines.get(i));
            int length = length(paths.get(i));
            if (length <= room) {
                room -= length;
                text.append(paths.get(i));
            }
            text.append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static int length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** A line without its path. */
    private static String line(SlowRing.Entry entry, long nowNs) {
        int thread = (int) entry.actor();
        StringBuilder line = new StringBuilder();
        line.append(word(Opcode.of(entry.kind()))).append('\t');
        line.append(TimeUnit.NANOSECONDS.toMillis(nowNs - entry.endedNs())).append('\t');
        line.append(TimeUnit.NANOSECONDS.toMicros(entry.totalNs())).append('\t');
        for (long ns : entry.partsNs()) {
            line.append(TimeUnit.NANOSECONDS.toMicros(ns)).append('\t');
        }
        line.append(Long.toUnsignedString(entry.subject())).append('\t');
        line.append(ProcessStatus.processOf(thread)).append('\t');
        line.append(Printable.of(ProcessStatus.nameOf(thread))).append('\t');
        return line.toString();
    }

    private static String word(@Nullable Opcode opcode) {
        return opcode == null ? "" : opcode.name().toLowerCase(Locale.ROOT);
    }
}
