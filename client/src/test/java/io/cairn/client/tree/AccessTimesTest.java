package io.cairn.client.tree;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static io.cairn.client.CairnFileSystemTest.readAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.client.FakeCluster;
import io.cairn.client.FakeNetwork;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.TreeMutation;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a mount tells the master what was read. */
class AccessTimesTest {
    private final FakeCluster cluster = new FakeCluster(16);
    private final CairnFileSystem reader = cluster.connect();

    @AfterEach
    void close() {
        cluster.close();
    }

    private long file(String name) {
        try (OpenFile file =
                reader.create(Caller.ROOT, 1, Name.of(name), 0644, FileSystem.O_RDWR).file()) {
            file.write(0, ByteBuffer.wrap(bytes(100, 1)));
            return file.ino();
        }
    }

    private static boolean isAccessTime(byte[] header) {
        Decoder in = new Decoder(header);
        return MasterRequest.read(in) == MasterRequest.MUTATION
                && Envelope.decode(in).mutation() instanceof TreeMutation.SetAttributes m
                && m.change().has(AttributeChange.KEEP_CTIME);
    }

    @Test
    void whatWasReadIsToldBeforeTheEnd() {
        long[] inos = readFiles();
        reader.close();
        assertEquals(0, cluster.shared.sessions.size());
        CairnFileSystem other = cluster.connect();
        for (long ino : inos) {
            Attributes told = other.getAttributes(Caller.ROOT, ino);
            assertTrue(told.atimeNs() > told.mtimeNs(), told::toString);
        }
    }

    /** Some are under way when all get another time; the rest must not be told after that. */
    @Test
    void whatIsForgottenMeanwhileIsNotTold() {
        AtomicInteger told = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) -> {
                    if (!to.equals(FakeCluster.MASTER) || !isAccessTime(header)) {
                        return FakeNetwork.Fate.DELIVER;
                    }
                    told.getAndIncrement();
                    return FakeNetwork.Fate.HOLD_ANSWER;
                });
        long[] inos = readFiles();
        cluster.awaitTrue(() -> told.get() == AccessTimes.PARALLEL, "as many as may be under way");
        for (long ino : inos) {
            reader.setAttributes(Caller.ROOT, ino, AttributeChange.NONE.withAtime(7));
        }
        cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
        cluster.network.deliverLate();
        reader.close();
        CairnFileSystem other = cluster.connect();
        for (long ino : inos) {
            assertEquals(7, other.getAttributes(Caller.ROOT, ino).atimeNs());
        }
    }

    private long[] readFiles() {
        long[] inos = new long[20];
        for (int i = 0; i < inos.length; i++) {
            inos[i] = file("f" + i);
            readAll(reader, inos[i]);
        }
        return inos;
    }
}
