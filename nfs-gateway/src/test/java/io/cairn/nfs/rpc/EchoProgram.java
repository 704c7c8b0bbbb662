package io.cairn.nfs.rpc;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A program that does what the tests want, in versions 2 and 3. */
final class EchoProgram implements RpcProgram {
    static final int NUMBER = 400_000;

    /** Gives its argument back. */
    static final int ECHO = 1;

    /** Gives as many bytes as asked for. */
    static final int BYTES = 2;

    /** Counts; to be done once. */
    static final int COUNT = 3;

    /** Fails with a defect. */
    static final int FAIL = 4;

    /** Waits for {@link #gate}, then counts; to be done once. */
    static final int WAIT = 5;

    /** Refuses the credential. */
    static final int DENY = 6;

    /** Tells the user, the group and the number of groups. */
    static final int WHO = 7;

    final AtomicInteger counted = new AtomicInteger();
    final CountDownLatch gate = new CountDownLatch(1);

    @Override
    public int number() {
        return NUMBER;
    }

    @Override
    public int lowVersion() {
        return 2;
    }

    @Override
    public int highVersion() {
        return 3;
    }

    @Override
    public boolean hasProcedure(int version, int procedure) {
        return procedure >= 0 && procedure <= WHO;
    }

    @Override
    public int replyBytes(RpcCall call, ByteBuf arguments) {
        return call.procedure() == BYTES ? arguments.getInt(arguments.readerIndex()) : 100;
    }

    @Override
    public boolean isOnce(RpcCall call) {
        return call.procedure() == COUNT || call.procedure() == WAIT;
    }

    @Override
    public void serve(RpcCall call, XdrReader arguments, XdrWriter results) {
        switch (call.procedure()) {
            case ECHO -> results.opaque(arguments.opaque(1 << 20));
            case BYTES -> {
                int length = arguments.i32();
                results.payload(results.allocate(length).writeZero(length));
            }
            case COUNT -> results.i32(counted.incrementAndGet());
            case FAIL -> throw new IllegalStateException("as the test wants");
            case WAIT -> {
                await();
                results.i32(counted.incrementAndGet());
            }
            case DENY -> throw new RpcDenied(RpcDenied.AUTH_TOOWEAK, "as the test wants");
            case WHO -> {
                Credential who = call.credential();
                results.i32(who.uid()).i32(who.gid()).i32(who.groups().length);
            }
            default -> throw new AssertionError();
        }
    }

    private void await() {
        try {
            if (!gate.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody opened the gate");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
