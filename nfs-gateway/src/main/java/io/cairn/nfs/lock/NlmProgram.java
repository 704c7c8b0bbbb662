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
        return NlmProcedure.CODES.find(procedure) != null;
    }

    @Override
    public int replyBytes(RpcCall call, ByteBuf arguments) {
        return REPLY_BYTES;
    }

    @Override
    public boolean isOnce(RpcCall call) {
        return NlmProcedure.CODES.of(call.procedure()).isOnce();
    }

    @Override
    public void serve(RpcCall call, XdrReader in, XdrWriter out) {
        switch (NlmProcedure.CODES.of(call.procedure())) {
            case TEST -> test(call, in).accept(out);
            case LOCK -> lock(call, in, false).accept(out);
            case CANCEL -> cancel(call, in).accept(out);
            case UNLOCK -> unlock(call, in).accept(out);
            case TEST_MSG -> send(call, NlmProcedure.TEST_RES, test(call, in));
            case LOCK_MSG -> send(call, NlmProcedure.LOCK_RES, lock(call, in, true));
            case CANCEL_MSG -> send(call, NlmProcedure.CANCEL_RES, cancel(call, in));
            case UNLOCK_MSG -> send(call, NlmProcedure.UNLOCK_RES, unlock(call, in));
            case GRANTED -> {
                // We never wait for a lock of somebody else.
                byte[] cookie = in.opaque(WireLock.MAX_OPAQUE_BYTES);
                in.bool();
                WireLock.decode(in);
                out.opaque(cookie).i32(LockStatus.DENIED);
            }
            case GRANTED_RES ->
                    service.answered(call, in.opaque(WireLock.MAX_OPAQUE_BYTES), in.i32());
            case SHARE -> share(call, in, out, true);
            case UNSHARE -> share(call, in, out, false);
            case NM_LOCK -> unmonitored(call, in).accept(out);
            case FREE_ALL -> service.freeAll(call, in.opaque(WireLock.MAX_CALLER_BYTES));
            case GRANTED_MSG, TEST_RES, LOCK_RES, CANCEL_RES, UNLOCK_RES -> {
                // Answers to questions we never ask.
            }
            case NULL -> {
                // The door answers it.
            }
        }
    }

    /** Answers a message with a call of ours. */
    private void send(RpcCall call, NlmProcedure answer, Consumer<XdrWriter> results) {
        Callee client =
                new Callee(call.peer().getAddress(), call.local().getAddress(), NUMBER, VERSION);
        answers.send(client, answer.code(), results);
    }

    private Consumer<XdrWriter> test(RpcCall call, XdrReader in) {
        byte[] cookie = in.opaque(WireLock.MAX_OPAQUE_BYTES);
        boolean exclusive = in.bool();
        LockService.Tested tested = service.test(call, WireLock.decode(in), exclusive);
        return out -> tested(out.opaque(cookie), tested);
    }

    private Consumer<XdrWriter> cancel(RpcCall call, XdrReader in) {
        byte[] cookie = in.opaque(WireLock.MAX_OPAQUE_BYTES);
        in.bool();
        boolean exclusive = in.bool();
        return status(cookie, service.cancel(call, WireLock.decode(in), exclusive));
    }

    private Consumer<XdrWriter> unlock(RpcCall call, XdrReader in) {
        byte[] cookie = in.opaque(WireLock.MAX_OPAQUE_BYTES);
        return status(cookie, service.unlock(call, WireLock.decode(in)));
    }

    private Consumer<XdrWriter> lock(RpcCall call, XdrReader in, boolean asMessage) {
        byte[] cookie = in.opaque(WireLock.MAX_OPAQUE_BYTES);
        Wanted wanted = Wanted.decode(in);
        Manner manner = new Manner(wanted.block, wanted.reclaim, wanted.state, asMessage);
        return status(cookie, service.lock(call, wanted.lock, wanted.exclusive, manner));
    }

    /** A lock that is not monitored is not waited for, and its machine has no state. */
    private Consumer<XdrWriter> unmonitored(RpcCall call, XdrReader in) {
        byte[] cookie = in.opaque(WireLock.MAX_OPAQUE_BYTES);
        Wanted wanted = Wanted.decode(in);
        Manner manner = new Manner(false, wanted.reclaim, 0, false);
        return status(cookie, service.lock(call, wanted.lock, wanted.exclusive, manner));
    }

    private static Consumer<XdrWriter> status(byte[] cookie, int status) {
        return out -> out.opaque(cookie).i32(status);
    }

    /** The arguments of a lock behind the cookie ({@code nlm4_lockargs}). */
    private record Wanted(
            boolean block, boolean exclusive, WireLock lock, boolean reclaim, int state) {
        static Wanted decode(XdrReader in) {
            return new Wanted(in.bool(), in.bool(), WireLock.decode(in), in.bool(), in.i32());
        }
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

    private void share(RpcCall call, XdrReader in, XdrWriter out, boolean shared) {
        byte[] cookie = in.opaque(WireLock.MAX_OPAQUE_BYTES);
        byte[] caller = in.opaque(WireLock.MAX_CALLER_BYTES);
        byte[] handle = in.opaque(WireLock.MAX_HANDLE_BYTES);
        byte[] owner = in.opaque(WireLock.MAX_OPAQUE_BYTES);
        int deny = in.choice(MAX_SHARE);
        int access = in.choice(MAX_SHARE);
        in.bool();
        WireLock wire = new WireLock(caller, handle, owner, 0, 0, 0);
        int status = shared ? service.share(call, wire, deny, access) : service.unshare(call, wire);
        out.opaque(cookie).i32(status).i32(0);
    }
}
