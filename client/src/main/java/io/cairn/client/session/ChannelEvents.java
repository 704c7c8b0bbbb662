package io.cairn.client.session;

import io.cairn.wire.master.Push;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Events of the link to the masters, told to the channel and to who listens. Thread-safe. */
final class ChannelEvents implements MasterLink.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ChannelEvents.class);

    /** The channel itself, told around the others. */
    interface Channel {
        /** Requests go over another connection; before others hear of it. */
        void renewed();

        /** They can be sent. */
        void resume();

        /** The session ended; before others hear of it. */
        void sessionGone();
    }

    private final Channel channel;
    private volatile MasterChannel.@Nullable Listener listener;
    private volatile @Nullable ClusterView view;

    ChannelEvents(Channel channel) {
        this.channel = channel;
    }

    /** From now on these hear. */
    void toldTo(MasterChannel.Listener newListener, ClusterView newView) {
        listener = newListener;
        view = newView;
    }

    @Override
    public void ready() {
        channel.renewed();
        MasterChannel.Listener hearer = listener;
        if (hearer != null) {
            hearer.connected();
        }
        channel.resume();
    }

    @Override
    public void sessionLost() {
        channel.sessionGone();
        MasterChannel.Listener hearer = listener;
        if (hearer != null) {
            hearer.sessionLost();
        }
    }

    @Override
    public void mapEpoch(long epoch) {
        ClusterView map = view;
        if (map != null) {
            map.learn(epoch);
        }
    }

    @Override
    public CompletableFuture<Void> push(Push push) {
        LOG.debug("push {}", push);
        ClusterView map = view;
        if (map != null && push instanceof Push.MapChanged changed) {
            map.learn(changed);
        }
        MasterChannel.Listener hearer = listener;
        return hearer == null ? Promises.DONE : hearer.push(push);
    }
}
