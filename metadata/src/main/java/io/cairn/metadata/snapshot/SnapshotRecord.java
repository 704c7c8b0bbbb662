package io.cairn.metadata.snapshot;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.fs.Name;
import io.cairn.metadata.state.History;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Moment;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the tree of a directory; or a clone of a file that is being made, which needs the
 * same of chunk servers and then is no more.
 *
 * @param number from {@link io.cairn.cluster.PastInode#MIN_SNAPSHOT} on; used again when it is gone
 * @param root the directory; the file to clone
 * @param name of the snapshot, or of the clone
 * @param timeNs when it was begun, in nanoseconds since 1970
 * @param version the last mutation that it shows; 0 while it is only begun
 * @param firstOid objects with smaller numbers may be in it and must not be changed
 * @param parent the directory of the clone; 0 for snapshots
 */
public record SnapshotRecord(
        int number,
        State state,
        long root,
        Name name,
        long timeNs,
        long version,
        long firstOid,
        long parent) {
    /** The names of snapshots that are taken for a clone of a tree begin like that. */
    private static final String FOR_CLONE = ".clone-";

    /** What became of a snapshot. */
    public enum State implements Coded {
        /** Chunk servers are told to refuse changes. */
        BEGUN(0),
        /** It can be read. */
        LIVE(1),
        /** Nobody can read it any more; what it kept is not swept yet. */
        DROPPED(2),
        /** As begun, for a clone. */
        CLONING(3);

        /** All by their codes. */
        public static final CodeTable<State> CODES = new CodeTable<>(values());

        private final int code;

        State(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    /** The moment that it shows. */
    public Moment moment() {
        return new Moment(version);
    }

    /** Whether it can be read. */
    public boolean isLive() {
        return state == State.LIVE;
    }

    /** The moment that it shows, with the objects that existed then. */
    public History.Point point() {
        return new History.Point(version, firstOid);
    }

    /** Whether chunk servers are waited for. */
    public boolean isBegun() {
        return state == State.BEGUN || isClone();
    }

    /** Whether a clone is to be made, and no snapshot. */
    public boolean isClone() {
        return state == State.CLONING;
    }

    /** The name of a snapshot that is taken for the job with this request, and dropped after it. */
    public static Name forClone(long request) {
        return Name.of(FOR_CLONE + "%016x".formatted(request));
    }

    /** Whether a name is kept for snapshots that are taken for clones of trees. */
    public static boolean isForClone(Name name) {
        return name.toString().startsWith(FOR_CLONE);
    }

    SnapshotRecord with(State newState, long newVersion) {
        return new SnapshotRecord(
                number, newState, root, name, timeNs, newVersion, firstOid, parent);
    }

    byte[] encode() {
        Encoder out = Keys.value(56).u8(state.code()).i64(root).name(name);
        out.i64(timeNs).i64(version).i64(firstOid);
        return isClone() ? out.i64(parent).toBytes() : out.toBytes();
    }

    static SnapshotRecord decode(byte[] key, byte[] value) {
        Decoder in = Keys.open(Family.SNAPSHOT, value);
        State state = in.coded(State.CODES);
        return new SnapshotRecord(
                (int) Keys.numberAt(key, 0),
                state,
                in.i64(),
                in.name(),
                in.i64(),
                in.i64(),
                in.i64(),
                state == State.CLONING ? in.i64() : 0);
    }

    /** A snapshot that can be read, or null. */
    public static @Nullable SnapshotRecord live(View view, int number) {
        byte[] key = Keys.of(number);
        byte[] value = view.get(Family.SNAPSHOT, key);
        SnapshotRecord record = value == null ? null : decode(key, value);
        return record != null && record.isLive() ? record : null;
    }

    /** All snapshots, those only begun and dropped ones included, by number. */
    public static List<SnapshotRecord> all(View view) {
        List<SnapshotRecord> all = new ArrayList<>();
        view.each(Family.SNAPSHOT, (key, value) -> all.add(decode(key, value)));
        return all;
    }
}
