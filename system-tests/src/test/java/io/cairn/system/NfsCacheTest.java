package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.AttributeStamp;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsClient.Handle;
import io.cairn.nfs.NfsSettings;
import io.cairn.nfs.WccClient;
import io.cairn.nfs.WccClient.Wcc;
import io.cairn.nfs.rpc.Credential;
import io.cairn.node.Closing;
import io.cairn.node.EmbeddedCluster;
import io.cairn.node.NfsNode;
import io.cairn.node.ProcessContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Weak cache consistency data through two gateways of one cluster: what a call says was before must
 * be what the call before it left, whoever made that one.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class NfsCacheTest {
    private static final AttributeChange MODE = AttributeChange.NONE.withMode(0644);

    @TempDir private static Path directory;
    private final Closing closing = new Closing();
    private NfsClient one;
    private NfsClient two;
    private Handle root;

    @BeforeAll
    void start() throws Exception {
        ProcessContext world = closing.add(new ProcessContext());
        Endpoint any = new Endpoint("127.0.0.1", 0);
        EmbeddedCluster cluster =
                closing.add(
                        EmbeddedCluster.start(
                                world,
                                new EmbeddedCluster.Plan(
                                        directory.resolve("data"), 1, 1, any, any)));
        one = client(world, cluster);
        two = client(world, cluster);
        root = one.mount("/");
    }

    private NfsClient client(ProcessContext world, EmbeddedCluster cluster) {
        NfsSettings settings = NfsSettings.of(new Endpoint("127.0.0.1", 0));
        NfsNode gateway =
                closing.add(
                        new NfsNode(
                                world,
                                List.of(cluster.master()),
                                List.of("/ *(rw,no_root_squash,insecure)"),
                                settings));
        return closing.add(new NfsClient(gateway.endpoint(), Credential.sys(0, 0)));
    }

    @AfterAll
    void stop() {
        closing.close();
    }

    /** Each change begins with what the one before it left, over all clients. */
    private static void isChain(List<Wcc> changes) {
        List<Wcc> sorted = new ArrayList<>(changes);
        sorted.sort(Comparator.comparingLong(wcc -> wcc.afterStamp().ctimeNs()));
        for (int i = 1; i < sorted.size(); i++) {
            assertEquals(sorted.get(i - 1).afterStamp(), sorted.get(i).before(), "change " + i);
        }
    }

    @Test
    void changesOfDirectoriesFormAChain() throws Exception {
        Handle a = one.mkdir(root, "a").handle();
        Handle b = two.mkdir(root, "b").handle();
        List<Wcc> ofA = Collections.synchronizedList(new ArrayList<>());
        List<Wcc> ofB = Collections.synchronizedList(new ArrayList<>());
        List<Callable<Void>> workers = new ArrayList<>();
        for (int w = 0; w < 6; w++) {
            WccClient client = new WccClient(w % 2 == 0 ? one : two);
            String mine = "w" + w + "-";
            workers.add(
                    () -> {
                        for (int i = 0; i < 20; i++) {
                            allKinds(client, a, b, mine + i, ofA, ofB);
                        }
                        return null;
                    });
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(workers.size())) {
            for (Future<Void> done : threads.invokeAll(workers)) {
                done.get();
            }
        }
        assertEquals(6 * 20 * 10, ofA.size());
        isChain(ofA);
        isChain(ofB);
    }

    private static void allKinds(
            WccClient client, Handle a, Handle b, String name, List<Wcc> ofA, List<Wcc> ofB) {
        ofA.add(client.make(NfsClient.CREATE, a, name));
        ofA.add(client.make(NfsClient.MKDIR, a, name + "d"));
        ofA.add(client.make(NfsClient.SYMLINK, a, name + "s"));
        ofA.add(client.make(NfsClient.MKNOD, a, name + "n"));
        List<Wcc> both = client.rename(a, name, b, name);
        ofA.add(both.get(0));
        ofB.add(both.get(1));
        both = client.rename(a, name + "s", a, name + "t");
        assertEquals(both.get(0), both.get(1));
        ofA.add(both.get(0));
        ofA.add(client.takeAway(NfsClient.RMDIR, a, name + "d"));
        ofA.add(client.takeAway(NfsClient.REMOVE, a, name + "t"));
        ofA.add(client.takeAway(NfsClient.REMOVE, a, name + "n"));
        assertNull(client.takeAway(NfsClient.REMOVE, a, name + "n").before());
        ofA.add(client.setattr(a, AttributeChange.NONE.withMode(0777)));
        ofB.add(client.takeAway(NfsClient.REMOVE, b, name));
    }

    @Test
    void linksAreTold() {
        Handle d = one.mkdir(root, "links").handle();
        Handle file = one.create(d, "f", 1, MODE).handle();
        AttributeStamp before = AttributeStamp.of(two.getattr(d));
        Wcc linked = new WccClient(one).link(file, d, "g");
        assertEquals(before, linked.before());
        Wcc second = new WccClient(two).link(file, d, "h");
        assertEquals(linked.afterStamp(), second.before());
        assertNull(new WccClient(two).link(file, d, "h").before());
    }

    @Test
    void stableWritesTellWhatWasBefore() {
        for (int bytes : new int[] {100, 100_000}) {
            Handle file = one.create(root, "stable" + bytes, 1, MODE).handle();
            WccClient client = new WccClient(one);
            Wcc first = client.write(file, 0, new byte[bytes], 2);
            Wcc second = client.write(file, bytes, new byte[bytes], 2);
            assertEquals(first.afterStamp(), second.before());
            Wcc third = client.write(file, 2L * bytes, new byte[10], 1);
            assertEquals(second.afterStamp(), third.before());
            assertEquals(2 * bytes + 10, third.afterStamp().size());
            Wcc cut = client.setattr(file, AttributeChange.NONE.withSize(5));
            assertEquals(third.afterStamp(), cut.before());
            assertEquals(cut.afterStamp(), AttributeStamp.of(two.getattr(file)));
        }
    }

    @Test
    void commitTellsWhatTheGatewayHadShownBefore() {
        for (int bytes : new int[] {100, 100_000}) {
            Handle file = one.create(root, "commit" + bytes, 1, MODE).handle();
            WccClient client = new WccClient(one);
            Wcc buffered = client.write(file, 0, new byte[bytes], 0);
            assertNull(buffered.before(), "what is buffered may not begin with what others see");
            Wcc committed = client.commit(file);
            assertEquals(buffered.afterStamp(), committed.before());
            assertEquals(committed.afterStamp(), AttributeStamp.of(two.getattr(file)));
            assertNull(client.commit(file).before(), "nothing was asked of the master");
        }
    }

    @Test
    void changeByAnotherGatewayIsNotHidden() {
        for (int bytes : new int[] {100, 100_000}) {
            Handle file = one.create(root, "hidden" + bytes, 1, MODE).handle();
            WccClient client = new WccClient(one);
            WccClient other = new WccClient(two);
            Wcc mine = client.write(file, 0, new byte[bytes], 2);
            Wcc theirs = other.setattr(file, AttributeChange.NONE.withMode(0600));
            assertEquals(mine.afterStamp(), theirs.before());
            Wcc next = client.write(file, bytes, new byte[bytes], 2);
            assertTrue(next.before() == null || next.before().equals(theirs.afterStamp()));
            Wcc buffered = client.write(file, 0, new byte[bytes], 0);
            other.setattr(file, AttributeChange.NONE.withMode(0640));
            Wcc committed = client.commit(file);
            assertNull(committed.before(), "the gateway had not seen the change of the other");
            assertNotNull(buffered.after());
        }
    }

    /** No change by anybody lies between the two states that a call claims to have joined. */
    @Test
    void whatTwoGatewaysDoToOneFileIsNeverJoined() throws Exception {
        Handle file = one.create(root, "shared", 1, MODE).handle();
        List<Wcc> seen = Collections.synchronizedList(new ArrayList<>());
        List<Callable<Void>> workers = new ArrayList<>();
        for (int w = 0; w < 4; w++) {
            WccClient client = new WccClient(w % 2 == 0 ? one : two);
            Random random = new Random(w);
            workers.add(
                    () -> {
                        for (int i = 0; i < 100; i++) {
                            seen.add(change(client, file, random));
                        }
                        return null;
                    });
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(workers.size())) {
            for (Future<Void> done : threads.invokeAll(workers)) {
                done.get();
            }
        }
        int told = 0;
        for (Wcc wcc : seen) {
            AttributeStamp before = wcc.before();
            if (before != null) {
                told++;
                for (Wcc other : seen) {
                    long at = other.afterStamp().ctimeNs();
                    boolean durable = other.before() != null;
                    assertTrue(
                            !durable || at <= before.ctimeNs() || at >= wcc.afterStamp().ctimeNs(),
                            () -> other + " lies within " + wcc);
                }
            }
        }
        assertTrue(told > 0);
    }

    private static Wcc change(WccClient client, Handle file, Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> client.setattr(file, AttributeChange.NONE.withMode(random.nextInt(0777)));
            case 1 -> client.write(file, random.nextInt(20_000), new byte[100], 2);
            case 2 -> client.write(file, random.nextInt(20_000), new byte[100], 0);
            default -> client.commit(file);
        };
    }
}
