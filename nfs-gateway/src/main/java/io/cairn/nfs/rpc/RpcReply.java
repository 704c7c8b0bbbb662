package io.cairn.nfs.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * An answer in one record of one fragment, ready for the socket, with the mark in front.
 *
 * <pre>
 * | mark | xid | REPLY=1 | MSG_ACCEPTED=0 | verifier: AUTH_NONE, 0 | accept_stat | results ...
 * | mark | xid | REPLY=1 | MSG_DENIED=1   | reject_stat            | ...
 * </pre>
 *
 * @param head everything but the payload
 * @param payload goes behind the head, then its padding; null when there is none
 * @param call what the call holds until the socket has taken the answer
 */
record RpcReply(ByteBuf head, @Nullable ByteBuf payload, CallShare call) {
    /** The share of a call in progress in its connection and in the budget of answers. */
    record CallShare(int replyBytes) {}

    static final int SUCCESS = 0;
    static final int PROG_UNAVAIL = 1;
    static final int PROG_MISMATCH = 2;
    static final int PROC_UNAVAIL = 3;
    static final int GARBAGE_ARGS = 4;
    static final int SYSTEM_ERR = 5;

    private static final int RPC_MISMATCH = 0;
    private static final int AUTH_ERROR = 1;
    private static final int RPC_VERSION = 2;
    private static final int REPLY = 1;
    private static final int ACCEPTED = 0;
    private static final int DENIED = 1;
    private static final int LAST_FRAGMENT = 1 << 31;
    private static final int FIRST_BYTES = 256;

    /** Bytes of the answer, without mark. */
    int lengthBytes() {
        int bytes = head.readableBytes() - 4;
        return payload == null ? bytes : bytes + payload.readableBytes() + paddingBytes();
    }

    int paddingBytes() {
        return payload == null ? 0 : XdrReader.padding(payload.readableBytes());
    }

    void release() {
        head.release();
        if (payload != null) {
            payload.release();
        }
    }

    /** A buffer that begins as an accepted answer. */
    static ByteBuf accepted(ByteBufAllocator allocator, int xid, int status) {
        ByteBuf out = allocator.directBuffer(FIRST_BYTES);
        writeAccepted(out, xid, status);
        return out;
    }

    private static void writeAccepted(ByteBuf out, int xid, int status) {
        out.writeInt(0).writeInt(xid).writeInt(REPLY).writeInt(ACCEPTED);
        out.writeInt(Credential.AUTH_NONE).writeInt(0).writeInt(status);
    }

    /** Makes another accepted answer of a buffer. */
    static void reaccept(ByteBuf out, int xid, int status) {
        out.clear();
        writeAccepted(out, xid, status);
    }

    /** Makes a denial of a buffer. */
    static void deny(ByteBuf out, int xid, int authStatus) {
        out.clear();
        out.writeInt(0).writeInt(xid).writeInt(REPLY).writeInt(DENIED);
        out.writeInt(AUTH_ERROR).writeInt(authStatus);
    }

    /** RPC_MISMATCH: only version 2 is spoken. */
    static ByteBuf mismatch(ByteBufAllocator allocator, int xid) {
        ByteBuf out = allocator.directBuffer(FIRST_BYTES);
        out.writeInt(0).writeInt(xid).writeInt(REPLY).writeInt(DENIED);
        return out.writeInt(RPC_MISMATCH).writeInt(RPC_VERSION).writeInt(RPC_VERSION);
    }

    /** PROG_MISMATCH with the versions served. */
    static ByteBuf mismatch(ByteBufAllocator allocator, int xid, RpcProgram program) {
        return accepted(allocator, xid, PROG_MISMATCH)
                .writeInt(program.lowVersion())
                .writeInt(program.highVersion());
    }

    /** The answer with its length in the mark. */
    RpcReply marked() {
        head.setInt(head.readerIndex(), LAST_FRAGMENT | lengthBytes());
        return this;
    }
}
