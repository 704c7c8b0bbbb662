package io.cairn.fuse.loop;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Printable;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fuse.sys.Opcode;
import io.cairn.fuse.sys.ProcessStatus;
import io.cairn.os.MountCalls;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.WaitCause;
import io.cairn.trace.SlowRing;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
    private static final int MOST_BYTES = 60_000;

    /** Longest wait for the master, which may be the reason why all is slow. */
    private static final long PATHS_MS = 2000;

    private static final int MOST_PATHS = 64;

    /** More than the highest code of a request. */
    private static final int CODES =
            1 + Arrays.stream(Opcode.values()).mapToInt(Opcode::code).max().orElse(0);

    private final FileSystem fileSystem;
    private final LongSupplier clockNs;
    private final SlowRing ring = new SlowRing(CODES, WaitCause.values().length);

    /**
     * None yet.
     *
     * @param fileSystem knows paths
     * @param clockNs tells nanoseconds
     */
    SlowRequests(FileSystem fileSystem, LongSupplier clockNs) {
        this.fileSystem = fileSystem;
        this.clockNs = clockNs;
    }

    /** A request was answered; null is none. */
    public void done(@Nullable Request request) {
        Opcode opcode = request == null ? null : request.opcode();
        if (request == null || opcode == null || !isMeasured(opcode)) {
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
     * @throws FsException EPERM for other users
     */
    public byte[] told(Caller caller) {
        if (caller.uid() != 0 && caller.uid() != MountCalls.effectiveUser()) {
            throw new FsException(Errno.EPERM, "another user's requests");
        }
        long nowNs = clockNs.getAsLong();
        List<SlowRing.Entry> entries = ring.entries(nowNs);
        Map<Long, String> paths = paths(entries);
        StringBuilder text = new StringBuilder();
        for (SlowRing.Entry entry : entries) {
            String line = line(entry, nowNs, paths.getOrDefault(entry.subject(), ""));
            if (text.length() + line.length() > MOST_BYTES) {
                break;
            }
            text.append(line);
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        return bytes.length > MountCalls.XATTR_BYTES ? new byte[0] : bytes;
    }

    private static String line(SlowRing.Entry entry, long nowNs, String path) {
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
        return line.append(path).append('\n').toString();
    }

    private static String word(@Nullable Opcode opcode) {
        return opcode == null ? "" : opcode.name().toLowerCase(Locale.ROOT);
    }

    private Map<Long, String> paths(List<SlowRing.Entry> entries) {
        Map<Long, CompletableFuture<String>> asked = new HashMap<>();
        for (SlowRing.Entry entry : entries) {
            if (asked.size() < MOST_PATHS) {
                asked.computeIfAbsent(entry.subject(), this::ask);
            }
        }
        PendingRequest.aboutToWait();
        var _ =
                CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
                        .completeOnTimeout(null, PATHS_MS, TimeUnit.MILLISECONDS)
                        .join();
        PendingRequest.waited();
        Map<Long, String> paths = new HashMap<>();
        asked.forEach((ino, path) -> paths.put(ino, path.getNow("")));
        return paths;
    }

    private CompletableFuture<String> ask(long ino) {
        CompletableFuture<String> path = new CompletableFuture<>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                byte[] found = fileSystem.path(ino);
                                path.complete(
                                        Printable.of(new String(found, StandardCharsets.UTF_8)));
                            } catch (RuntimeException e) {
                                path.complete("");
                            }
                        });
        return path;
    }
}
