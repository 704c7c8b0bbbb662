package io.cairn.nfs.lock;

import io.cairn.fs.Lock;
import io.cairn.nfs.lock.HostCalls.Callee;
import io.cairn.nfs.lock.LockService.Manner;
import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.RpcProgram;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * NLM version 4 (RFC 1813, 6): decodes, answers, and holds the switch over the procedures. To
 * procedures of the form {@code _MSG} the answer is a call of ours to the client, {@code _RES}.
 * Thread-safe; blocks.
 */
final class NlmProgram implements RpcProgram {
    /** The program number. */
    static final int NUMBER = 100021;

    /** The version for NFS version 3. */
    static final int VERSION = 4;

    static final int GRANTED = 5;
    static final int GRANTED_MSG = 10;

    private static final int TEST = 1;
    private static final int LOCK = 2;
    private static final int CANCEL = 3;
    private static final int UNLOCK = 4;

    /** From a synchronous procedure to its message, and from there to the answer. */
    private static final int MESSAGE = 5;

    private static final int TEST_MSG = TEST + MESSAGE;
    private static final int LOCK_MSG = LOCK + MESSAGE;
    private static final int CANCEL_MSG = CANCEL + MESSAGE;
    private static final int UNLOCK_MSG = UNLOCK + MESSAGE;
    private static final int TEST_RES = TEST_MSG + MESSAGE;
    private static final int GRANTED_RES = GRANTED_MSG + MESSAGE;
    private static final int SHARE = 20;
    private static final int UNSHARE = 21;
    private static final int NM_LOCK = 22;
    private static final int FREE_ALL = 23;

    private static final int REPLY_BYTES = 64 + WireLock.MAX_OPAQUE_BYTES;
    private static final int MAX_SHARE = 3;

    private final LockService service;
    private final MessageAnswers answers;

    NlmProgram(LockService service, MessageAnswers answers) {
        this.service = service;
        this.answers = answers;
    }

    @Override
    public int number() {
        return NUMBER;
    }

    @Override
    public int lowVersion() {
        return VERSION;
    }

    @Override
    public boolean hasProcedure(int version, int procedure) {
        return (procedure >= 0 && procedure <= GRANTED_RES)
                || (procedure >= SHARE && procedure <= FREE_ALL);
    }

    @Override
    public int replyBytes(RpcCall call, ByteBuf arguments) {
        return REPLY_BYTES;
    }

    /** The first answer to a repeated call: what it did may have been undone by another call. */
    @Override
    public boolean isOnce(RpcCall call) {
        int procedure = call.procedure();
        return (procedure >= LOCK && procedure <= UNLOCK)
                || (procedure >= LOCK_MSG && procedure <= UNLOCK_MSG)
                || procedure >= SHARE;
    }

    @Override
    public void serve(RpcCall call, XdrReader in, XdrWriter out) {
        switch (call.procedure()) {
            case TEST, LOCK, CANCEL, UNLOCK -> answer(call, in, call.procedure()).accept(out);
            case TEST_MSG, LOCK_MSG, CANCEL_MSG, UNLOCK_MSG -> {
                int procedure = call.procedure() - MESSAGE;
                Consumer<XdrWriter> results = answer(call, in, procedure);
                Callee client =
                        new Callee(
                                call.peer().getAddress(),
                                call.local().getAddress(),
                                NUMBER,
                                VERSION);
                answers.send(client, call.procedure() + MESSAGE, results);
            }
            case GRANTED -> {
                // We never wait for a lock of somebody else.
                byte[] cookie = in.opaque(WireLock.MAX_OPAQUE_BYTES);
                in.bool();
                WireLock.decode(in);
                out.opaque(cookie).i32(LockStatus.DENIED);
            }
            case GRANTED_RES ->
                    service.answered(call, in.opaque(WireLock.MAX_OPAQUE_BYTES), in.i32());
            case SHARE, UNSHARE -> share(call, in, out);
            case NM_LOCK -> answer(call, in, NM_LOCK).accept(out);
            case FREE_ALL -> service.freeAll(call, in.opaque(WireLock.MAX_CALLER_BYTES));
            default -> {
                // Answers to questions we never ask: TEST_RES to UNLOCK_RES, and GRANTED_MSG.
                if (call.procedure() < GRANTED_MSG || call.procedure() > TEST_RES + UNLOCK - TEST) {
                    throw new IllegalArgumentException("procedure " + call.procedure());
                }
            }
        }
    }

    /** Does the work; what comes out is written as the results. */
    private Consumer<XdrWriter> answer(RpcCall call, XdrReader in, int procedure) {
        byte[] cookie = in.opaque(WireLock.MAX_OPAQUE_BYTES);
        return switch (procedure) {
            case TEST -> {
                boolean exclusive = in.bool();
                LockService.Tested tested = service.test(call, WireLock.decode(in), exclusive);
                yield out -> tested(out.opaque(cookie), tested);
            }
            case LOCK, NM_LOCK -> {
                int status = lock(call, in, procedure == NM_LOCK);
                yield out -> out.opaque(cookie).i32(status);
            }
            case CANCEL -> {
                in.bool();
                boolean exclusive = in.bool();
                int status = service.cancel(call, WireLock.decode(in), exclusive);
                yield out -> out.opaque(cookie).i32(status);
            }
            default -> {
                int status = service.unlock(call, WireLock.decode(in));
                yield out -> out.opaque(cookie).i32(status);
            }
        };
    }

    /** A lock that is not monitored is not waited for, and its machine has no state. */
    private int lock(RpcCall call, XdrReader in, boolean unmonitored) {
        boolean block = in.bool();
        boolean exclusive = in.bool();
        WireLock wire = WireLock.decode(in);
        boolean reclaim = in.bool();
        int state = in.i32();
        boolean asMessage = call.procedure() == LOCK_MSG;
        Manner manner =
                new Manner(block && !unmonitored, reclaim, unmonitored ? 0 : state, asMessage);
        return service.lock(call, wire, exclusive, manner);
    }

    /** {@code nlm4_testrply}. The opaque owner is not told: clients of others cannot use it. */
    private static void tested(XdrWriter out, LockService.Tested tested) {
        Lock holder = tested.holder();
        out.i32(tested.status());
        if (holder != null) {
            boolean toEnd = holder.endByte() == Lock.TO_END;
            out.bool(holder.mode() == Lock.Mode.EXCLUSIVE).i32(holder.pid()).opaque(new byte[0]);
            out.i64(holder.startByte());
            out.i64(toEnd ? 0 : holder.endByte() - holder.startByte() + 1);
        }
    }

    private void share(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] cookie = in.opaque(WireLock.MAX_OPAQUE_BYTES);
        byte[] caller = in.opaque(WireLock.MAX_CALLER_BYTES);
        byte[] handle = in.opaque(WireLock.MAX_HANDLE_BYTES);
        byte[] owner = in.opaque(WireLock.MAX_OPAQUE_BYTES);
        int deny = in.choice(MAX_SHARE);
        int access = in.choice(MAX_SHARE);
        in.bool();
        WireLock wire = new WireLock(caller, handle, owner, 0, 0, 0);
        int status =
                call.procedure() == SHARE
                        ? service.share(call, wire, deny, access)
                        : service.unshare(call, wire);
        out.opaque(cookie).i32(status).i32(0);
    }
}
