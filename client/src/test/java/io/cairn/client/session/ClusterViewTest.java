package io.cairn.client.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.client.FakeCluster;
import io.cairn.cluster.ClusterMap;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.Push;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The client's copy of the cluster map follows what the master tells. */
final class ClusterViewTest {
    private final FakeCluster cluster = new FakeCluster(20);

    private static final class Deaf implements MasterChannel.Listener {
        @Override
        public CompletableFuture<Void> push(Push push) {
            return Promises.DONE;
        }

        @Override
        public void connected() {}

        @Override
        public void sessionLost() {}
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void whatIsToldIsNotAskedFor() {
        ClientRuntime runtime = new ClientRuntime(Clock.system(), cluster.scheduler, new Random(5));
        try (MasterChannel channel =
                new MasterChannel(cluster.settings(), cluster.network, runtime)) {
            ClusterView view = new ClusterView(channel);
            Await.get(channel.start(new Deaf(), view), 10_000);
            cluster.awaitTrue(() -> view.map().equals(cluster.map()), "the map at the beginning");
            int asked = cluster.mapQueries();
            for (int i = 0; i < 5; i++) {
                ClusterMap before = cluster.map();
                cluster.changeEpochs();
                cluster.tellChange(before);
            }
            cluster.awaitTrue(() -> view.map().equals(cluster.map()), "five changes");
            assertEquals(asked, cluster.mapQueries());
            // What it lacks it asks for.
            cluster.changeEpochs();
            ClusterMap unheard = cluster.map();
            cluster.changeEpochs();
            cluster.tellChange(unheard);
            cluster.awaitTrue(() -> view.map().equals(cluster.map()), "two changes, one told");
            assertEquals(asked + 1, cluster.mapQueries());
        }
    }
}
