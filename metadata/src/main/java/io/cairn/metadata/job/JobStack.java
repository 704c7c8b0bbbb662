package io.cairn.metadata.job;

import io.cairn.fs.Name;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Decoder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cursor of a tree job: the directories that it is in, one in the other, and how far it got in
 * each of them. Kept in memory while the job runs, and key by key in the store, of which a step
 * writes only what it has touched. Belongs to the apply thread.
 */
public final class JobStack {
    /** Directories within each other that a job follows. */
    static final int MAX_DEPTH = 1000;

    private static final byte[] BEGINNING = {};

    /** One directory. */
    public static final class Frame {
        final long ino;

        /** In the directory above; null at the root of the tree. */
        public final @Nullable Name name;

        private byte[] position = BEGINNING;
        private int passes;
        private boolean failed;

        Frame(long ino, @Nullable Name name) {
            this.ino = ino;
            this.name = name;
        }

        /** The key from which on dentries have not been seen. */
        byte[] from() {
            byte[] from = new byte[8 + position.length + (position.length == 0 ? 0 : 1)];
            System.arraycopy(Keys.of(ino), 0, from, 0, 8);
            System.arraycopy(position, 0, from, 8, position.length);
            return from;
        }

        /** This dentry has been seen. */
        void seen(byte[] dentryKey) {
            position = new byte[dentryKey.length - 8];
            System.arraycopy(dentryKey, 8, position, 0, position.length);
        }

        /** Begins again; counts it. */
        int again() {
            position = BEGINNING;
            return ++passes;
        }

        /** Something in here has failed, so that the directory cannot become empty. */
        void fail() {
            failed = true;
        }

        boolean hasFailed() {
            return failed;
        }

        private byte[] encode() {
            return Keys.value(64 + position.length)
                    .i64(ino)
                    .optional(name, io.cairn.wire.Encoder::name)
                    .bytes(position)
                    .i32(passes)
                    .bool(failed)
                    .toBytes();
        }

        public static Frame decode(byte[] value) {
            Decoder in = Keys.open(Family.JOB, value);
            Frame frame = new Frame(in.i64(), in.optional(Decoder::name));
            frame.position = in.bytes();
            frame.passes = in.i32();
            frame.failed = in.bool();
            return frame;
        }
    }

    private final long job;
    private final List<Frame> frames = new ArrayList<>();
    private int stored;
    private int untouched;

    private JobStack(long job) {
        this.job = job;
    }

    /** Reads the cursor of a job. */
    static JobStack load(Transaction transaction, JobRecord record) {
        JobStack stack = new JobStack(record.job());
        for (int depth = 0; depth < record.depth(); depth++) {
            byte[] value = transaction.get(Family.JOB, Keys.jobFrame(record.job(), depth));
            if (value == null) {
                throw new IllegalStateException(
                        "job " + record.job() + " has lost its place at depth " + depth);
            }
            stack.frames.add(Frame.decode(value));
        }
        stack.stored = record.depth();
        stack.untouched = record.depth();
        return stack;
    }

    /** Writes what was touched since the last time. */
    void save(Transaction transaction) {
        for (int depth = untouched; depth < frames.size(); depth++) {
            transaction
                    .records()
                    .put(Family.JOB, Keys.jobFrame(job, depth), frames.get(depth).encode());
        }
        for (int depth = frames.size(); depth < stored; depth++) {
            transaction.records().delete(Family.JOB, Keys.jobFrame(job, depth));
        }
        stored = frames.size();
        untouched = frames.size();
    }

    int depth() {
        return frames.size();
    }

    Frame at(int depth) {
        return frames.get(depth);
    }

    /** The innermost directory, which may now be touched. */
    Frame top() {
        untouched = Math.min(untouched, frames.size() - 1);
        return frames.getLast();
    }

    void push(Frame frame) {
        frames.add(frame);
    }

    /** Leaves directories until only so many are left. */
    void cut(int depth) {
        while (frames.size() > depth) {
            frames.removeLast();
        }
        untouched = Math.min(untouched, depth);
    }

    /** The names of the directories below the root of the tree, outermost first. */
    List<Name> names() {
        return frames.stream().map(f -> f.name).filter(n -> n != null).toList();
    }
}
