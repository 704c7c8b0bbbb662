package io.cairn.master.raft;

import io.cairn.cluster.Endpoint;
import io.cairn.master.raft.member.HelloCall;
import io.cairn.master.raft.member.PlainHello;
import io.cairn.master.raft.tls.SecuredHello;
import io.cairn.master.raft.tls.SecuredNetwork;
import io.cairn.master.raft.tls.SecuredRpc;
import java.util.function.Supplier;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.netty.server.NettyRpcService;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.rpc.SupportedRpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The transport of Ratis with a {@link RaftFilter} in front: Ratis' own over Netty in plain text,
 * or ours with certificates. Ratis makes it by the name of its class; the door comes with the
 * parameters of the server. Netty is half the processor time of gRPC, and a master that comes back
 * is found at once.
 */
public final class GuardedRpc implements RpcType {
    private static final String DOOR = "cairn.raft.door";

    /** For Ratis. */
    public GuardedRpc() {}

    /**
     * The port of a server.
     *
     * @param network with certificates; null for plain text
     */
    private record Port(RaftFilter door, @Nullable SecuredNetwork network, Endpoint at) {}

    /**
     * The parameters of a server behind this door.
     *
     * @param network with certificates; null for plain text
     * @param at where other masters reach it
     */
    static Parameters with(RaftFilter door, @Nullable SecuredNetwork network, Endpoint at) {
        Parameters parameters = new Parameters();
        parameters.put(DOOR, new Port(door, network, at), Port.class);
        return parameters;
    }

    /** Asks other masters what they tell of themselves, over the same network. */
    static Supplier<HelloCall> hellos(@Nullable SecuredNetwork network, RaftGroupId group) {
        return () -> network == null ? new PlainHello(group) : new SecuredHello(network);
    }

    @Override
    public String name() {
        return GuardedRpc.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(parameters.getNonNull(DOOR, Port.class));
    }

    private record Factory(Port port) implements ServerFactory {
        @Override
        public RpcType getRpcType() {
            return SupportedRpcType.NETTY;
        }

        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
            RaftFilter door = port.door;
            RaftServer behind = door.inbound(server);
            SecuredNetwork network = port.network;
            return door.outbound(
                    network == null
                            ? NettyRpcService.newBuilder().setServer(behind).build()
                            : new SecuredRpc(behind, network, port.at, door::hello));
        }
    }
}
