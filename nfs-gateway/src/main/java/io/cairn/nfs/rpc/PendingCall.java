package io.cairn.nfs.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * A call whose header was good, with the record that holds its arguments.
 *
 * @param arguments stands behind the header
 * @param admittedBytes what the record holds of the budget of calls
 * @param key set when the answer goes to the cache of replies
 */
record PendingCall(
        RpcProgram program,
        RpcCall call,
        XdrReader arguments,
        ByteBuf record,
        int admittedBytes,
        RpcReply.CallShare share,
        ReplyCache.@Nullable Key key) {

    /** Does the work; blocks. Exactly one answer comes out, whatever happens. */
    RpcReply run(ByteBufAllocator allocator, RpcContext context) {
        ByteBuf out = RpcReply.accepted(allocator, call.xid(), RpcReply.SUCCESS);
        XdrWriter results = new XdrWriter(out);
        try {
            program.serve(call, arguments, results);
        } catch (XdrException e) {
            results.reset();
            RpcReply.reaccept(out, call.xid(), RpcReply.GARBAGE_ARGS);
        } catch (RpcDenied e) {
            results.reset();
            RpcReply.deny(out, call.xid(), e.status());
        } catch (RuntimeException e) {
            context.log()
                    .error(
                            "Procedure {} of program {} failed for {}",
                            call.procedure(),
                            call.program(),
                            call.peer(),
                            e);
            results.reset();
            RpcReply.reaccept(out, call.xid(), RpcReply.SYSTEM_ERR);
        }
        RpcReply reply = new RpcReply(out, results.takePayload(), share).marked();
        if (key != null) {
            context.replies().finish(key, ByteBufUtil.getBytes(out));
        }
        return reply;
    }

    /** Gives the record back. */
    void release(RpcContext context) {
        record.release();
        context.calls().release(admittedBytes);
    }

    /** The call will not be done. */
    void drop(RpcContext context) {
        if (key != null) {
            context.replies().forget(key);
        }
        release(context);
    }
}
