package io.cairn.wire.master;

import io.cairn.wire.Decoder;
import io.cairn.wire.MessageType;
import io.cairn.wire.TypeTable;
import java.util.function.Function;

/** The types of queries. */
public enum QueryType implements MessageType {
    LOOKUP(1, Query.Lookup::decode),
    GET_INODE(2, Query.GetInode::decode),
    READ_DIRECTORY(3, Query.ReadDirectory::decode),
    GET_XATTR(4, Query.GetXattr::decode),
    LIST_XATTR(5, Query.ListXattr::decode),
    TEST_LOCK(6, Query.TestLock::decode),
    GET_USAGE(7, Query.GetUsage::decode),
    GET_MAP(8, Query.GetMap::decode),
    OPEN(9, Query.Open::decode),
    RELEASE(10, Query.Release::decode),
    KEEP_ALIVE(11, Query.KeepAlive::decode),
    GET_STATUS(12, Query.GetStatus::decode),
    GET_PATH(13, Query.GetPath::decode),
    CHECK_TAIL(14, Query.CheckTail::decode),
    TEST_HOST_LOCK(32, Query.TestHostLock::decode),
    LIST_HOSTS(33, Query.ListHosts::decode),
    HOLD_STILL(34, Query.HoldStill::decode),
    LOOKUP_MANY(35, Query.LookupMany::decode),
    GET_ALLOWANCE(50, Query.GetAllowance::decode),
    GET_ROOM(51, Query.GetRoom::decode),
    BEGIN_LOGIN(70, Query.BeginLogin::decode),
    FINISH_LOGIN(71, Query.FinishLogin::decode),
    GET_TICKET(72, Query.GetTicket::decode);

    static final TypeTable<QueryType> TABLE = new TypeTable<>("query", values());

    private final int code;

    @SuppressWarnings("ImmutableEnumChecker") // a reference to a static method
    private final Function<Decoder, Query> decoder;

    QueryType(int code, Function<Decoder, Query> decoder) {
        this.code = code;
        this.decoder = decoder;
    }

    @Override
    public int code() {
        return code;
    }

    /** Reads the fields. */
    Query decode(Decoder in) {
        return decoder.apply(in);
    }
}
