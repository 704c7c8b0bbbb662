package io.cairn.wire.master;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/** The mutations of the trash, for administrators and the leader itself. */
public sealed interface TrashMutation extends LeaderMutation {
    /**
     * How long a directory, and all below that says nothing itself, keeps what is removed from it.
     * ESTALE, ENOTDIR, EINVAL when it is too long.
     *
     * @param ino the directory; 0 for all for which no directory says it
     * @param seconds 0 keeps nothing; below 0: as the directory above
     */
    record SetRetention(long ino, long seconds) implements TrashMutation {
        @Override
        public MutationType type() {
            return MutationType.SET_RETENTION;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(ino).i64(seconds);
        }

        static SetRetention decode(Decoder in) {
            return new SetRetention(in.i64(), in.i64());
        }
    }

    /** Takes inodes out of the trash for good; nothing happens to those that are not in it. */
    record PurgeTrash(long[] inos) implements TrashMutation {
        @Override
        public MutationType type() {
            return MutationType.PURGE_TRASH;
        }

        @Override
        public void encode(Encoder out) {
            out.longs(inos);
        }

        static PurgeTrash decode(Decoder in) {
            return new PurgeTrash(in.longs());
        }
    }

    /**
     * Puts inodes from the trash to where they were, with directories that are missing. A name that
     * is taken gets a suffix. TrashReply.
     */
    record RestoreTrash(long[] inos) implements TrashMutation {
        @Override
        public MutationType type() {
            return MutationType.RESTORE_TRASH;
        }

        @Override
        public void encode(Encoder out) {
            out.longs(inos);
        }

        static RestoreTrash decode(Decoder in) {
            return new RestoreTrash(in.longs());
        }
    }
}
