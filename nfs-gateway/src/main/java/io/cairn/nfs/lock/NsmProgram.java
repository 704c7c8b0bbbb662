package io.cairn.nfs.lock;

import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.RpcProgram;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.netty.buffer.ByteBuf;
import java.util.function.IntSupplier;

/**
 * The status monitor NSM version 1 (X/Open, Protocols for Interworking: XNFS, chapter 11). Machines
 * tell it that they came up again. Which machines to tell in turn is known from their locks, so
 * requests to monitor one are refused; they are for the lock manager of the same machine only.
 * Thread-safe; blocks.
 */
final class NsmProgram implements RpcProgram {
    /** The program number. */
    static final int NUMBER = 100024;

    static final int VERSION = 1;

    private static final int STAT_SUCC = 0;
    private static final int STAT_FAIL = 1;

    private final LockService service;
    private final IntSupplier state;

    /**
     * Over a service.
     *
     * @param state our own state number
     */
    NsmProgram(LockService service, IntSupplier state) {
        this.service = service;
        this.state = state;
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
        return NsmProcedure.CODES.find(procedure) != null;
    }

    @Override
    public int replyBytes(RpcCall call, ByteBuf arguments) {
        return 64;
    }

    @Override
    public void serve(RpcCall call, XdrReader in, XdrWriter out) {
        switch (NsmProcedure.CODES.of(call.procedure())) {
            case STAT -> {
                in.opaque(WireLock.MAX_CALLER_BYTES);
                out.i32(STAT_SUCC).i32(state.getAsInt());
            }
            case MON -> out.i32(STAT_FAIL).i32(state.getAsInt());
            case UNMON, UNMON_ALL -> out.i32(state.getAsInt());
            case SIMU_CRASH -> {
                // Only the machine itself may ask for this, and we do not crash on demand.
            }
            case NOTIFY -> service.rebooted(call, in.opaque(WireLock.MAX_CALLER_BYTES), in.i32());
            case NULL -> {
                // The door answers it.
            }
        }
    }
}
