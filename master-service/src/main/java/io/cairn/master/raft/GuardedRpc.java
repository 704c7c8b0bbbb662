package io.cairn.master.raft;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.netty.server.NettyRpcService;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.rpc.SupportedRpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;

/**
 * Ratis' transport over Netty with a {@link RaftFilter} in front. Ratis makes it by the name of its
 * class; the door comes with the parameters of the server. It is half the processor time of gRPC,
 * and a master that comes back is found at once.
 */
public final class GuardedRpc implements RpcType {
    private static final String DOOR = "cairn.raft.door";

    /** For Ratis. */
    public GuardedRpc() {}

    /** The parameters of a server behind this door. */
    static Parameters with(RaftFilter door) {
        Parameters parameters = new Parameters();
        parameters.put(DOOR, door, RaftFilter.class);
        return parameters;
    }

    @Override
    public String name() {
        return GuardedRpc.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(parameters.getNonNull(DOOR, RaftFilter.class));
    }

    private record Factory(RaftFilter door) implements ServerFactory {
        @Override
        public RpcType getRpcType() {
            return SupportedRpcType.NETTY;
        }

        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
            return door.outbound(
                    NettyRpcService.newBuilder().setServer(door.inbound(server)).build());
        }
    }
}
