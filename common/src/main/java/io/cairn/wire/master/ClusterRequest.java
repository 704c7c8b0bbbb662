package io.cairn.wire.master;

import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MapDelta;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.TypedMessage;
import io.cairn.wire.chunk.CopyLimits;
import io.cairn.wire.chunk.ObjectFence;
import io.cairn.wire.chunk.ServerKeys;
import io.cairn.wire.scrub.ScrubReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests of chunk servers, and of masters that follow, to the leader. */
public sealed interface ClusterRequest extends TypedMessage {
    @Override
    ClusterRequestType type();

    /**
     * Chunks of which the replica here cannot be used, or has a bad block.
     *
     * @param group their placement group
     * @param chunks how many there are, above 0
     */
    record Damage(int group, int chunks) {
        void encode(Encoder out) {
            out.i32(group).i32(chunks);
        }

        static Damage decode(Decoder in) {
            return new Damage(in.i32(), in.i32());
        }
    }

    /**
     * A group that a target has left and of which nothing is there any more, for good.
     *
     * @param epoch that of the group in the map of the server
     */
    record Cleared(int group, long epoch) {
        void encode(Encoder out) {
            out.i32(group).i64(epoch);
        }

        static Cleared decode(Decoder in) {
            return new Cleared(in.i32(), in.i64());
        }
    }

    /** Chunks of a group, above 0. */
    record Stored(int group, long chunks) {
        void encode(Encoder out) {
            out.i32(group).i64(chunks);
        }

        static Stored decode(Decoder in) {
            return new Stored(in.i32(), in.i64());
        }
    }

    /**
     * What a target has of groups.
     *
     * @param stored how many chunks there are of each group that has any
     * @param cleared groups that the map says it has left and that it has deleted
     */
    record Holdings(List<Stored> stored, List<Cleared> cleared) {
        /** Nothing is known. */
        public static final Holdings NONE = new Holdings(List.of(), List.of());

        void encode(Encoder out) {
            out.list(stored, (o, each) -> each.encode(o));
            out.list(cleared, (o, each) -> each.encode(o));
        }

        static Holdings decode(Decoder in) {
            return new Holdings(in.list(Stored::decode), in.list(Cleared::decode));
        }
    }

    /**
     * A storage directory as its server sees it.
     *
     * @param identity random number written when it was formatted
     * @param capacityBytes size of the disk, less the reserve
     * @param freeBytes what may still be written
     * @param chunks number of blobs
     * @param healthy false once the disk failed: the master takes it out of its groups
     * @param disk the same for all targets on one disk, whichever servers they belong to; 0 when
     *     that is not known
     * @param directory where it is on its machine, for people; empty when that is not known
     * @param load what was done with it
     * @param damages what is damaged there, for at most {@value #MAX_DAMAGES} groups
     * @param starts the starts of processes that had it, as the directory knows them, the last one
     *     last; 0 among them stands for any
     * @param fault why it is not healthy, for people; empty when it is
     * @param scrub how far its blobs are verified
     * @param holdings what it has of groups
     * @param savedBytes what its packed blobs take less than plain ones would, 0 or more; 0 as well
     *     when its server does not tell that
     */
    record TargetReport(
            long identity,
            long capacityBytes,
            long freeBytes,
            long chunks,
            boolean healthy,
            long disk,
            String directory,
            TargetLoad load,
            List<Damage> damages,
            List<Long> starts,
            String fault,
            ScrubReport scrub,
            Holdings holdings,
            long savedBytes) {
        /** The reported damage is enough for people to look there. */
        public static final int MAX_DAMAGES = 64;

        /** The bit beside {@link #healthy} that says that the saved bytes are at the end. */
        private static final int SAVES = 2;

        /** An idle target on a disk that is not known. */
        public TargetReport(
                long identity, long capacityBytes, long freeBytes, long chunks, boolean healthy) {
            this(
                    identity,
                    capacityBytes,
                    freeBytes,
                    chunks,
                    healthy,
                    0,
                    "",
                    TargetLoad.NONE,
                    List.of(),
                    List.of(),
                    "",
                    ScrubReport.NONE,
                    Holdings.NONE,
                    0);
        }

        /**
         * Whether the directory is the one that a process had in a start, and no older copy, as far
         * as anybody can tell.
         */
        public boolean follows(long start) {
            return start == 0 || starts.isEmpty() || starts.contains(0L) || starts.contains(start);
        }

        /** The last start, or another when none is known. */
        public long start(long otherwise) {
            return starts.isEmpty() || starts.getLast() == 0 ? otherwise : starts.getLast();
        }

        void encode(Encoder out) {
            out.i64(identity).i64(capacityBytes).i64(freeBytes).i64(chunks);
            out.u8((healthy ? 1 : 0) | (savedBytes != 0 ? SAVES : 0)).i64(disk).text(directory);
            load.encode(out);
            out.list(damages, (o, damage) -> damage.encode(o));
            out.list(starts, Encoder::i64).text(fault);
            scrub.encode(out);
            holdings.encode(out);
            if (savedBytes != 0) {
                out.i64(savedBytes);
            }
        }

        static TargetReport decode(Decoder in) {
            long identity = in.i64();
            long capacityBytes = in.i64();
            long freeBytes = in.i64();
            long chunks = in.i64();
            int flags = in.u8();
            if (flags > (SAVES | 1)) {
                throw new MalformedMessageException("target with flags " + flags);
            }
            return new TargetReport(
                    identity,
                    capacityBytes,
                    freeBytes,
                    chunks,
                    (flags & 1) != 0,
                    in.i64(),
                    in.text(),
                    TargetLoad.decode(in),
                    in.list(Damage::decode),
                    in.list(Decoder::i64),
                    in.text(),
                    ScrubReport.decode(in),
                    Holdings.decode(in),
                    (flags & SAVES) == 0 ? 0 : in.i64());
        }
    }

    /**
     * Sent every {@code leaseMs / 3}; the first one registers the server and its targets. The reply
     * renews the server's lease.
     *
     * @param clusterId the cluster its directories belong to; 0 when freshly formatted
     * @param name the operator's name of the server
     * @param incarnation random number of this process start
     * @param bootId which start of the machine this is: another one means that what was not flushed
     *     may be lost; 0 when it is not known
     * @param mapEpoch the map it has
     * @param collected gc entries whose deletion is done here
     * @param declaration what the operator says about it
     * @param fence the version of the last {@link ObjectFence} that it keeps to, and no change is
     *     under way any more that was begun before
     */
    record Heartbeat(
            long clusterId,
            String name,
            Endpoint endpoint,
            long incarnation,
            long bootId,
            List<TargetReport> targets,
            long mapEpoch,
            long[] collected,
            Declaration declaration,
            long fence)
            implements ClusterRequest {
        @Override
        public ClusterRequestType type() {
            return ClusterRequestType.HEARTBEAT;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(clusterId).text(name);
            Codecs.endpoint(out, endpoint);
            out.i64(incarnation)
                    .i64(bootId)
                    .list(targets, (o, t) -> t.encode(o))
                    .i64(mapEpoch)
                    .longs(collected);
            Codecs.declaration(out, declaration);
            out.i64(fence);
        }

        static Heartbeat decode(Decoder in) {
            return new Heartbeat(
                    in.i64(),
                    in.text(),
                    Codecs.endpoint(in),
                    in.i64(),
                    in.i64(),
                    in.list(TargetReport::decode),
                    in.i64(),
                    in.longs(),
                    Codecs.declaration(in),
                    in.i64());
        }
    }

    /** A head could not write to a member, which is to be taken out of the group. Done. */
    record MemberFailed(int group, long epoch, int targetId, String reason)
            implements ClusterRequest {
        @Override
        public ClusterRequestType type() {
            return ClusterRequestType.MEMBER_FAILED;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(group).i64(epoch).i32(targetId).text(reason);
        }

        static MemberFailed decode(Decoder in) {
            return new MemberFailed(in.i32(), in.i64(), in.i32(), in.text());
        }
    }

    /** A head has brought a SYNCING member up to date, in this epoch. Done. */
    record MemberSynced(int group, long epoch, int targetId) implements ClusterRequest {
        @Override
        public ClusterRequestType type() {
            return ClusterRequestType.MEMBER_SYNCED;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(group).i64(epoch).i32(targetId);
        }

        static MemberSynced decode(Decoder in) {
            return new MemberSynced(in.i32(), in.i64(), in.i32());
        }
    }

    /**
     * A chunk server stops: it has ended its lease, and does nothing more for clients. Done.
     *
     * @param incarnation that of its heartbeats
     */
    record Leaving(String name, long incarnation) implements ClusterRequest {
        @Override
        public ClusterRequestType type() {
            return ClusterRequestType.LEAVING;
        }

        @Override
        public void encode(Encoder out) {
            out.text(name).i64(incarnation);
        }

        static Leaving decode(Decoder in) {
            return new Leaving(in.text(), in.i64());
        }
    }

    /**
     * A master that follows is there, said every two seconds; its connection tells its release.
     * Done.
     *
     * @param newest the newest version of the protocol that it understands: how far the level of
     *     the cluster may rise
     */
    record MasterPresent(String id, int newest) implements ClusterRequest {
        @Override
        public ClusterRequestType type() {
            return ClusterRequestType.MASTER_PRESENT;
        }

        @Override
        public void encode(Encoder out) {
            out.text(id).i32(newest);
        }

        static MasterPresent decode(Decoder in) {
            return new MasterPresent(in.text(), in.i32());
        }
    }

    /**
     * A process without a certificate asks for one. Answered with the certificate and that of the
     * authority, in PEM.
     *
     * @param secret of its join token; empty for a user who has logged in over this connection
     * @param signingRequest PKCS #10
     */
    record Join(String secret, byte[] signingRequest) implements ClusterRequest {
        @Override
        public ClusterRequestType type() {
            return ClusterRequestType.JOIN;
        }

        @Override
        public void encode(Encoder out) {
            out.text(secret).bytes(signingRequest);
        }

        static Join decode(Decoder in) {
            return new Join(in.text(), in.bytes());
        }
    }

    /** A process asks for its next certificate; answered as {@link Join} is. */
    record RenewCertificate(byte[] signingRequest) implements ClusterRequest {
        @Override
        public ClusterRequestType type() {
            return ClusterRequestType.RENEW_CERTIFICATE;
        }

        @Override
        public void encode(Encoder out) {
            out.bytes(signingRequest);
        }

        static RenewCertificate decode(Decoder in) {
            return new RenewCertificate(in.bytes());
        }
    }

    /**
     * Whoever asks has kept a certificate that it got, durably, and shows it from now on. Done.
     *
     * @param serial the number of the certificate, hexadecimal
     */
    record CertificateKept(String serial) implements ClusterRequest {
        @Override
        public ClusterRequestType type() {
            return ClusterRequestType.CERTIFICATE_KEPT;
        }

        @Override
        public void encode(Encoder out) {
            out.text(serial);
        }

        static CertificateKept decode(Decoder in) {
            return new CertificateKept(in.text());
        }
    }

    /** Data to delete: all chunks of an object from an index on, below {@code endChunk}. */
    record GarbageTask(long entryId, int poolId, long oid, long fromChunk, long endChunk) {
        void encode(Encoder out) {
            out.i64(entryId).i32(poolId).i64(oid).i64(fromChunk).i64(endChunk);
        }

        static GarbageTask decode(Decoder in) {
            return new GarbageTask(in.i64(), in.i32(), in.i64(), in.i64(), in.i64());
        }
    }

    /**
     * The reply to a heartbeat.
     *
     * @param clusterId the cluster, for fresh directories to adopt
     * @param leaseMs the server may serve this long after it sent the heartbeat
     * @param mapEpoch the map of the master
     * @param map what it has other than the server's; null when that is nothing, or too much for
     *     one message: then {@code leaseMs} is 0 and the server asks for it
     * @param garbage what to delete; repeated until confirmed
     * @param scrub how to verify blobs
     * @param masters where all masters are reached, as far as that is known; they may change
     * @param limits how fast to copy
     * @param fence in force before the lease is
     * @param keys for tickets of clients, and for chunks that are encrypted
     */
    record HeartbeatReply(
            long clusterId,
            long leaseMs,
            long mapEpoch,
            @Nullable MapDelta map,
            List<GarbageTask> garbage,
            ScrubReport.Orders scrub,
            List<Endpoint> masters,
            CopyLimits limits,
            ObjectFence fence,
            ServerKeys keys) {
        /** A reply that tells of no masters. */
        public HeartbeatReply(
                long clusterId,
                long leaseMs,
                long mapEpoch,
                @Nullable MapDelta map,
                List<GarbageTask> garbage,
                ScrubReport.Orders scrub) {
            this(
                    clusterId,
                    leaseMs,
                    mapEpoch,
                    map,
                    garbage,
                    scrub,
                    List.of(),
                    CopyLimits.NONE,
                    ObjectFence.NONE,
                    ServerKeys.NONE);
        }

        /** The same with the masters and keys. */
        public HeartbeatReply telling(List<Endpoint> all, ServerKeys known) {
            return new HeartbeatReply(
                    clusterId, leaseMs, mapEpoch, map, garbage, scrub, all, limits, fence, known);
        }

        /** The bytes, for a reader of this version of the protocol. */
        public byte[] toBytes(int version) {
            Encoder out = Encoder.speaking(version);
            out.i64(clusterId).i64(leaseMs).i64(mapEpoch).optional(map, Codecs::mapDelta);
            out.list(garbage, (o, g) -> g.encode(o));
            scrub.encode(out);
            out.list(masters, Codecs::endpoint);
            limits.encode(out);
            fence.encode(out);
            keys.encode(out);
            return out.toBytes();
        }

        /** Reads the bytes. */
        public static HeartbeatReply decode(Decoder in) {
            return new HeartbeatReply(
                    in.i64(),
                    in.i64(),
                    in.i64(),
                    in.optional(Codecs::mapDelta),
                    in.list(GarbageTask::decode),
                    ScrubReport.Orders.decode(in),
                    in.list(Codecs::endpoint),
                    CopyLimits.decode(in),
                    ObjectFence.decode(in),
                    ServerKeys.decode(in));
        }
    }

    /** Reads code and fields. */
    static ClusterRequest decode(Decoder in) {
        return ClusterRequestType.TABLE.require(in.u8()).decode(in);
    }
}
