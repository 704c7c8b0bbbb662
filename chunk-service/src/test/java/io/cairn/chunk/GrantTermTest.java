package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.chunk.store.grant.GrantWords;
import io.cairn.chunk.store.grant.Handover;
import io.cairn.net.Message;
import io.cairn.runtime.local.SharedWords;
import io.cairn.wire.Decoder;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkReply.GrantReply;
import io.cairn.wire.chunk.DirectRequest.Grant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A grant is given and lasts under the conditions under which a member answers reads. */
class GrantTermTest {
    private static final int GROUP = 1;
    private static final int SERVERS = 3;
    private static final long MACHINE = 5;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private final Map<Integer, SharedWords.Shared> memory = new HashMap<>();
    private ChunkCluster cluster;

    /** Passes no files: there are none. */
    private static final class NoFiles implements Handover {
        @Override
        public long machine() {
            return MACHINE;
        }

        @Override
        public String socket() {
            return "nowhere";
        }

        @Override
        public long server() {
            return 1;
        }

        @Override
        public long deposit(Path file) {
            return 2;
        }
    }

    @BeforeEach
    void start() throws IOException {
        cluster = new ChunkCluster(31, directory, SERVERS, SERVERS, 1);
        for (int server = 1; server <= SERVERS; server++) {
            SharedWords.Shared words = SharedWords.create(16);
            memory.put(server, words);
            cluster.server(server)
                    .target
                    .grants()
                    .begin(new GrantWords(words.words()), new NoFiles());
        }
        cluster.await(cluster.client.write(GROUP, 7, 0, 0, ChunkCluster.random(1, 9_000)));
        cluster.simulation.run(500);
    }

    @AfterEach
    void stop() {
        cluster.close();
        memory.values().forEach(words -> words.file().close());
    }

    private Message asking(long machine) {
        return asking(cluster.master.group(GROUP).epoch(), machine);
    }

    private static Message asking(long epoch, long machine) {
        return Message.of(new Grant(ChunkClient.chunk(GROUP, epoch, 7, 0), machine)::toBytes);
    }

    private GrantReply grant(int server) {
        Message reply = cluster.await(cluster.client.ask(server, asking(MACHINE)));
        ChunkReply decoded = ChunkReply.decode(new Decoder(reply.header()));
        reply.release();
        return (GrantReply) decoded;
    }

    private boolean isValid(int server, GrantReply grant) {
        SharedWords words = Objects.requireNonNull(memory.get(server)).words();
        return words.get(grant.word()) == grant.value();
    }

    @Test
    void aWriteEndsTheGrantsOfAllMembersBeforeItIsAcknowledged() {
        Map<Integer, GrantReply> grants = new HashMap<>();
        for (int server = 1; server <= SERVERS; server++) {
            grants.put(server, grant(server));
        }
        cluster.simulation.run(2_000);
        grants.forEach((server, grant) -> assertTrue(isValid(server, grant)));
        cluster.await(cluster.client.write(GROUP, 7, 0, 5, ChunkCluster.random(2, 10)));
        grants.forEach((server, grant) -> assertFalse(isValid(server, grant)));
    }

    @Test
    void anotherChunkLeavesThemAlone() {
        int head = cluster.headOf(GROUP);
        GrantReply grant = grant(head);
        cluster.await(cluster.client.write(GROUP, 7, 1, 0, ChunkCluster.random(2, 10)));
        assertTrue(isValid(head, grant));
    }

    @Test
    void aNewEpochEndsThem() {
        int member = cluster.followersOf(GROUP).getFirst();
        GrantReply grant = grant(member);
        cluster.master.renewEpoch(GROUP);
        cluster.until(() -> !isValid(member, grant), 10_000);
    }

    @Test
    void whoHearsOfAYoungerEpochEndsThemAtOnce() {
        int member = cluster.followersOf(GROUP).getFirst();
        GrantReply grant = grant(member);
        cluster.network.partition(Set.of("master"), Set.of("c1", "c2", "c3"));
        long epoch = cluster.master.group(GROUP).epoch() + 1;
        Message read = ChunkClient.reading(GROUP, epoch, 7, 0, 0, 10);
        assertEquals(Errno.WRONG_EPOCH, cluster.error(cluster.client.ask(member, read)));
        assertFalse(isValid(member, grant));
    }

    @Test
    void withoutAMasterThereAreNone() {
        long epoch = cluster.master.group(GROUP).epoch();
        cluster.master.setSilent(true);
        cluster.simulation.run(10_000);
        for (int server = 1; server <= SERVERS; server++) {
            assertEquals(
                    Errno.NOT_READY,
                    cluster.error(cluster.client.ask(server, asking(epoch, MACHINE))));
        }
    }

    @Test
    void clientsElsewhereGetNone() {
        int head = cluster.headOf(GROUP);
        assertEquals(
                Errno.EOPNOTSUPP, cluster.error(cluster.client.ask(head, asking(MACHINE + 1))));
    }
}
