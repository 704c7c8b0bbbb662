package io.cairn.wire.master;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.DirectoryState;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Inode;
import io.cairn.cluster.MapDelta;
import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.HostRecord;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.fs.Usage;
import io.cairn.fs.quota.Growth;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.TypedMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A reply of the master. Replies to mutations are also stored, for retries. */
public sealed interface Reply extends TypedMessage {
    @Override
    ReplyType type();

    /** Done; nothing to tell. */
    record Done() implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.DONE;
        }

        @Override
        public void encode(Encoder out) {}

        static Done decode(Decoder in) {
            return new Done();
        }
    }

    /** The operation failed. */
    record Failure(Errno errno, String message) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.FAILURE;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(errno.number()).text(message);
        }

        static Failure decode(Decoder in) {
            int number = in.i32();
            Errno errno = Errno.ofNumber(number);
            return new Failure(errno == null ? Errno.EIO : errno, in.text());
        }

        /** The exception to throw at the client. */
        public FsException toException() {
            return new FsException(errno, message);
        }
    }

    /**
     * The inode an operation was about, after it, and the directories it changed or looked into.
     *
     * @param inode the inode found, made, changed, or removed; for rename the one renamed
     * @param parent the directory, after the operation
     * @param otherParent rename: the second directory if it is another one
     * @param replaced rename: the attributes, after the operation, of the inode that lost its name
     * @param before to a witnessed mutation: inodes right before it; else empty, and not encoded
     */
    record EntryReply(
            Inode inode,
            @Nullable DirectoryState parent,
            @Nullable DirectoryState otherParent,
            @Nullable Attributes replaced,
            List<AttributeStamp> before)
            implements Reply {
        /** Nobody asked for what was before. */
        public EntryReply(
                Inode inode,
                @Nullable DirectoryState parent,
                @Nullable DirectoryState otherParent,
                @Nullable Attributes replaced) {
            this(inode, parent, otherParent, replaced, List.of());
        }

        /** The same with what was before; at least one inode. */
        public EntryReply witnessed(List<AttributeStamp> stamps) {
            return new EntryReply(inode, parent, otherParent, replaced, stamps);
        }

        @Override
        public ReplyType type() {
            return before.isEmpty() ? ReplyType.ENTRY : ReplyType.WITNESSED_ENTRY;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.inode(out, inode);
            out.optional(parent, Codecs::directoryState);
            out.optional(otherParent, Codecs::directoryState);
            out.optional(replaced, Codecs::attributes);
            if (!before.isEmpty()) {
                out.list(before, Codecs::stamp);
            }
        }

        static EntryReply decodeWitnessed(Decoder in) {
            return decode(in).witnessed(in.list(Codecs::stamp));
        }

        static EntryReply decode(Decoder in) {
            return new EntryReply(
                    Codecs.inode(in),
                    in.optional(Codecs::directoryState),
                    in.optional(Codecs::directoryState),
                    in.optional(Codecs::attributes));
        }
    }

    /**
     * A page of a directory.
     *
     * @param directory the directory at the very moment in which the page was read
     * @param end whether the directory ends after it
     */
    record DirectoryReply(DirectoryState directory, List<DirectoryEntry> entries, boolean end)
            implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.DIRECTORY;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.directoryState(out, directory);
            out.list(entries, Codecs::directoryEntry).bool(end);
        }

        static DirectoryReply decode(Decoder in) {
            return new DirectoryReply(
                    Codecs.directoryState(in), in.list(Codecs::directoryEntry), in.bool());
        }
    }

    /** Bytes: an attribute value or a path. */
    record BytesReply(byte[] bytes) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.BYTES;
        }

        @Override
        public void encode(Encoder out) {
            out.bytes(bytes);
        }

        static BytesReply decode(Decoder in) {
            return new BytesReply(in.bytes());
        }
    }

    /** Names of extended attributes. */
    record NamesReply(List<byte[]> names) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.NAMES;
        }

        @Override
        public void encode(Encoder out) {
            out.list(names, Encoder::bytes);
        }

        static NamesReply decode(Decoder in) {
            return new NamesReply(in.list(Decoder::bytes));
        }
    }

    /** The outcome of a lock request. */
    enum LockOutcome implements Coded {
        GRANTED(0),
        CONFLICT(1),
        QUEUED(2),
        DEADLOCK(3);

        /** All by their codes. */
        public static final CodeTable<LockOutcome> CODES = new CodeTable<>(values());

        private final int code;

        LockOutcome(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    /**
     * The outcome of a lock request or test.
     *
     * @param conflict the lock in the way, if there is one
     * @param version granted: the version of the inode at that moment, which holds all that was
     *     committed under the locks before; else 0
     */
    record LockReply(LockOutcome outcome, @Nullable Lock conflict, long version) implements Reply {
        /** Not granted, or only tested. */
        public LockReply(LockOutcome outcome, @Nullable Lock conflict) {
            this(outcome, conflict, 0);
        }

        @Override
        public ReplyType type() {
            return ReplyType.LOCK;
        }

        @Override
        public void encode(Encoder out) {
            out.u8(outcome.code()).optional(conflict, Codecs::lock).i64(version);
        }

        static LockReply decode(Decoder in) {
            return new LockReply(in.coded(LockOutcome.CODES), in.optional(Codecs::lock), in.i64());
        }
    }

    /** How much more a file may grow by writes. */
    record AllowanceReply(Growth growth) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.ALLOWANCE;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.growth(out, growth);
        }

        static AllowanceReply decode(Decoder in) {
            return new AllowanceReply(Codecs.growth(in));
        }
    }

    /** Capacity. */
    record UsageReply(Usage usage) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.USAGE;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.usage(out, usage);
        }

        static UsageReply decode(Decoder in) {
            return new UsageReply(Codecs.usage(in));
        }
    }

    /**
     * A session is open or was renewed.
     *
     * @param session its number
     * @param clusterId the cluster
     * @param leaseMs how long it lasts without a KeepAlive
     * @param inlineLimitBytes contents up to this size live in the inode
     * @param mapEpoch the epoch of the current cluster map
     * @param timeNs the master's wall clock, nanoseconds since the epoch; 0 when it does not tell
     * @param quotas changes with each change of a quota; 0 when there is none
     * @param masters where clients reach all masters, as far as that is known; they may change
     */
    record SessionReply(
            long session,
            long clusterId,
            long leaseMs,
            int inlineLimitBytes,
            long mapEpoch,
            long timeNs,
            long quotas,
            List<Endpoint> masters)
            implements Reply {
        /** Time, quotas and masters are not told: nothing that is stored depends on them. */
        public SessionReply(
                long session, long clusterId, long leaseMs, int inlineLimitBytes, long mapEpoch) {
            this(session, clusterId, leaseMs, inlineLimitBytes, mapEpoch, 0, 0, List.of());
        }

        @Override
        public ReplyType type() {
            return ReplyType.SESSION;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(session).i64(clusterId).i64(leaseMs).i32(inlineLimitBytes);
            out.i64(mapEpoch).i64(timeNs).i64(quotas).list(masters, Codecs::endpoint);
        }

        static SessionReply decode(Decoder in) {
            return new SessionReply(
                    in.i64(),
                    in.i64(),
                    in.i64(),
                    in.i32(),
                    in.i64(),
                    in.i64(),
                    in.i64(),
                    in.list(Codecs::endpoint));
        }
    }

    /** The difference of the cluster map from the asker's, or null when that one is current. */
    record MapReply(MapDelta.@Nullable Part part) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.MAP;
        }

        @Override
        public void encode(Encoder out) {
            out.optional(part, Codecs::mapPart);
        }

        static MapReply decode(Decoder in) {
            return new MapReply(in.optional(Codecs::mapPart));
        }
    }

    /** A document for operators. */
    record TextReply(String text) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.TEXT;
        }

        @Override
        public void encode(Encoder out) {
            out.text(text);
        }

        static TextReply decode(Decoder in) {
            return new TextReply(in.text());
        }
    }

    /**
     * A directory does not have the name that was looked up in it.
     *
     * @param parent the directory at that moment
     */
    record Absent(DirectoryState parent) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.ABSENT;
        }

        @Override
        public void encode(Encoder out) {
            Codecs.directoryState(out, parent);
        }

        static Absent decode(Decoder in) {
            return new Absent(Codecs.directoryState(in));
        }
    }

    /**
     * Contents were written into an inode. They are not told: the writer knows them when it knew
     * the inode as it was before.
     *
     * @param versionBefore version of the inode that was changed
     * @param inode the inode afterwards, without its contents
     */
    record WrittenReply(long versionBefore, Inode inode) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.WRITTEN;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(versionBefore);
            Codecs.inode(out, inode);
        }

        static WrittenReply decode(Decoder in) {
            return new WrittenReply(in.i64(), Codecs.inode(in));
        }
    }

    /**
     * Machines with locks.
     *
     * @param notifyState the state number that was given last; 0 when none was
     * @param hosts in the order of addresses and names
     * @param end whether there are no more after them
     */
    record HostsReply(int notifyState, List<HostRecord> hosts, boolean end) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.HOSTS;
        }

        @Override
        public void encode(Encoder out) {
            out.i32(notifyState).list(hosts, Codecs::hostRecord).bool(end);
        }

        static HostsReply decode(Decoder in) {
            return new HostsReply(in.i32(), in.list(Codecs::hostRecord), in.bool());
        }
    }

    /**
     * A tree job was taken, or did a step.
     *
     * @param job its number
     * @param directories whose names the step has changed
     * @param relaid files in their inodes that the step has given another layout
     */
    record JobReply(long job, long[] directories, long[] relaid) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.JOB;
        }

        @Override
        public void encode(Encoder out) {
            out.i64(job).longs(directories).longs(relaid);
        }

        static JobReply decode(Decoder in) {
            return new JobReply(in.i64(), in.longs(), in.longs());
        }
    }

    /**
     * The outcome of {@link LeaderMutation.TrashMutation.RestoreTrash}.
     *
     * @param made the names that were made
     */
    record TrashReply(List<Made> made) implements Reply {
        /** A name in a directory. */
        public record Made(long parentIno, Name name) {}

        @Override
        public ReplyType type() {
            return ReplyType.TRASH;
        }

        @Override
        public void encode(Encoder out) {
            out.list(made, (o, each) -> o.i64(each.parentIno).name(each.name));
        }

        static TrashReply decode(Decoder in) {
            return new TrashReply(in.list(i -> new Made(i.i64(), i.name())));
        }
    }

    /**
     * A ticket for chunks.
     *
     * @param ticket its bytes; empty where none is needed
     * @param lifeMs how long it is good
     */
    record TicketReply(byte[] ticket, long lifeMs) implements Reply {
        @Override
        public ReplyType type() {
            return ReplyType.TICKET;
        }

        @Override
        public void encode(Encoder out) {
            out.bytes(ticket).i64(lifeMs);
        }

        static TicketReply decode(Decoder in) {
            return new TicketReply(in.bytes(), in.i64());
        }
    }

    /** Reads code and fields. */
    static Reply decode(Decoder in) {
        return ReplyType.TABLE.require(in.u8()).decode(in);
    }
}
