package io.cairn.nfs.rpc;

import io.cairn.net.ReceiveBudget;
import io.cairn.runtime.Clock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Shared by all connections of a door.
 *
 * @param programs by number
 * @param calls memory of calls being received or done
 * @param answers expected memory of answers not taken by sockets
 * @param replies answers for repeated calls
 * @param workers where calls run; they may block
 * @param log where misbehaviour of peers goes
 */
record RpcContext(
        RpcLimits limits,
        Map<Integer, RpcProgram> programs,
        ReceiveBudget calls,
        ReceiveBudget answers,
        ReplyCache replies,
        Executor workers,
        Clock clock,
        Logger log) {

    /** The answer to a call with a header that is no good; null when it is good. */
    @Nullable ByteBuf problem(
            ByteBufAllocator allocator, RpcHeader header, @Nullable RpcProgram program) {
        if (header.rpcVersion() != RpcHeader.RPC_VERSION) {
            return RpcReply.mismatch(allocator, header.xid());
        }
        if (program == null) {
            return RpcReply.accepted(allocator, header.xid(), RpcReply.PROG_UNAVAIL);
        }
        if (header.version() < program.lowVersion() || header.version() > program.highVersion()) {
            return RpcReply.mismatch(allocator, header.xid(), program);
        }
        if (header.procedure() != 0
                && !program.hasProcedure(header.version(), header.procedure())) {
            return RpcReply.accepted(allocator, header.xid(), RpcReply.PROC_UNAVAIL);
        }
        return null;
    }
}
