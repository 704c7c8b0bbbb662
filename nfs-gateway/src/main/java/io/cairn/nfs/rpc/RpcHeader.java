package io.cairn.nfs.rpc;

/**
 * The beginning of a call (RFC 5531, 9): {@code xid, CALL=0, rpcvers, prog, vers, proc}; credential
 * and verifier follow.
 */
record RpcHeader(int xid, int kind, int rpcVersion, int program, int version, int procedure) {
    static final int CALL = 0;
    static final int RPC_VERSION = 2;

    static RpcHeader decode(XdrReader in) {
        return new RpcHeader(in.i32(), in.i32(), in.i32(), in.i32(), in.i32(), in.i32());
    }
}
