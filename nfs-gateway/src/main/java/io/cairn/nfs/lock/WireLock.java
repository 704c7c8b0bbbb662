package io.cairn.nfs.lock;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.HostContact;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import java.nio.charset.StandardCharsets;

/**
 * A lock as clients speak of it: {@code nlm4_lock} (RFC 1813, 6.1.1).
 *
 * @param caller name of the client machine
 * @param handle of the file
 * @param owner what the client wants to hear again in a callback
 * @param svid the owner within the machine, an unsigned number
 * @param offset first byte, an unsigned number
 * @param length bytes, an unsigned number; 0 to the end
 */
record WireLock(byte[] caller, byte[] handle, byte[] owner, int svid, long offset, long length) {
    static final int MAX_CALLER_BYTES = 1024;
    static final int MAX_HANDLE_BYTES = 64;

    /** Of owners and cookies, opaque to us. */
    static final int MAX_OPAQUE_BYTES = 1024;

    static WireLock decode(XdrReader in) {
        return new WireLock(
                in.opaque(MAX_CALLER_BYTES),
                in.opaque(MAX_HANDLE_BYTES),
                in.opaque(MAX_OPAQUE_BYTES),
                in.i32(),
                in.i64(),
                in.i64());
    }

    void encode(XdrWriter out) {
        out.opaque(caller).opaque(handle).opaque(owner).i32(svid).i64(offset).i64(length);
    }

    /**
     * The lock that is asked for.
     *
     * @throws FsException EFBIG when it goes beyond 2^63 - 1
     */
    Lock toLock(Lock.Mode mode) {
        long end = length == 0 ? Lock.TO_END : offset + length - 1;
        if (offset < 0 || length < 0 || end < offset) {
            throw new FsException(
                    Errno.EFBIG,
                    "a lock of "
                            + Long.toUnsignedString(length)
                            + " bytes at "
                            + Long.toUnsignedString(offset));
        }
        return new Lock(Lock.Kind.POSIX, mode, Integer.toUnsignedLong(svid), offset, end, svid);
    }

    /**
     * The machine that calls.
     *
     * @throws FsException ENOLCK when its name is too long to be remembered, EINVAL when it has
     *     none
     */
    static LockHost host(RpcCall call, byte[] caller) {
        if (caller.length == 0) {
            throw new FsException(Errno.EINVAL, "a machine without a name");
        }
        if (caller.length > LockHost.MAX_NAME_BYTES) {
            throw new FsException(
                    Errno.ENOLCK, "the name of a machine has " + caller.length + " bytes");
        }
        return new LockHost(
                new String(caller, StandardCharsets.ISO_8859_1),
                call.peer().getAddress().getHostAddress());
    }

    /** The machine that calls, in its present state. */
    static HostContact contact(RpcCall call, byte[] caller, int state) {
        String server = call.local().getAddress().getHostAddress();
        return new HostContact(host(call, caller), state, server);
    }
}
