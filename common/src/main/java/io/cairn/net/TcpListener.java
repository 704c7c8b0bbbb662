package io.cairn.net;

import io.cairn.cluster.Endpoint;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import java.util.function.Consumer;

/**
 * A TCP port for a protocol that is not Cairn's own, such as NFS: it binds, limits connections and
 * closes them in the end. The protocol of a connection is the affair of the opener of the door.
 * Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
public final class TcpListener implements Listener {
    private static final int ACCEPT_QUEUE = 1024;

    private final PortBinding binding;

    /**
     * Listens.
     *
     * @param at where; port 0 takes a free one
     * @param maxConnections further ones are closed as soon as they are accepted
     * @param maxOfHost those of them from one address
     * @param accept gets every new connection on its loop, to fill its pipeline; it may close it
     * @throws io.cairn.base.FsException as {@link Transport#listen} does
     */
    public TcpListener(
            EventLoops loops,
            Endpoint at,
            int maxConnections,
            int maxOfHost,
            Consumer<Channel> accept) {
        Admission admission =
                new Admission(at.toString(), maxConnections, maxOfHost, loops.clock());
        ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(loops.group())
                        .channel(loops.serverClass())
                        .option(ChannelOption.SO_BACKLOG, ACCEPT_QUEUE)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        if (admission.admit(channel, false)) {
                                            accept.accept(channel);
                                        }
                                    }
                                });
        binding = new PortBinding(loops, at, PortBinding.bind(bootstrap, at), admission);
    }

    @Override
    public Endpoint endpoint() {
        return binding.endpoint();
    }

    @Override
    public void close() {
        binding.close();
    }
}
