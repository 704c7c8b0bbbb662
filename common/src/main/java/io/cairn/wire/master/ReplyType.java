package io.cairn.wire.master;

import io.cairn.wire.Decoder;
import io.cairn.wire.MessageType;
import io.cairn.wire.TypeTable;
import java.util.function.Function;

/** The types of replies of a master. */
public enum ReplyType implements MessageType {
    DONE(1, Reply.Done::decode),
    FAILURE(2, Reply.Failure::decode),
    ENTRY(3, Reply.EntryReply::decode),
    WITNESSED_ENTRY(14, Reply.EntryReply::decodeWitnessed),
    DIRECTORY(4, Reply.DirectoryReply::decode),
    BYTES(5, Reply.BytesReply::decode),
    NAMES(6, Reply.NamesReply::decode),
    LOCK(7, Reply.LockReply::decode),
    USAGE(8, Reply.UsageReply::decode),
    SESSION(9, Reply.SessionReply::decode),
    MAP(10, Reply.MapReply::decode),
    TEXT(11, Reply.TextReply::decode),
    ABSENT(12, Reply.Absent::decode),
    WRITTEN(13, Reply.WrittenReply::decode),
    HOSTS(32, Reply.HostsReply::decode),
    JOB(33, Reply.JobReply::decode),
    ALLOWANCE(50, Reply.AllowanceReply::decode),
    TRASH(60, Reply.TrashReply::decode),
    TICKET(72, Reply.TicketReply::decode);

    static final TypeTable<ReplyType> TABLE = new TypeTable<>("reply", values());

    private final int code;

    @SuppressWarnings("ImmutableEnumChecker") // a reference to a static method
    private final Function<Decoder, Reply> decoder;

    ReplyType(int code, Function<Decoder, Reply> decoder) {
        this.code = code;
        this.decoder = decoder;
    }

    @Override
    public int code() {
        return code;
    }

    /** Reads the fields. */
    Reply decode(Decoder in) {
        return decoder.apply(in);
    }
}
