package io.cairn.nfs.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One client connection: calls in, answers out, in whatever order they are ready. It pauses, which
 * is that the socket is not read, while too many calls are in progress or the memory for the next
 * one is not there. Everything runs on the connection's loop, unless said otherwise.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
final class RpcConnection {
    private final Channel channel;
    private final RpcContext context;
    private final InetSocketAddress peer;
    private final InetSocketAddress local;
    private final RecordReader reader;
    private final ReplyOutbox outbox;
    private @Nullable PendingCall waiting;
    private volatile boolean paused;
    private volatile boolean alive = true;
    private final AtomicInteger inProgress = new AtomicInteger();
    private long replyBytes;

    /** Milliseconds of the clock, read by {@link #check} from another thread. */
    private volatile long heardMs;

    private volatile long recordSinceMs = -1;
    private volatile long deliveredMs;

    RpcConnection(Channel channel, RpcContext context) {
        this.channel = channel;
        this.context = context;
        this.peer = (InetSocketAddress) channel.remoteAddress();
        this.local = (InetSocketAddress) channel.localAddress();
        this.reader = new RecordReader(this, context.limits().maxRecordBytes());
        this.outbox = new ReplyOutbox(this, channel, context.clock());
        this.heardMs = context.clock().millis();
        this.deliveredMs = heardMs;
    }

    RecordReader reader() {
        return reader;
    }

    ByteBufAllocator allocator() {
        return channel.alloc();
    }

    /** From any thread. */
    boolean isAlive() {
        return alive;
    }

    boolean isPaused() {
        return paused;
    }

    // ---- calls

    /** Bytes have come in. */
    void heard() {
        heardMs = context.clock().millis();
    }

    /** All bytes that came in were looked at. */
    void consumed(boolean insideRecord) {
        if (!insideRecord) {
            recordSinceMs = -1;
        } else if (recordSinceMs < 0) {
            recordSinceMs = heardMs;
        }
    }

    /** Whether a fragment may be received now; otherwise the connection has paused. */
    boolean admit(int bytes) {
        if (bytes == 0 || context.calls().reserve(bytes, this::wake)) {
            return true;
        }
        pause();
        return false;
    }

    /** A record is complete; it becomes this connection's. */
    void received(ByteBuf record, int admittedBytes) {
        recordSinceMs = -1;
        boolean kept = false;
        try {
            kept = begin(record, admittedBytes);
        } catch (XdrException e) {
            violated("a call cut off in its header");
        } finally {
            if (!kept) {
                record.release();
                context.calls().release(admittedBytes);
            }
        }
    }

    /** Answers a record at once, or makes a call of it, which then owns the record: true. */
    private boolean begin(ByteBuf record, int admittedBytes) {
        XdrReader in = new XdrReader(record);
        RpcHeader header = RpcHeader.decode(in);
        if (header.kind() != RpcHeader.CALL) {
            violated("a message that is not a call");
            return false;
        }
        RpcProgram program = context.programs().get(header.program());
        ByteBuf problem = context.problem(allocator(), header, program);
        if (problem != null || program == null) {
            answerNow(problem);
            return false;
        }
        Credential credential;
        try {
            credential = Credential.ofCall(in, header.procedure() != 0);
        } catch (RpcDenied e) {
            ByteBuf out = allocator().directBuffer(64);
            RpcReply.deny(out, header.xid(), e.status());
            answerNow(out);
            return false;
        }
        if (header.procedure() == 0) {
            answerNow(RpcReply.accepted(allocator(), header.xid(), RpcReply.SUCCESS));
            return false;
        }
        RpcCall call =
                new RpcCall(
                        header.xid(),
                        header.program(),
                        header.version(),
                        header.procedure(),
                        credential,
                        peer,
                        local);
        return offer(program, call, record, admittedBytes);
    }

    private boolean offer(RpcProgram program, RpcCall call, ByteBuf record, int admittedBytes) {
        ReplyCache.Key key = null;
        if (program.isOnce(call)) {
            key = ReplyCache.Key.of(peer.getAddress(), call.xid(), record);
            switch (context.replies().begin(key, this::answerAgain)) {
                case NEW -> {}
                case REPEATED -> {
                    count(1);
                    return false;
                }
                case DROPPED -> {
                    return false;
                }
            }
        }
        int share = RpcLimits.CALL_BYTES + program.replyBytes(call, record);
        PendingCall pending =
                new PendingCall(
                        program,
                        call,
                        new XdrReader(record),
                        record,
                        admittedBytes,
                        new RpcReply.CallShare(share),
                        key);
        if (!start(pending)) {
            waiting = pending;
            pause();
        }
        return true;
    }

    private boolean start(PendingCall pending) {
        int share = pending.share().replyBytes();
        RpcLimits limits = context.limits();
        if (inProgress.get() >= limits.maxCallsInProgress()
                || (inProgress.get() > 0 && replyBytes + share > limits.maxReplyBytes())) {
            return false;
        }
        if (!context.answers().reserve(share, this::wake)) {
            return false;
        }
        replyBytes += share;
        count(1);
        try {
            context.workers().execute(() -> work(pending));
        } catch (RejectedExecutionException e) {
            pending.drop(context);
            inProgress.decrementAndGet();
            replyBytes -= share;
            context.answers().release(share);
            close();
        }
        return true;
    }

    /** On a worker. */
    private void work(PendingCall pending) {
        RpcReply reply;
        try {
            reply = pending.run(allocator(), context);
        } finally {
            pending.release(context);
        }
        outbox.add(reply);
    }

    // ---- answers

    private void answerNow(@Nullable ByteBuf head) {
        if (head != null) {
            count(1);
            outbox.add(new RpcReply(head, null, new RpcReply.CallShare(0)).marked());
        }
    }

    /** The answer of a call that was done before; from any thread. */
    private void answerAgain(byte[] record) {
        ByteBuf head = allocator().directBuffer(4 + record.length);
        head.writeBytes(record);
        outbox.add(new RpcReply(head, null, new RpcReply.CallShare(0)).marked());
    }

    private void count(int calls) {
        int now = inProgress.addAndGet(calls);
        if (now >= context.limits().maxCallsInProgress()) {
            pause();
        }
    }

    /** The socket has taken answers, or the connection is over. */
    void delivered(int calls, long shareBytes) {
        deliveredMs = context.clock().millis();
        outbox.taken(calls);
        inProgress.addAndGet(-calls);
        replyBytes -= shareBytes;
        context.answers().release(shareBytes);
        if (paused && alive) {
            proceed();
        }
    }

    void drain() {
        outbox.drain();
    }

    // ---- pausing

    private void pause() {
        if (!paused) {
            paused = true;
            channel.config().setAutoRead(false);
        }
    }

    /** There is memory again; from any thread. */
    private void wake() {
        channel.eventLoop().execute(this::proceed);
    }

    private void proceed() {
        if (!paused || !alive) {
            return;
        }
        PendingCall next = waiting;
        if (next != null) {
            if (!start(next)) {
                return;
            }
            waiting = null;
        }
        if (inProgress.get() >= context.limits().maxCallsInProgress()) {
            return;
        }
        paused = false;
        heard();
        recordSinceMs = -1;
        reader.resume();
        if (!paused && alive) {
            channel.config().setAutoRead(true);
        }
    }

    // ---- the end

    /** The peer broke the protocol: there is no way to go on. */
    void violated(String what) {
        context.log().info("RPC connection from {} closed: {}", peer, what);
        close();
    }

    void failed(Throwable cause) {
        context.log().debug("RPC connection from {} broke: {}", peer, cause.toString());
        close();
    }

    private void close() {
        channel.close();
        ended();
    }

    /** The socket is closed. Calls in progress go on; their answers are dropped. */
    void ended() {
        if (!alive) {
            return;
        }
        alive = false;
        context.calls().release(reader.dispose());
        PendingCall never = waiting;
        waiting = null;
        if (never != null) {
            never.drop(context);
        }
        outbox.discard();
    }

    /**
     * Why the connection should be closed now, or null; from any thread.
     *
     * @param impatient others wait for memory
     */
    @Nullable String check(long nowMs, boolean impatient) {
        RpcLimits limits = context.limits();
        long patienceMs = impatient ? RpcLimits.IMPATIENT_MS : limits.stallMs();
        int unanswered = inProgress.get();
        long since = recordSinceMs;
        if (outbox.isFull() && nowMs - Math.max(deliveredMs, outbox.readySinceMs()) > patienceMs) {
            return "it does not read its answers";
        }
        if (since >= 0 && unanswered == 0 && !paused) {
            if (nowMs - heardMs > patienceMs) {
                return "it stopped inside a call";
            }
            if (nowMs - since > limits.stallMs()) {
                return "it takes too long for a call";
            }
        }
        return unanswered == 0 && nowMs - heardMs > limits.idleMs() ? "idle" : null;
    }

    /** Closes for a reason; from any thread. */
    void closeFor(String reason) {
        channel.eventLoop()
                .execute(
                        () -> {
                            if (alive) {
                                context.log()
                                        .info("RPC connection from {} closed: {}", peer, reason);
                                close();
                            }
                        });
    }
}
