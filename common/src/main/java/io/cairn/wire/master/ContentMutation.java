package io.cairn.wire.master;

import io.cairn.fs.Name;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** The mutations of file contents: inline bytes, sizes, layouts. */
public sealed interface ContentMutation extends Mutation {
    /**
     * A piece of contents at an offset.
     *
     * @param bytes all of a buffer with an array, which nobody changes any more, nor the position
     */
    record Patch(long offsetBytes, ByteBuffer bytes) {
        /** All of an array that nobody changes any more. */
        public Patch(long offsetBytes, byte[] bytes) {
            this(offsetBytes, ByteBuffer.wrap(bytes));
        }

        /** The offset behind the last byte. */
        public long endBytes() {
            return offsetBytes + bytes.limit();
        }

        void encode(Encoder out) {
            out.i64(offsetBytes).bytes(bytes);
        }

        static Patch decode(Decoder in) {
            return new Patch(in.i64(), in.view());
        }
    }

    /**
     * Writes into a file whose contents live in the inode. Fails with EFBIG when the result would
     * exceed the inline limit, with ESTALE when the contents live in chunks (the client then writes
     * chunks) or were cut since (what was cut off must not come back).
     *
     * @param cuts how often the size of the file had been set as far as the writer knows
     * @param sizeBytes the file is at least this long afterwards
     * @param mtimeNs the time of the last write
     */
    record WriteInline(long ino, long cuts, List<Patch> patches, long sizeBytes, long mtimeNs)
            implements ContentMutation {
        @Override
        public MutationType type() {
            return MutationType.WRITE_INLINE;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(cuts).list(patches, (o, p) -> p.encode(o));
            out.i64(sizeBytes).i64(mtimeNs);
        }

        /** How long the contents are afterwards, in bytes. */
        public long lengthAfterBytes(byte[] old) {
            long lengthBytes = Math.max(old.length, sizeBytes);
            for (Patch patch : patches) {
                lengthBytes = Math.max(lengthBytes, patch.endBytes());
            }
            return lengthBytes;
        }

        /**
         * The contents after the write, which must fit into an array that nobody changes: a patch
         * may lend it.
         */
        public byte[] applyTo(byte[] old) {
            int lengthBytes = Math.toIntExact(lengthAfterBytes(old));
            if (patches.size() == 1) {
                ByteBuffer all = patches.getFirst().bytes();
                boolean isWhole = all.arrayOffset() == 0 && all.array().length == lengthBytes;
                if (isWhole && all.limit() == lengthBytes) {
                    return all.array();
                }
            }
            byte[] contents = Arrays.copyOf(old, lengthBytes);
            for (Patch patch : patches) {
                ByteBuffer bytes = patch.bytes();
                bytes.get(0, contents, (int) patch.offsetBytes(), bytes.limit());
            }
            return contents;
        }

        @Override
        public int expectedBytes() {
            int fieldsBytes = 4 * Long.BYTES + Integer.BYTES;
            for (Patch patch : patches) {
                fieldsBytes += Long.BYTES + Integer.BYTES + patch.bytes().limit();
            }
            return fieldsBytes;
        }

        static WriteInline decode(Decoder in) {
            return new WriteInline(in.i64(), in.i64(), in.list(Patch::decode), in.i64(), in.i64());
        }
    }

    /**
     * Commits what was written to chunks: the size grows to at least {@code sizeBytes}. ESTALE when
     * {@code oid} is no longer the last object of the layout (the file was truncated meanwhile):
     * the client reads the inode again.
     *
     * @param usedDeltaBytes bytes newly allocated (or freed, negative) by the writes since the last
     *     commit
     */
    record CommitSize(long ino, long oid, long sizeBytes, long mtimeNs, long usedDeltaBytes)
            implements ContentMutation {
        @Override
        public MutationType type() {
            return MutationType.COMMIT_SIZE;
        }

        @Override
        public CommitSize again() {
            return new CommitSize(ino, oid, sizeBytes, mtimeNs, Math.min(0, usedDeltaBytes));
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(oid).i64(sizeBytes).i64(mtimeNs).i64(usedDeltaBytes);
        }

        static CommitSize decode(Decoder in) {
            return new CommitSize(in.i64(), in.i64(), in.i64(), in.i64(), in.i64());
        }
    }

    /**
     * Moves contents out of the inode: the client has written all of them, as of inode version
     * {@code baseVersion}, to the chunks. ESTALE when the inode has another version or no inline
     * contents.
     */
    record Spill(long ino, long baseVersion, long sizeBytes, long mtimeNs, long usedBytes)
            implements ContentMutation {
        @Override
        public MutationType type() {
            return MutationType.SPILL;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(baseVersion).i64(sizeBytes).i64(mtimeNs).i64(usedBytes);
        }

        static Spill decode(Decoder in) {
            return new Spill(in.i64(), in.i64(), in.i64(), in.i64(), in.i64());
        }
    }

    /**
     * Clones that runs of the layout asked for are made on all current replicas. Idempotent; what
     * no run asks for does nothing. EINVAL unless there are as many objects as chunks.
     *
     * @param indices the chunks
     * @param oids the new object of each of them
     */
    record CloneDone(long ino, long[] indices, long[] oids) implements ContentMutation {
        @Override
        public MutationType type() {
            return MutationType.CLONE_DONE;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).longs(indices).longs(oids);
        }

        static CloneDone decode(Decoder in) {
            return new CloneDone(in.i64(), in.longs(), in.longs());
        }
    }

    /**
     * Exchanges contents (inline bytes, layout, size, used bytes) and policy of two regular files,
     * if both still have the given versions; else ESTALE. How a file moves to another pool.
     */
    record SwapContents(long ino, long version, long otherIno, long otherVersion)
            implements ContentMutation {
        @Override
        public MutationType type() {
            return MutationType.SWAP_CONTENTS;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(version).i64(otherIno).i64(otherVersion);
        }

        static SwapContents decode(Decoder in) {
            return new SwapContents(in.i64(), in.i64(), in.i64(), in.i64());
        }
    }

    /**
     * Makes everything beyond the size a hole, unless the file has got a younger object than {@code
     * oid} for its end: whatever a client that is no more has written there is not seen when the
     * file is extended. The client has committed what it wrote itself.
     */
    record RenewTail(long ino, long oid) implements ContentMutation {
        @Override
        public MutationType type() {
            return MutationType.RENEW_TAIL;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(oid);
        }

        static RenewTail decode(Decoder in) {
            return new RenewTail(in.i64(), in.i64());
        }
    }

    /**
     * Puts the chunks behind the end of a file, or all if its contents are in its inode, under a
     * new object in groups that serve. This happens if some of their groups do not serve and the
     * inode still has that version; otherwise ESTALE. Nothing changes when it does not help. No
     * client may have stored anything there that it has not committed.
     */
    record TakeDetour(long ino, long version) implements ContentMutation {
        @Override
        public MutationType type() {
            return MutationType.TAKE_DETOUR;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(version);
        }

        static TakeDetour decode(Decoder in) {
            return new TakeDetour(in.i64(), in.i64());
        }
    }

    /**
     * As {@link TakeDetour}, while some chunks behind the end stay where they are: the client that
     * asks has stored bytes in them, and has not committed these yet. EINVAL when they are not in
     * order or too many.
     *
     * @param kept the chunks, in ascending order; those before the end stay in any case
     */
    record TakePartialDetour(long ino, long version, long[] kept) implements ContentMutation {
        @Override
        public MutationType type() {
            return MutationType.TAKE_PARTIAL_DETOUR;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(version).longs(kept);
        }

        static TakePartialDetour decode(Decoder in) {
            return new TakePartialDetour(in.i64(), in.i64(), in.longs());
        }
    }

    /**
     * Chunks of a file get a new object, because a snapshot keeps the old ones as they are: they
     * still have to be cloned from them. EntryReply; only those chunks are renewed that are where
     * the client thinks and wait for no other clone. EAGAIN while a snapshot is being taken, E2BIG
     * when the layout would have too many runs, EINVAL.
     *
     * @param indices the chunks, in ascending order
     * @param oids the object of each of them
     */
    record RenewChunks(long ino, long[] indices, long[] oids) implements ContentMutation {
        @Override
        public MutationType type() {
            return MutationType.RENEW_CHUNKS;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).longs(indices).longs(oids);
        }

        static RenewChunks decode(Decoder in) {
            return new RenewChunks(in.i64(), in.longs(), in.longs());
        }
    }

    /**
     * Moves chunks with bytes to other disks, in two steps. Without a copy it makes a file without
     * a name, held open by the session, whose layout tells where they go: EntryReply with that
     * file. The client copies them there and asks again, with that file. Then the file has these
     * copies, and the old chunks are released: EntryReply with the file. ENOSPC when no disks of
     * this kind have room, ESTALE for another version or when the copy is gone, EAGAIN while a
     * snapshot is being taken, E2BIG when the layout would have too many objects, EINVAL.
     *
     * @param version of the file; what any client stored in the chunks up to then is copied
     * @param copyIno 0 in the first step
     * @param chunks at least one, in ascending order, all in one pool
     */
    record MoveChunks(long ino, long version, long copyIno, long[] chunks)
            implements ContentMutation {
        /** Whether it makes the file for the copies. */
        public boolean isFirstStep() {
            return copyIno == 0;
        }

        @Override
        public MutationType type() {
            return MutationType.MOVE_CHUNKS;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(version).i64(copyIno).longs(chunks);
        }

        static MoveChunks decode(Decoder in) {
            return new MoveChunks(in.i64(), in.i64(), in.i64(), in.longs());
        }
    }

    /** The mutation with which a client lets two files share chunks. */
    sealed interface SharingMutation extends Mutation {
        /**
         * Lets a file go on with chunks of another one, from its end on: as if they had been
         * copied. The file grows to the end of the range. EOPNOTSUPP when the files cannot share:
         * their chunks are not of one kind and pool, the range does not begin at the end of the
         * file and with a chunk, or has no whole chunk. EDQUOT, EMLINK, E2BIG, EPERM. EAGAIN when
         * chunk servers may change the chunks, as no snapshot or clone was made since they are
         * there; and while one is being made. ESTALE, when nothing else prevents it, for another
         * version. EntryReply with the file; Done, and nothing is changed, for version 0.
         *
         * @param version of the file; no other client has stored more of it than it shows. 0, which
         *     no file has, only asks whether it is possible
         * @param sourceIno another file
         * @param offsetBytes where the range begins, in both files
         * @param lengthBytes of the range, which ends at the last whole chunk, or at the end of the
         *     other file
         */
        record ShareChunks(
                long ino, long version, long sourceIno, long offsetBytes, long lengthBytes)
                implements SharingMutation {
            @Override
            public MutationType type() {
                return MutationType.SHARE_CHUNKS;
            }

            @Override
            public void encode(Encoder out) {
                out.i64(ino).i64(version).i64(sourceIno).i64(offsetBytes).i64(lengthBytes);
            }

            static ShareChunks decode(Decoder in) {
                return new ShareChunks(in.i64(), in.i64(), in.i64(), in.i64(), in.i64());
            }
        }
    }

    /** The mutations of snapshots. Only the leader proposes them. */
    sealed interface SnapshotMutation extends LeaderMutation {
        /**
         * Begins to take a snapshot: from now on chunk servers have to refuse changes of the
         * objects that exist. EEXIST when the directory has one of that name, EAGAIN while another
         * one is taken, ENOTDIR, ESTALE, EINVAL, ENOSPC when there are too many. Done.
         *
         * @param root the directory whose tree it shows
         */
        record BeginSnapshot(long root, Name name) implements SnapshotMutation {
            @Override
            public MutationType type() {
                return MutationType.BEGIN_SNAPSHOT;
            }

            @Override
            public void encode(Encoder out) {
                out.i64(root).name(name);
            }

            static BeginSnapshot decode(Decoder in) {
                return new BeginSnapshot(in.i64(), in.name());
            }
        }

        /**
         * Begins to clone a file: as for a snapshot, chunk servers have to refuse changes first,
         * and FinishSnapshot with the number of this order makes the clone. Contents in the inode
         * are cloned at once. EEXIST, EISDIR, EINVAL, ENOENT, ENOTDIR, ESTALE, EROFS, EDQUOT,
         * EMLINK when too many files share the contents, E2BIG, ENOSPC; EAGAIN while a snapshot or
         * another clone is taken. Done.
         *
         * @param source a regular file; one in a snapshot is cloned at once, too
         * @param parent the directory of the clone, in which the name must be free
         */
        record BeginClone(long source, long parent, Name name) implements SnapshotMutation {
            @Override
            public MutationType type() {
                return MutationType.BEGIN_CLONE;
            }

            @Override
            public void encode(Encoder out) {
                out.i64(source).i64(parent).name(name);
            }

            static BeginClone decode(Decoder in) {
                return new BeginClone(in.i64(), in.i64(), in.name());
            }
        }

        /**
         * Takes a snapshot or clone that was begun, once all chunk servers refuse such changes.
         * ENOENT when there is none of that number, EAGAIN when the numbers that were kept for new
         * objects have been used up: then it has to be given up. Done, also for one that is taken
         * already.
         */
        record FinishSnapshot(int number) implements SnapshotMutation {
            @Override
            public MutationType type() {
                return MutationType.FINISH_SNAPSHOT;
            }

            @Override
            public void encode(Encoder out) {
                out.i32(number);
            }

            static FinishSnapshot decode(Decoder in) {
                return new FinishSnapshot(in.i32());
            }
        }

        /**
         * Drops a snapshot, or gives up one that was only begun. ENOENT when there is none of that
         * number. Done.
         */
        record DropSnapshot(int number) implements SnapshotMutation {
            @Override
            public MutationType type() {
                return MutationType.DROP_SNAPSHOT;
            }

            @Override
            public void encode(Encoder out) {
                out.i32(number);
            }

            static DropSnapshot decode(Decoder in) {
                return new DropSnapshot(in.i32());
            }
        }

        /**
         * Gives up a snapshot that is still only begun; one that was finished meanwhile stays.
         * Done, also when there is none of that number.
         */
        record GiveUpSnapshot(int number) implements SnapshotMutation {
            @Override
            public MutationType type() {
                return MutationType.GIVE_UP_SNAPSHOT;
            }

            @Override
            public void encode(Encoder out) {
                out.i32(number);
            }

            static GiveUpSnapshot decode(Decoder in) {
                return new GiveUpSnapshot(in.i32());
            }
        }

        /**
         * Removes the next records that were kept for snapshots which are no more, and releases
         * their objects; nothing happens when there is nothing to do. Done.
         *
         * @param max how many records to look at, at most 65,536
         */
        record SweepHistory(int max) implements SnapshotMutation {
            @Override
            public MutationType type() {
                return MutationType.SWEEP_HISTORY;
            }

            @Override
            public void encode(Encoder out) {
                out.i32(max);
            }

            static SweepHistory decode(Decoder in) {
                return new SweepHistory(in.i32());
            }
        }
    }
}
