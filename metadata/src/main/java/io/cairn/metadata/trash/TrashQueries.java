package io.cairn.metadata.trash;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Queries about the trash. Pure functions. */
public final class TrashQueries {
    /** Where a list goes on: behind an end and an inode. */
    public record Position(long expiresNs, long ino) {
        /** Before everything. */
        public static final Position BEGIN = new Position(0, 0);

        static Position of(TrashRecord record) {
            return new Position(record.expiresNs(), record.ino());
        }
    }

    /**
     * Records of the trash, those first that go first.
     *
     * @param next where to go on; null when there are no more
     */
    public record Page(List<TrashRecord> records, @Nullable Position next) {}

    private TrashQueries() {}

    /** The next records, at most {@code max}, that go by themselves. */
    public static Page page(View view, Position after, int max) {
        List<TrashRecord> records = new ArrayList<>();
        view.scan(
                Family.TRASH,
                TrashKeys.ends(),
                TrashKeys.end(after.expiresNs(), after.ino() + 1),
                (key, _) -> {
                    TrashRecord record = find(view, TrashKeys.endingOf(key));
                    return record == null || !records.add(record) || records.size() < max;
                });
        Position next = records.size() < max ? null : Position.of(records.getLast());
        return new Page(records, next);
    }

    /** The inodes that go first, at most {@code max}, whose end is not after a time. */
    public static List<Long> ending(View view, long untilNs, int max) {
        List<Long> inos = new ArrayList<>();
        view.scan(
                Family.TRASH,
                TrashKeys.ends(),
                TrashKeys.ends(),
                (key, _) -> {
                    boolean ends = TrashKeys.endOf(key) <= untilNs;
                    return ends && inos.add(TrashKeys.endingOf(key)) && inos.size() < max;
                });
        return inos;
    }

    /** The record of an inode in the trash, or null. */
    public static @Nullable TrashRecord find(View view, long ino) {
        byte[] key = TrashKeys.record(ino);
        byte[] value = view.get(Family.TRASH, key);
        return value == null ? null : TrashRecord.decode(key, value);
    }

    /** The sums of all files in the trash. */
    public static TrashSums sums(View view) {
        return TrashSums.decode(view.get(Family.TRASH, TrashKeys.sums()));
    }

    /** Seconds that a directory itself says; below 0 when it says nothing. 0 is the standard. */
    public static long kept(View view, long ino) {
        byte[] value = view.get(Family.TRASH, TrashKeys.kept(ino));
        return value == null ? -1 : Keys.open(Family.TRASH, value).i64();
    }
}
