package io.cairn.wire;

import io.cairn.cluster.ClusterMap;
import java.util.List;

/** The mutations that only the leader itself proposes; refused from clients. */
public sealed interface LeaderMutation extends Mutation
        permits LeaderMutation.Purge,
                LeaderMutation.Collected,
                LeaderMutation.ChangeMap,
                LeaderMutation.Found,
                LeaderMutation.DoubtObjects,
                LeaderMutation.ChangeRecords,
                LeaderMutation.SetStandardReplicas,
                JobMutation {
    /** Leader: forgets orphans that nobody holds open; their objects go to the gc queue. */
    record Purge(long[] inos) implements LeaderMutation {
        @Override
        public int code() {
            return 34;
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
        public int code() {
            return 35;
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
     * Leader: a new cluster map; refused with ESTALE unless its epoch is the current one plus 1.
     */
    record ChangeMap(ClusterMap map) implements LeaderMutation {
        @Override
        public int code() {
            return 36;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.clusterMap(out, map);
        }

        static ChangeMap decode(Decoder in) {
            return new ChangeMap(Codecs.clusterMap(in));
        }
    }

    /** Leader, once: founds the cluster. Ignored when it is founded already. */
    record Found(long clusterId, int standardReplicas, int inlineLimitBytes)
            implements LeaderMutation {
        @Override
        public int code() {
            return 37;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(clusterId).i32(standardReplicas).i32(inlineLimitBytes);
        }

        static Found decode(Decoder in) {
            return new Found(in.i64(), in.i32(), in.i32());
        }
    }

    /**
     * Leader: a client has gone without a word. Every object there is now may hold bytes of it
     * beyond the end of a file: see {@link ContentMutation.RenewTail}.
     */
    record DoubtObjects() implements LeaderMutation {
        @Override
        public int code() {
            return 38;
        }

        @Override
        public void encode(Encoder out) {}
    }

    /**
     * Leader: changes records of the administration together, or none of them: ESTALE when one has
     * another version than expected, E2BIG when one is too large, ENOSPC when there are too many.
     */
    record ChangeRecords(List<RecordChange> changes) implements LeaderMutation {
        @Override
        public int code() {
            return 39;
        }

        @Override
        public void encode(Encoder out) {
            out.list(changes, (o, change) -> change.encode(o));
        }

        static ChangeRecords decode(Decoder in) {
            return new ChangeRecords(in.list(RecordChange::decode));
        }
    }

    /** Leader: copies of every chunk from now on where no policy says otherwise. */
    record SetStandardReplicas(int replicas) implements LeaderMutation {
        @Override
        public int code() {
            return 40;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(replicas);
        }

        static SetStandardReplicas decode(Decoder in) {
            return new SetStandardReplicas(in.i32());
        }
    }
}
