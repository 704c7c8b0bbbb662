package io.cairn.master.raft.tls;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.server.protocol.RaftServerProtocol;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;

/**
 * The port of Raft of a master with a certificate: other masters of the cluster may speak here,
 * each in its own name. Thread-safe.
 */
final class RaftPort implements Handler {
    private final RaftServerProtocol server;
    private final Supplier<ByteString> hello;
    private final Executor threads;
    private final SecuredNetwork network;

    /**
     * Answers for a server.
     *
     * @param hello what this master tells of itself
     * @param threads requests may block for long
     * @param network hears who was refused, and takes keys
     */
    RaftPort(
            RaftServerProtocol server,
            Supplier<ByteString> hello,
            Executor threads,
            SecuredNetwork network) {
        this.server = server;
        this.hello = hello;
        this.threads = threads;
        this.network = network;
    }

    @Override
    public void opened(Connection connection) {
        if (connection.principal().role() != Role.MASTER) {
            refuse(connection.principal(), "may not speak to the masters' port");
            connection.close();
        }
    }

    @Override
    public void handle(Connection from, Message request, Answer answer) {
        Principal sender = from.principal();
        MessageKind kind = MessageKind.of(request.header());
        ByteBuf payload = request.payload();
        byte[] body = payload == null ? new byte[0] : ByteBufUtil.getBytes(payload);
        request.release();
        if (sender.role() != Role.MASTER || kind == null) {
            answer.fail(new FsException(Errno.EACCES, "this port is for masters only"));
            return;
        }
        try {
            threads.execute(() -> serve(sender, kind, body, answer));
        } catch (RejectedExecutionException e) {
            answer.fail(new FsException(Errno.NOT_READY, "this master stops", e));
        }
    }

    private void serve(Principal sender, MessageKind kind, byte[] body, Answer answer) {
        try {
            answer.send(Message.of(reply(sender, kind, body)));
        } catch (FsException e) {
            answer.fail(e);
        } catch (IOException | RuntimeException e) {
            answer.fail(new FsException(Errno.EIO, Wording.of(e), e));
        }
    }

    private byte[] reply(Principal sender, MessageKind kind, byte[] body) throws IOException {
        MessageLite reply =
                switch (kind) {
                    case VOTE -> {
                        var request = RequestVoteRequestProto.parseFrom(body);
                        requireOwn(sender, request.getServerRequest());
                        yield server.requestVote(request);
                    }
                    case APPEND -> {
                        var request = AppendEntriesRequestProto.parseFrom(body);
                        requireOwn(sender, request.getServerRequest());
                        yield server.appendEntries(request);
                    }
                    case SNAPSHOT -> {
                        var request = InstallSnapshotRequestProto.parseFrom(body);
                        requireOwn(sender, request.getServerRequest());
                        yield server.installSnapshot(request);
                    }
                    case ELECTION -> {
                        var request = StartLeaderElectionRequestProto.parseFrom(body);
                        requireOwn(sender, request.getServerRequest());
                        yield server.startLeaderElection(request);
                    }
                    case HELLO, AUTHORITY -> null;
                };
        if (reply != null) {
            return reply.toByteArray();
        }
        return kind == MessageKind.HELLO
                ? hello.get().toByteArray()
                : network.keys().take(body).getBytes(StandardCharsets.US_ASCII);
    }

    private void requireOwn(Principal sender, RaftRpcRequestProto request) {
        String told = request.getRequestorId().toStringUtf8();
        if (!told.equals(sender.name())) {
            refuse(sender, "may not speak for " + told);
            throw new FsException(Errno.EACCES, sender + " may not speak for " + told);
        }
    }

    private void refuse(Principal who, String what) {
        network.refusals().add(Reason.ROLE, who.address(), who + " " + what);
    }
}
