package io.cairn.master.raft;

import io.cairn.cluster.Endpoint;
import io.cairn.master.raft.member.Peer;
import io.cairn.master.store.SegmentScan;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segments of the Raft log, looked at before Ratis opens them. Ratis refuses a log whose last
 * entry was cut off by a crash, and forgets to say which file it refuses. So this class
 *
 * <ul>
 *   <li>cuts off an entry at the end that was never written as a whole. Nobody was told that it was
 *       logged: that happens after the sync. A crash leaves sectors of the preallocated space that
 *       are still zero; a damaged entry without such a sector was whole once and may have been
 *       acknowledged, so the log is refused;
 *   <li>checks that the log joins the store and the newest checkpoint without a gap.
 * </ul>
 */
final class LogFiles {
    private static final Logger LOG = LoggerFactory.getLogger(LogFiles.class);

    /** What to do with a master that has lost or damaged files, while others live. */
    static final String REPLACE =
            "have it get everything from the other masters: empty its directory, and start it with"
                    + " 'cairn master --join' and their addresses";

    private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
    private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");

    /** More than what is proposed and not synced at any time. */
    private static final int MAX_TORN_BYTES = 16 << 20;

    private final Path members;
    private final Path promises;
    private final List<Segment> segments = new ArrayList<>();
    private long last = -1;

    /** A segment; {@code end} is -1 for the one that is written to. */
    private record Segment(Path file, long start, long end) {}

    /**
     * Looks at the files.
     *
     * @param current the directory that Ratis calls so; it may be absent
     */
    LogFiles(Path current) throws IOException {
        members = current.resolve("raft-meta.conf");
        promises = current.resolve("raft-meta");
        if (!Files.isDirectory(current)) {
            return;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(current)) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                Matcher closed = CLOSED.matcher(name);
                Matcher open = OPEN.matcher(name);
                if (closed.matches()) {
                    segments.add(
                            new Segment(
                                    entry,
                                    Long.parseLong(closed.group(1)),
                                    Long.parseLong(closed.group(2))));
                } else if (open.matches()) {
                    segments.add(new Segment(entry, Long.parseLong(open.group(1)), -1));
                }
            }
        }
        segments.sort(Comparator.comparingLong(Segment::start));
    }

    /**
     * Cuts off what was not written as a whole, and checks that nothing is missing.
     *
     * @param applied index up to which the store holds everything, or -1
     * @param checkpoint index of the newest checkpoint, or -1
     * @throws IOException damaged or with a gap; the message names the file
     */
    void prepare(long applied, long checkpoint) throws IOException {
        long first = checkpoint + 1;
        for (Segment segment : segments) {
            first = Math.min(first, segment.start());
            if (last >= 0 && segment.start() > last + 1 && segment.start() > checkpoint + 1) {
                throw damaged(segment.file(), "entries " + (last + 1) + " and on are missing");
            }
            last = segment.end() >= 0 ? segment.end() : openEnd(segment, applied);
        }
        if (!segments.isEmpty() && segments.getFirst().start() > checkpoint + 1) {
            throw damaged(
                    segments.getFirst().file(),
                    "it begins at entry %d, but the newest checkpoint ends at %d"
                            .formatted(segments.getFirst().start(), checkpoint));
        }
        if (applied > Math.max(last, checkpoint)) {
            throw new IOException(
                    ("the Raft log ends at entry %d, but the store is at %d: segments are missing;"
                                    + " put them back, or "
                                    + REPLACE)
                            .formatted(Math.max(last, checkpoint), applied));
        }
    }

    /** The index of the last entry, -1 when there is none; looks at the files again. */
    long lastEntry() throws IOException {
        if (segments.isEmpty()) {
            return -1;
        }
        Segment newest = segments.getLast();
        if (newest.end() >= 0) {
            return newest.end();
        }
        try (FileChannel channel = FileChannel.open(newest.file(), StandardOpenOption.READ)) {
            return newest.start() + SegmentScan.of(read(channel)).entries() - 1;
        }
    }

    /** Whether the file is there that tells the term and who was voted for. */
    boolean remembersTerm() {
        return Files.exists(promises);
    }

    /** Whether there is an entry; known when {@link #prepare} was called. */
    boolean holds() {
        return last >= 0;
    }

    /**
     * The members of the group as far as the file tells them, or null when there is none: the log
     * may hold a newer list.
     *
     * @throws IOException the file is damaged
     */
    @Nullable List<Peer> members() throws IOException {
        if (Files.exists(members) && Files.size(members) == 0) {
            Files.delete(members); // It found no room; what it told stands in the log.
        }
        if (!Files.exists(members)) {
            return null; // never was in a group
        }
        try (InputStream in = Files.newInputStream(members)) {
            return LogEntryProto.parseFrom(in).getConfigurationEntry().getPeersList().stream()
                    .map(
                            each ->
                                    new Peer(
                                            each.getId().toStringUtf8(),
                                            Endpoint.parse(each.getAddress())))
                    .toList();
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            throw damaged(members, String.valueOf(e.getMessage()));
        }
    }

    /** Index of the last entry in a segment that is written to. */
    private static long openEnd(Segment segment, long applied) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        segment.file(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            SegmentScan scan = SegmentScan.of(read(channel));
            long last = segment.start() + scan.entries() - 1;
            if (scan.damage() != null) {
                if (!scan.torn() || scan.bytesAfter() > MAX_TORN_BYTES || last < applied) {
                    throw damaged(segment.file(), scan.damage());
                }
                LOG.warn(
                        "{} ends with an entry that was not written as a whole: cut off {} bytes"
                                + " after entry {}",
                        segment.file(),
                        scan.bytesAfter(),
                        last);
                channel.truncate(scan.validBytes());
                channel.force(true);
            }
            return last;
        }
    }

    /** The fault of the first damaged segment, or null: to be asked when Ratis failed. */
    @Nullable String findDamage() throws IOException {
        for (Segment segment : segments) {
            if (Files.exists(segment.file())) {
                try (FileChannel channel =
                        FileChannel.open(segment.file(), StandardOpenOption.READ)) {
                    SegmentScan scan = SegmentScan.of(read(channel));
                    if (scan.damage() != null) {
                        return damaged(segment.file(), scan.damage()).getMessage();
                    }
                }
            }
        }
        return null;
    }

    private static ByteBuffer read(FileChannel channel) throws IOException {
        return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
    }

    private static IOException damaged(Path file, String why) {
        return new IOException(
                ("the Raft log is damaged: %s: %s;" + " restore the file, or " + REPLACE)
                        .formatted(file, why));
    }
}
