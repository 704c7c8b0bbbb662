package io.cairn.nfs.lock;

import io.cairn.cluster.Endpoint;
import io.cairn.nfs.RpcClient;
import io.cairn.nfs.rpc.Credential;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A machine that locks: NLM version 4 as the specification writes it. */
public final class NlmClient implements AutoCloseable {
    public static final int GRANTED = 0;
    public static final int DENIED = 1;
    public static final int NOLOCKS = 2;
    public static final int BLOCKED = 3;
    public static final int GRACE = 4;
    public static final int DEADLOCK = 5;
    public static final int ROFS = 6;
    public static final int STALE = 7;
    public static final int FBIG = 8;
    public static final int FAILED = 9;

    static final int NLM = 100021;
    static final int NSM = 100024;

    private final RpcClient rpc;
    private final Credential credential;
    private final byte[] name;

    /** NSM state of the machine. */
    public int state = 3;

    private int cookies;

    /** What is locked. */
    public record Range(byte[] handle, int svid, long offset, long length) {
        /** The same of another owner. */
        public Range of(int otherSvid) {
            return new Range(handle, otherSvid, offset, length);
        }

        /** Another part of the file. */
        public Range at(long newOffset, long newLength) {
            return new Range(handle, svid, newOffset, newLength);
        }
    }

    /** The lock in the way. */
    public record Holder(boolean exclusive, int svid, long offset, long length) {}

    /** A machine with a name, acting for the superuser. */
    public NlmClient(Endpoint server, String name) {
        this(server, name, Credential.sys(0, 0));
    }

    /** A machine with a name, acting for a user. */
    public NlmClient(Endpoint server, String name, Credential credential) {
        this.rpc = new RpcClient(server);
        this.name = name.getBytes(StandardCharsets.ISO_8859_1);
        this.credential = credential;
    }

    RpcClient rpc() {
        return rpc;
    }

    XdrReader call(int procedure, Consumer<XdrWriter> arguments) {
        RpcClient.Answer answer = rpc.call(NLM, 4, procedure, credential, arguments);
        if (!answer.accepted() || answer.status() != 0) {
            throw new AssertionError("RPC status " + answer.status());
        }
        return answer.results();
    }

    private byte[] cookie() {
        cookies++;
        return new byte[] {(byte) cookies, 1, 2, 3, 4};
    }

    private void range(XdrWriter out, Range range) {
        out.opaque(name).opaque(range.handle).opaque(owner(range.svid));
        out.i32(range.svid).i64(range.offset).i64(range.length);
    }

    private static byte[] owner(int svid) {
        return (svid + "@here").getBytes(StandardCharsets.US_ASCII);
    }

    private static int status(XdrReader results, byte[] cookie) {
        if (!java.util.Arrays.equals(cookie, results.opaque(1024))) {
            throw new AssertionError("another cookie");
        }
        return results.i32();
    }

    void lockArguments(XdrWriter out, byte[] cookie, Range range, boolean[] how) {
        out.opaque(cookie).bool(how[0]).bool(how[1]);
        range(out, range);
        out.bool(how[2]).i32(state);
    }

    /** LOCK or NM_LOCK; how: block, exclusive, reclaim. */
    int lock(int procedure, Range range, boolean... how) {
        byte[] cookie = cookie();
        return status(call(procedure, out -> lockArguments(out, cookie, range, how)), cookie);
    }

    /** A lock that is not waited for. */
    public int lock(Range range, boolean exclusive) {
        return lock(2, range, false, exclusive, false);
    }

    /** A lock that is waited for. */
    public int block(Range range, boolean exclusive) {
        return lock(2, range, true, exclusive, false);
    }

    /** A lock that the machine had before. */
    public int reclaim(Range range, boolean exclusive) {
        return lock(2, range, false, exclusive, true);
    }

    /** UNLOCK. */
    public int unlock(Range range) {
        byte[] cookie = cookie();
        return status(
                call(
                        4,
                        out -> {
                            out.opaque(cookie);
                            range(out, range);
                        }),
                cookie);
    }

    /** CANCEL. */
    public int cancel(Range range, boolean exclusive) {
        byte[] cookie = cookie();
        return status(
                call(
                        3,
                        out -> {
                            out.opaque(cookie).bool(true).bool(exclusive);
                            range(out, range);
                        }),
                cookie);
    }

    /** TEST: the lock in the way, or null. */
    public @Nullable Holder test(Range range, boolean exclusive) {
        byte[] cookie = cookie();
        XdrReader results =
                call(
                        1,
                        out -> {
                            out.opaque(cookie).bool(exclusive);
                            range(out, range);
                        });
        int status = status(results, cookie);
        if (status == GRANTED) {
            return null;
        }
        if (status != DENIED) {
            throw new AssertionError("status " + status);
        }
        boolean isExclusive = results.bool();
        int svid = results.i32();
        results.opaque(1024);
        return new Holder(isExclusive, svid, results.i64(), results.i64());
    }

    /** TEST_MSG (6) or UNLOCK_MSG (9). */
    void message(int procedure, Range range, boolean exclusive) {
        byte[] cookie = cookie();
        call(
                procedure,
                out -> {
                    out.opaque(cookie);
                    if (procedure == 6) {
                        out.bool(exclusive);
                    }
                    range(out, range);
                });
    }

    /** SHARE (20) or UNSHARE (21). */
    public int share(int procedure, Range range, int deny, int access) {
        byte[] cookie = cookie();
        XdrReader results =
                call(
                        procedure,
                        out -> {
                            out.opaque(cookie).opaque(name).opaque(range.handle);
                            out.opaque(owner(range.svid)).i32(deny).i32(access).bool(false);
                        });
        int status = status(results, cookie);
        results.i32();
        return status;
    }

    /** FREE_ALL. */
    public void freeAll() {
        call(23, out -> out.opaque(name).i32(state));
    }

    /** SM_NOTIFY: the machine came up again, under some name. */
    public void notify(String monitored, int newState) {
        rpc.call(
                NSM,
                1,
                6,
                Credential.NONE,
                out -> out.opaque(monitored.getBytes(StandardCharsets.US_ASCII)).i32(newState));
    }

    @Override
    public void close() {
        rpc.close();
    }
}
