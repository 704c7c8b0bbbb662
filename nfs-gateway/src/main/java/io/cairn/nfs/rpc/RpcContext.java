package io.cairn.nfs.rpc;

import io.cairn.net.ReceiveBudget;
import io.cairn.runtime.Clock;
import java.util.Map;
import java.util.concurrent.Executor;
import org.slf4j.Logger;

/**
 * What all connections of a door share.
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
        Logger log) {}
