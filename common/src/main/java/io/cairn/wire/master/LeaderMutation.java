package io.cairn.wire.master;

import io.cairn.cluster.Labels;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.TargetState;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.List;

/** The mutations that only the leader itself proposes; refused from clients. */
public sealed interface LeaderMutation extends Mutation
        permits LeaderMutation.Purge,
                LeaderMutation.Collected,
                LeaderMutation.ChangeMap,
                LeaderMutation.Found,
                LeaderMutation.DoubtObjects,
                LeaderMutation.ChangeRecords,
                LeaderMutation.ChangeSettings,
                LeaderMutation.LoseSession,
                LeaderMutation.TakeRights,
                LeaderMutation.RenewObjects,
                LeaderMutation.RaiseLevel,
                LeaderMutation.Recover,
                LeaderMutation.StorageMutation,
                LeaderMutation.ReleaseChunks,
                LeaderMutation.TrashMutation,
                ContentMutation.SnapshotMutation,
                JobMutation,
                JobMutation.ClassMutation,
                LeaderMutation.SetQuota {
    /** Leader: forgets orphans that nobody holds open; their objects go to the gc queue. */
    record Purge(long[] inos) implements LeaderMutation {
        @Override
        public MutationType type() {
            return MutationType.PURGE;
        }

        @Override
        public void encode(Encoder out) {
            out.longs(inos);
        }

        static Purge decode(Decoder in) {
            return new Purge(in.longs());
        }
    }

    /** Leader: every replica has confirmed the deletion of these gc entries. */
    record Collected(long[] entryIds) implements LeaderMutation {
        @Override
        public MutationType type() {
            return MutationType.COLLECTED;
        }

        @Override
        public void encode(Encoder out) {
            out.longs(entryIds);
        }

        static Collected decode(Decoder in) {
            return new Collected(in.longs());
        }
    }

    /**
     * Leader: chunks that no file refers to, as a check of the cluster found, go to the gc queue.
     *
     * @param chunks what to delete; their entries get numbers when this is applied
     */
    record ReleaseChunks(List<ClusterRequest.GarbageTask> chunks) implements LeaderMutation {
        @Override
        public MutationType type() {
            return MutationType.RELEASE_CHUNKS;
        }

        @Override
        public void encode(Encoder out) {
            out.list(chunks, (o, each) -> each.encode(o));
        }

        static ReleaseChunks decode(Decoder in) {
            return new ReleaseChunks(in.list(ClusterRequest.GarbageTask::decode));
        }
    }

    /**
     * Leader: the next cluster map, as what it has other than the present one. A large change comes
     * in parts, one after the other, and is in force with the last one. Refused with ESTALE unless
     * it leads from the current epoch to the next, and with a pool that goes although something
     * refers to it.
     */
    record ChangeMap(MapDelta.Part part) implements LeaderMutation {
        /** All of a small one. */
        public ChangeMap(MapDelta delta) {
            this(delta.part(0));
        }

        @Override
        public MutationType type() {
            return MutationType.CHANGE_MAP;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.mapPart(out, part);
        }

        static ChangeMap decode(Decoder in) {
            return new ChangeMap(Codecs.mapPart(in));
        }
    }

    /**
     * Leader, once: founds the cluster. Ignored when it is founded already.
     *
     * @param uid whose the root directory is, with {@code gid}
     */
    record Found(long clusterId, int standardReplicas, int inlineLimitBytes, int uid, int gid)
            implements LeaderMutation {
        /** A cluster whose root directory is root's. */
        public Found(long clusterId, int standardReplicas, int inlineLimitBytes) {
            this(clusterId, standardReplicas, inlineLimitBytes, 0, 0);
        }

        @Override
        public MutationType type() {
            return MutationType.FOUND;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(clusterId).i32(standardReplicas).i32(inlineLimitBytes).i32(uid).i32(gid);
        }

        static Found decode(Decoder in) {
            return new Found(in.i64(), in.i32(), in.i32(), in.i32(), in.i32());
        }
    }

    /**
     * Leader: a client has gone without a word. Every object there is now may hold bytes of it
     * beyond the end of a file: see {@link ContentMutation.RenewTail}.
     */
    record DoubtObjects() implements LeaderMutation {
        @Override
        public MutationType type() {
            return MutationType.DOUBT_OBJECTS;
        }

        @Override
        public void encode(Encoder out) {}

        static DoubtObjects decode(Decoder in) {
            return new DoubtObjects();
        }
    }

    /**
     * Leader: changes records of the administration together, or none of them: ESTALE when one has
     * another version than expected, E2BIG when one is too large, ENOSPC when there are too many.
     */
    record ChangeRecords(List<RecordChange> changes) implements LeaderMutation {
        @Override
        public MutationType type() {
            return MutationType.CHANGE_RECORDS;
        }

        @Override
        public void encode(Encoder out) {
            out.list(changes, (o, change) -> change.encode(o));
        }

        static ChangeRecords decode(Decoder in) {
            return new ChangeRecords(in.list(RecordChange::decode));
        }
    }

    /**
     * Leader: changes settings of the cluster together, or none of them. Fails as {@link
     * ChangeRecords} does, and with EINVAL when there is no such number of copies.
     *
     * @param standardReplicas copies of every chunk from now on where no policy says otherwise; 0 =
     *     as many as before
     * @param records the settings that are records
     */
    record ChangeSettings(int standardReplicas, List<RecordChange> records)
            implements LeaderMutation {
        @Override
        public MutationType type() {
            return MutationType.CHANGE_SETTINGS;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(standardReplicas).list(records, (o, change) -> change.encode(o));
        }

        static ChangeSettings decode(Decoder in) {
            return new ChangeSettings(in.i32(), in.list(RecordChange::decode));
        }
    }

    /**
     * Leader: ends a session that does not end itself; ignored when it has ended. Inodes that it
     * had open may have chunks to which they do not refer yet: see {@link RenewObjects}.
     *
     * @param inos what it held open, as far as the contents are in the inode; empty when not known
     * @param known whether the leader has heard what it held open
     */
    record LoseSession(long session, long[] inos, boolean known) implements LeaderMutation {
        @Override
        public MutationType type() {
            return MutationType.LOSE_SESSION;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(session).longs(inos).bool(known);
        }

        static LoseSession decode(Decoder in) {
            return new LoseSession(in.i64(), in.longs(), in.bool());
        }
    }

    /**
     * Leader: a session that is silent has no right to change names alone any more. The last of
     * each of its reserved numbers counts as used, so that no {@link SessionMutation.RemoveEarly}
     * of before is done afterwards. What it tells late of new files is a creation like any other.
     */
    record TakeRights(long session) implements LeaderMutation {
        @Override
        public MutationType type() {
            return MutationType.TAKE_RIGHTS;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(session);
        }

        static TakeRights decode(Decoder in) {
            return new TakeRights(in.i64());
        }
    }

    /**
     * Leader: gives files that a lost client had open a new object, as nobody has them open any
     * more; chunks of the old one are deleted. Nothing happens to those whose contents are in
     * chunks by now, or that have another object.
     */
    record RenewObjects(List<Holding> holdings) implements LeaderMutation {
        /** A file and its last object. */
        public record Holding(long ino, long oid) {}

        @Override
        public MutationType type() {
            return MutationType.RENEW_OBJECTS;
        }

        @Override
        public void encode(Encoder out) {
            out.list(holdings, (o, each) -> o.i64(each.ino).i64(each.oid));
        }

        static RenewObjects decode(Decoder in) {
            return new RenewObjects(in.list(i -> new Holding(i.i64(), i.i64())));
        }
    }

    /**
     * Leader: from now on mutations may be of versions up to this one, because all masters
     * understand them. EINVAL when the level is not above the present one. A master that does not
     * understand it stops. Never changes its form: masters of all releases read it.
     */
    record RaiseLevel(int level) implements LeaderMutation {
        @Override
        public MutationType type() {
            return MutationType.RAISE_LEVEL;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(level);
        }

        static RaiseLevel decode(Decoder in) {
            return new RaiseLevel(in.i32());
        }
    }

    /**
     * Leader: goes on with a state that may lack what was acknowledged, because only masters that
     * lost their directories had it. All sessions end; numbers that may have been given since are
     * passed over, of inodes, objects, sessions and cluster maps; and chunk servers count as
     * started anew, so that they compare what they hold.
     */
    record Recover() implements LeaderMutation {
        @Override
        public MutationType type() {
            return MutationType.RECOVER;
        }

        @Override
        public void encode(Encoder out) {}
    }

    /**
     * Sets the quota of an account; {@link Quota#NONE} removes it. Done; ENOENT when there is no
     * such directory, EINVAL for an impossible one, ENOSPC when there are too many.
     *
     * @param strict EDQUOT instead of a quota below what is used
     */
    record SetQuota(Account account, Quota quota, boolean strict) implements LeaderMutation {
        @Override
        public MutationType type() {
            return MutationType.SET_QUOTA;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.account(out, account);
            Codecs.quota(out, quota);
            out.bool(strict);
        }

        static SetQuota decode(Decoder in) {
            return new SetQuota(Codecs.account(in), Codecs.quota(in), in.bool());
        }
    }

    /**
     * What administrators change of chunk servers and targets in the cluster map. Each makes the
     * next map, or fails and changes nothing: ENOENT when the map has no such server or target.
     * Only the leader proposes them.
     */
    sealed interface StorageMutation extends LeaderMutation {
        /** Gives targets a state. */
        record SetTargetState(int[] targets, TargetState state) implements StorageMutation {
            @Override
            public MutationType type() {
                return MutationType.SET_TARGET_STATE;
            }

            @Override
            public void encode(Encoder out) {
                out.ints(targets).u8(state.code());
            }

            static SetTargetState decode(Decoder in) {
                return new SetTargetState(in.ints(), in.coded(TargetState.CODES));
            }
        }

        /**
         * Begins the maintenance of a server, or ends it.
         *
         * @param forMs how long from now on, in milliseconds; 0 ends it
         */
        record SetMaintenance(int server, long forMs) implements StorageMutation {
            @Override
            public MutationType type() {
                return MutationType.SET_MAINTENANCE;
            }

            @Override
            public void encode(Encoder out) {
                out.i32(server).i64(forMs);
            }

            static SetMaintenance decode(Decoder in) {
                return new SetMaintenance(in.i32(), in.i64());
            }
        }

        /** Gives a server labels in place of those it has. */
        record SetLabels(int server, Labels labels) implements StorageMutation {
            @Override
            public MutationType type() {
                return MutationType.SET_LABELS;
            }

            @Override
            public void encode(Encoder out) {
                out.i32(server);
                Codecs.labels(out, labels);
            }

            static SetLabels decode(Decoder in) {
                return new SetLabels(in.i32(), Codecs.labels(in));
            }
        }

        /**
         * Forgets servers with all their targets, and single targets. ENOTEMPTY when a group has
         * one of the targets as a member.
         */
        record RemoveStorage(int[] servers, int[] targets) implements StorageMutation {
            @Override
            public MutationType type() {
                return MutationType.REMOVE_STORAGE;
            }

            @Override
            public void encode(Encoder out) {
                out.ints(servers).ints(targets);
            }

            static RemoveStorage decode(Decoder in) {
                return new RemoveStorage(in.ints(), in.ints());
            }
        }
    }

    /** The mutations of the trash, for administrators and the leader itself. */
    sealed interface TrashMutation extends LeaderMutation {
        /**
         * How long a directory, and all below that says nothing itself, keeps what is removed from
         * it. ESTALE, ENOTDIR, EINVAL when it is too long.
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
         * Puts inodes from the trash to where they were, with directories that are missing. A name
         * that is taken gets a suffix. TrashReply.
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
}
