package io.cairn.nfs.rpc;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.ReceiveBudget;
import io.cairn.runtime.Clock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A UDP port behind which small RPC programs are: the port mapper and the status monitor. A
 * datagram is a call (RFC 5531, 10), its answer another one. A datagram that is too large or no
 * call gets no answer, nor do calls beyond so many at a time: callers by UDP ask again.
 * Thread-safe.
 */
public final class DatagramServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DatagramServer.class);
    private static final int MAX_DATAGRAM_BYTES = 8800;
    private static final int MAX_CALLS = 32;

    private final DatagramSocket socket;
    private final RpcContext context;
    private final Semaphore room = new Semaphore(MAX_CALLS);

    /**
     * Listens.
     *
     * @param at where
     * @param workers run the calls, which may block
     * @throws FsException EBUSY when the port is in use, EACCES when it is not allowed
     */
    public DatagramServer(Endpoint at, List<RpcProgram> programs, Executor workers, Clock clock) {
        Map<Integer, RpcProgram> byNumber = new HashMap<>();
        programs.forEach(program -> byNumber.put(program.number(), program));
        long budget = RpcLimits.STANDARD.budgetBytes();
        this.context =
                new RpcContext(
                        RpcLimits.STANDARD,
                        Map.copyOf(byNumber),
                        new ReceiveBudget(budget),
                        new ReceiveBudget(budget),
                        new ReplyCache(clock),
                        workers,
                        clock,
                        LOG);
        this.socket = bind(at);
        Thread.ofVirtual().name("nfs-udp-" + at.port()).start(this::receive);
    }

    private static DatagramSocket bind(Endpoint at) {
        try {
            return new DatagramSocket(new InetSocketAddress(at.host(), at.port()));
        } catch (SocketException e) {
            String where = "cannot listen on UDP " + at + ": ";
            if (e instanceof BindException && String.valueOf(e.getMessage()).contains("in use")) {
                throw new FsException(
                        Errno.EBUSY, where + "the port is in use; stop the other (rpcbind)", e);
            }
            throw new FsException(Errno.EACCES, where + e.getMessage(), e);
        }
    }

    private void receive() {
        byte[] buffer = new byte[MAX_DATAGRAM_BYTES];
        while (!socket.isClosed()) {
            DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
            try {
                socket.receive(packet);
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    LOG.debug("A datagram cannot be received: {}", e.getMessage());
                }
                continue;
            }
            if (packet.getLength() < buffer.length && room.tryAcquire()) {
                byte[] call = new byte[packet.getLength()];
                System.arraycopy(buffer, packet.getOffset(), call, 0, call.length);
                start(call, (InetSocketAddress) packet.getSocketAddress());
            }
        }
    }

    private void start(byte[] datagram, InetSocketAddress peer) {
        try {
            context.workers().execute(() -> serve(datagram, peer));
        } catch (RejectedExecutionException e) {
            room.release();
        }
    }

    private void serve(byte[] datagram, InetSocketAddress peer) {
        try {
            ByteBuf reply = answer(Unpooled.wrappedBuffer(datagram), peer);
            if (reply != null) {
                // What begins an answer is the mark of TCP.
                byte[] bytes = ByteBufUtil.getBytes(reply.skipBytes(4));
                reply.release();
                socket.send(new DatagramPacket(bytes, bytes.length, peer));
            }
        } catch (XdrException e) {
            LOG.debug("A datagram of {} is no call: {}", peer, e.getMessage());
        } catch (IOException e) {
            LOG.debug("{} cannot be answered: {}", peer, e.getMessage());
        } finally {
            room.release();
        }
    }

    private @Nullable ByteBuf answer(ByteBuf record, InetSocketAddress peer) {
        UnpooledByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;
        XdrReader in = new XdrReader(record);
        RpcHeader header = RpcHeader.decode(in);
        if (header.kind() != RpcHeader.CALL) {
            return null;
        }
        RpcProgram program = context.programs().get(header.program());
        ByteBuf problem = context.problem(allocator, header, program);
        if (problem != null || program == null) {
            return problem;
        }
        Credential credential;
        try {
            credential = Credential.ofCall(in, header.procedure() != 0);
        } catch (RpcDenied e) {
            ByteBuf out = allocator.directBuffer(64);
            RpcReply.deny(out, header.xid(), e.status());
            return out;
        }
        if (header.procedure() == 0) {
            return RpcReply.accepted(allocator, header.xid(), RpcReply.SUCCESS);
        }
        RpcCall call =
                new RpcCall(
                        header.xid(),
                        header.program(),
                        header.version(),
                        header.procedure(),
                        credential,
                        peer,
                        (InetSocketAddress) socket.getLocalSocketAddress());
        RpcReply.CallShare share = new RpcReply.CallShare(0);
        return new PendingCall(program, call, in, record, 0, share, null)
                .run(allocator, context)
                .head();
    }

    @Override
    public void close() {
        socket.close();
    }
}
