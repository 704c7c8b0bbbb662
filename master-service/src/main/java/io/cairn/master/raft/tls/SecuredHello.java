package io.cairn.master.raft.tls;

import io.cairn.master.raft.member.Hello;
import io.cairn.master.raft.member.HelloCall;
import io.cairn.master.raft.member.Peer;
import io.cairn.net.Callee;
import io.cairn.net.Principal.Role;
import java.io.IOException;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/** Asks masters with certificates; each may tell of itself only. Thread-safe. */
public final class SecuredHello implements HelloCall {
    private final MasterConnections connections;

    /** Asks nobody yet. */
    public SecuredHello(SecuredNetwork network) {
        connections = new MasterConnections(network.transport());
    }

    @Override
    public @Nullable Hello ask(Peer peer) throws IOException {
        Callee to =
                peer.isNameless()
                        ? Callee.master(peer.raft())
                        : new Callee(peer.raft(), Role.MASTER, peer.id());
        MasterConnections.Answered answer =
                connections.call(to, MessageKind.HELLO, new byte[0], ANSWER_MS);
        Hello hello = Hello.decode(ByteString.copyFrom(answer.bytes()));
        if (hello != null && !hello.id().equals(answer.name())) {
            throw new IOException(
                    "the master with the certificate of %s calls itself %s"
                            .formatted(answer.name(), hello.id()));
        }
        return hello;
    }

    @Override
    public void close() {
        connections.close();
    }
}
