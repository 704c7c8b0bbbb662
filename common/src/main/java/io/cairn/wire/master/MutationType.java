package io.cairn.wire.master;

import static io.cairn.wire.master.MutationType.Cancellation.CANCELLABLE;
import static io.cairn.wire.master.MutationType.Cancellation.FOR_ALL;
import static io.cairn.wire.master.MutationType.Repetition.ONCE;
import static io.cairn.wire.master.MutationType.Repetition.REPEATABLE;
import static io.cairn.wire.master.MutationType.Room.ANY_ROOM;
import static io.cairn.wire.master.MutationType.Room.NEEDS_ROOM;
import static io.cairn.wire.master.MutationType.Sender.LEADER;
import static io.cairn.wire.master.MutationType.Sender.NEWCOMER;
import static io.cairn.wire.master.MutationType.Sender.SESSION;
import static io.cairn.wire.master.MutationType.Sender.SESSION_OR_LEADER;

import io.cairn.wire.Decoder;
import io.cairn.wire.MessageType;
import io.cairn.wire.TypeTable;
import io.cairn.wire.master.ContentMutation.SharingMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import java.util.function.Function;

/**
 * The types of mutations, with what is true of all of a type. Properties that a single mutation
 * knows better are methods of its record: {@link Mutation#isRepeatable}, {@link
 * Mutation#needsRoom}, {@link Mutation#isCancellable}.
 */
public enum MutationType implements MessageType {
    // Names, attributes, extended attributes, policies.
    CREATE(1, SESSION_OR_LEADER, ONCE, NEEDS_ROOM, CANCELLABLE, TreeMutation.Create::decode),
    MKDIR(2, SESSION_OR_LEADER, ONCE, NEEDS_ROOM, CANCELLABLE, TreeMutation.Mkdir::decode),
    SYMLINK(3, SESSION_OR_LEADER, ONCE, NEEDS_ROOM, CANCELLABLE, TreeMutation.Symlink::decode),
    LINK(4, SESSION_OR_LEADER, ONCE, NEEDS_ROOM, CANCELLABLE, TreeMutation.Link::decode),
    UNLINK(5, SESSION_OR_LEADER, ONCE, ANY_ROOM, CANCELLABLE, TreeMutation.Unlink::decode),
    RMDIR(6, SESSION_OR_LEADER, ONCE, ANY_ROOM, CANCELLABLE, TreeMutation.Rmdir::decode),
    RENAME(7, SESSION_OR_LEADER, ONCE, NEEDS_ROOM, CANCELLABLE, TreeMutation.Rename::decode),
    CREATE_UNNAMED(
            27,
            SESSION_OR_LEADER,
            ONCE,
            NEEDS_ROOM,
            CANCELLABLE,
            TreeMutation.CreateUnnamed::decode),
    MAKE_FILE(235, SESSION, ONCE, NEEDS_ROOM, FOR_ALL, SessionMutation.MakeFile::decode),
    MAKE_DIRECTORY(
            246, SESSION, ONCE, NEEDS_ROOM, CANCELLABLE, SessionMutation.MakeDirectory::decode),
    REMOVE_EARLY(251, SESSION, ONCE, ANY_ROOM, FOR_ALL, SessionMutation.RemoveEarly::decode),
    SET_ATTRIBUTES(
            8,
            SESSION_OR_LEADER,
            REPEATABLE,
            NEEDS_ROOM,
            CANCELLABLE,
            TreeMutation.SetAttributes::decode),
    WRITE_AND_SET(195, SESSION, REPEATABLE, NEEDS_ROOM, FOR_ALL, TreeMutation.WriteAndSet::decode),
    SET_XATTR(
            13,
            SESSION_OR_LEADER,
            REPEATABLE,
            NEEDS_ROOM,
            CANCELLABLE,
            TreeMutation.SetXattr::decode),
    REPLACE_XATTR(
            22,
            SESSION_OR_LEADER,
            ONCE,
            NEEDS_ROOM,
            CANCELLABLE,
            TreeMutation.ReplaceXattr::decode),
    REMOVE_XATTR(
            14, SESSION_OR_LEADER, ONCE, NEEDS_ROOM, CANCELLABLE, TreeMutation.RemoveXattr::decode),
    WITNESSED(21, SESSION_OR_LEADER, ONCE, NEEDS_ROOM, CANCELLABLE, TreeMutation.Witnessed::decode),
    SET_POLICY(
            18,
            SESSION_OR_LEADER,
            REPEATABLE,
            NEEDS_ROOM,
            CANCELLABLE,
            TreeMutation.SetPolicy::decode),
    // Contents of files.
    WRITE_INLINE(9, SESSION, REPEATABLE, NEEDS_ROOM, FOR_ALL, ContentMutation.WriteInline::decode),
    COMMIT_SIZE(10, SESSION, REPEATABLE, NEEDS_ROOM, FOR_ALL, ContentMutation.CommitSize::decode),
    SPILL(11, SESSION, REPEATABLE, NEEDS_ROOM, FOR_ALL, ContentMutation.Spill::decode),
    CLONE_DONE(12, SESSION, REPEATABLE, NEEDS_ROOM, FOR_ALL, ContentMutation.CloneDone::decode),
    SWAP_CONTENTS(
            19, SESSION, REPEATABLE, NEEDS_ROOM, FOR_ALL, ContentMutation.SwapContents::decode),
    RENEW_TAIL(20, SESSION, REPEATABLE, NEEDS_ROOM, FOR_ALL, ContentMutation.RenewTail::decode),
    TAKE_DETOUR(23, SESSION, REPEATABLE, NEEDS_ROOM, FOR_ALL, ContentMutation.TakeDetour::decode),
    TAKE_PARTIAL_DETOUR(
            215,
            SESSION,
            REPEATABLE,
            NEEDS_ROOM,
            FOR_ALL,
            ContentMutation.TakePartialDetour::decode),
    RENEW_CHUNKS(
            159, SESSION, REPEATABLE, NEEDS_ROOM, FOR_ALL, ContentMutation.RenewChunks::decode),
    MOVE_CHUNKS(225, SESSION, REPEATABLE, NEEDS_ROOM, FOR_ALL, ContentMutation.MoveChunks::decode),
    SHARE_CHUNKS(
            200, SESSION, REPEATABLE, NEEDS_ROOM, FOR_ALL, SharingMutation.ShareChunks::decode),
    // Sessions and their locks.
    SET_LOCK(15, SESSION, REPEATABLE, ANY_ROOM, CANCELLABLE, SessionMutation.SetLock::decode),
    CANCEL_LOCK(16, SESSION, REPEATABLE, ANY_ROOM, FOR_ALL, SessionMutation.CancelLock::decode),
    RELEASE_LOCKS(17, SESSION, REPEATABLE, ANY_ROOM, FOR_ALL, SessionMutation.ReleaseLocks::decode),
    RESERVE_NUMBERS(
            236, SESSION, ONCE, NEEDS_ROOM, FOR_ALL, SessionMutation.ReserveNumbers::decode),
    OPEN_SESSION(32, NEWCOMER, REPEATABLE, ANY_ROOM, FOR_ALL, SessionMutation.OpenSession::decode),
    CLOSE_SESSION(
            33,
            SESSION_OR_LEADER,
            REPEATABLE,
            ANY_ROOM,
            FOR_ALL,
            SessionMutation.CloseSession::decode),
    // Locks of machines behind gateways.
    SET_HOST_LOCK(48, SESSION, REPEATABLE, ANY_ROOM, FOR_ALL, HostMutation.SetHostLock::decode),
    CANCEL_HOST_LOCK(
            49, SESSION, REPEATABLE, ANY_ROOM, FOR_ALL, HostMutation.CancelHostLock::decode),
    RELEASE_HOST(
            50, SESSION_OR_LEADER, REPEATABLE, ANY_ROOM, FOR_ALL, HostMutation.ReleaseHost::decode),
    TAKE_NOTIFY_STATE(
            51, SESSION, REPEATABLE, ANY_ROOM, FOR_ALL, HostMutation.TakeNotifyState::decode),
    // What the leader proposes.
    PURGE(34, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.Purge::decode),
    COLLECTED(35, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.Collected::decode),
    CHANGE_MAP(36, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.ChangeMap::decode),
    FOUND(37, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.Found::decode),
    DOUBT_OBJECTS(38, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.DoubtObjects::decode),
    CHANGE_RECORDS(39, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.ChangeRecords::decode),
    CHANGE_SETTINGS(40, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.ChangeSettings::decode),
    LOSE_SESSION(41, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.LoseSession::decode),
    TAKE_RIGHTS(250, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.TakeRights::decode),
    RENEW_OBJECTS(42, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.RenewObjects::decode),
    RAISE_LEVEL(43, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.RaiseLevel::decode),
    RECOVER(44, LEADER, ONCE, ANY_ROOM, FOR_ALL, _ -> new LeaderMutation.Recover()),
    RELEASE_CHUNKS(45, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.ReleaseChunks::decode),
    // Snapshots and clones.
    BEGIN_CLONE(152, LEADER, ONCE, NEEDS_ROOM, FOR_ALL, SnapshotMutation.BeginClone::decode),
    GIVE_UP_SNAPSHOT(151, LEADER, ONCE, ANY_ROOM, FOR_ALL, SnapshotMutation.GiveUpSnapshot::decode),
    BEGIN_SNAPSHOT(155, LEADER, ONCE, NEEDS_ROOM, FOR_ALL, SnapshotMutation.BeginSnapshot::decode),
    FINISH_SNAPSHOT(
            156, LEADER, ONCE, NEEDS_ROOM, FOR_ALL, SnapshotMutation.FinishSnapshot::decode),
    DROP_SNAPSHOT(157, LEADER, ONCE, ANY_ROOM, FOR_ALL, SnapshotMutation.DropSnapshot::decode),
    SWEEP_HISTORY(158, LEADER, ONCE, ANY_ROOM, FOR_ALL, SnapshotMutation.SweepHistory::decode),
    // Tree jobs.
    SUBMIT(64, LEADER, ONCE, NEEDS_ROOM, FOR_ALL, JobMutation.Submit::decode),
    CONTROL(65, LEADER, ONCE, NEEDS_ROOM, FOR_ALL, JobMutation.Control::decode),
    STEP(66, LEADER, ONCE, NEEDS_ROOM, FOR_ALL, JobMutation.Step::decode),
    EDIT_INODE(67, LEADER, ONCE, NEEDS_ROOM, FOR_ALL, JobMutation.EditInode::decode),
    // The trash.
    SET_RETENTION(
            165,
            LEADER,
            ONCE,
            ANY_ROOM,
            FOR_ALL,
            LeaderMutation.TrashMutation.SetRetention::decode),
    PURGE_TRASH(
            166, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.TrashMutation.PurgeTrash::decode),
    RESTORE_TRASH(
            167,
            LEADER,
            ONCE,
            NEEDS_ROOM,
            FOR_ALL,
            LeaderMutation.TrashMutation.RestoreTrash::decode),
    // Chunk servers and targets, for administrators.
    SET_TARGET_STATE(
            80,
            LEADER,
            ONCE,
            ANY_ROOM,
            FOR_ALL,
            LeaderMutation.StorageMutation.SetTargetState::decode),
    SET_MAINTENANCE(
            81,
            LEADER,
            ONCE,
            ANY_ROOM,
            FOR_ALL,
            LeaderMutation.StorageMutation.SetMaintenance::decode),
    REMOVE_STORAGE(
            82,
            LEADER,
            ONCE,
            ANY_ROOM,
            FOR_ALL,
            LeaderMutation.StorageMutation.RemoveStorage::decode),
    SET_LABELS(
            83, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.StorageMutation.SetLabels::decode),
    // Quotas, for administrators.
    SET_QUOTA(150, LEADER, ONCE, ANY_ROOM, FOR_ALL, LeaderMutation.SetQuota::decode),
    // Storage classes, for administrators.
    SET_CLASS(180, LEADER, ONCE, NEEDS_ROOM, FOR_ALL, JobMutation.ClassMutation.SetClass::decode),
    REMOVE_CLASS(
            181, LEADER, ONCE, ANY_ROOM, FOR_ALL, JobMutation.ClassMutation.RemoveClass::decode),
    ASSIGN_CLASS(
            182, LEADER, ONCE, ANY_ROOM, FOR_ALL, JobMutation.ClassMutation.AssignClass::decode),
    ADD_CLASS_RULE(
            183, LEADER, ONCE, NEEDS_ROOM, FOR_ALL, JobMutation.ClassMutation.AddClassRule::decode),
    REMOVE_CLASS_RULE(
            184,
            LEADER,
            ONCE,
            ANY_ROOM,
            FOR_ALL,
            JobMutation.ClassMutation.RemoveClassRule::decode);

    /** In whose name a mutation is proposed. */
    public enum Sender {
        /** A client's, within its session. */
        SESSION,
        /** A client's within its session, or the leader's own. */
        SESSION_OR_LEADER,
        /** That of a client which has no session yet. */
        NEWCOMER,
        /** The leader's alone. */
        LEADER
    }

    /** The effect of doing it a second time. */
    enum Repetition {
        /** It may fail, or change more: it must not be sent in another session. */
        ONCE,
        /** The same as doing it once. */
        REPEATABLE
    }

    /** Its fate on the last room of a master's disk. */
    enum Room {
        /** It is refused. */
        NEEDS_ROOM,
        /** It makes room, or lets clients come and go, and is taken. */
        ANY_ROOM
    }

    /** For whom a client sends it. */
    enum Cancellation {
        /** For one caller, who may be interrupted. */
        CANCELLABLE,
        /** For everybody: commits, and what gives back. */
        FOR_ALL
    }

    static final TypeTable<MutationType> TABLE = new TypeTable<>("mutation", values());

    private final int code;
    private final Sender sender;
    private final Repetition repetition;
    private final Room room;
    private final Cancellation cancellation;

    @SuppressWarnings("ImmutableEnumChecker") // a reference to a static method
    private final Function<Decoder, Mutation> decoder;

    MutationType(
            int code,
            Sender sender,
            Repetition repetition,
            Room room,
            Cancellation cancellation,
            Function<Decoder, Mutation> decoder) {
        this.code = code;
        this.sender = sender;
        this.repetition = repetition;
        this.room = room;
        this.cancellation = cancellation;
        this.decoder = decoder;
    }

    @Override
    public int code() {
        return code;
    }

    /** In whose name it is proposed. */
    public Sender sender() {
        return sender;
    }

    boolean isRepeatable() {
        return repetition == REPEATABLE;
    }

    boolean needsRoom() {
        return room == NEEDS_ROOM;
    }

    boolean isCancellable() {
        return cancellation == CANCELLABLE;
    }

    /** Whether the session may hold open from then on what it makes. */
    public boolean mayOpen() {
        return this == CREATE
                || this == MAKE_FILE
                || this == CREATE_UNNAMED
                || this == MOVE_CHUNKS
                || this == WITNESSED;
    }

    /** Reads the fields. */
    Mutation decode(Decoder in) {
        return decoder.apply(in);
    }
}
