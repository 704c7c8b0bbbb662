package io.cairn.chunk.group;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.chunk.ChunkCluster;
import io.cairn.chunk.DamagedBlobs;
import io.cairn.chunk.MemoryDirectory;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.net.Message;
import io.cairn.verify.fault.BlobDamage;
import io.cairn.wire.Decoder;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkReply.CopiesReply;
import io.cairn.wire.chunk.HeadRequest.VerifyCopies;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A master has the copies of chunks verified. */
class VerifyCopiesTest {
    private static final int GROUP = 1;
    private static final int LENGTH = 20_000;
    private static final long INTACT = 0x900;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private static CompletableFuture<Message> ask(
            ChunkCluster cluster, int server, long oid, long from, long end) {
        long epoch = cluster.master.group(GROUP).epoch();
        ChunkAddress first = new ChunkAddress(GROUP, epoch, oid, from, ChunkCluster.CHUNK_LOG2);
        VerifyCopies request = new VerifyCopies(first, end);
        return cluster.client.ask(server, Message.of(request::toBytes));
    }

    private static CopiesReply verify(ChunkCluster cluster, long oid, long from, long end) {
        Message reply = cluster.await(ask(cluster, cluster.headOf(GROUP), oid, from, end));
        return (CopiesReply) ChunkReply.decode(new Decoder(reply.header()));
    }

    /** Damages a chunk on each member in turn, in one way. */
    @ParameterizedTest
    @EnumSource(BlobDamage.class)
    void aBadCopyIsFoundAndMended(BlobDamage damage) throws Exception {
        long oid = DamagedBlobs.oid(damage);
        int index = DamagedBlobs.index(damage);
        try (ChunkCluster cluster = new ChunkCluster(41, directory, 2, 2, 1)) {
            cluster.await(cluster.client.write(GROUP, INTACT, 0, 0, random(9, LENGTH)));
            cluster.await(cluster.client.write(GROUP, oid, index, 0, random(1, LENGTH)));
            for (int server = 1; server <= 2; server++) {
                Path target = directory.resolve("c" + server);
                Path earlier = directory.resolve("earlier" + server);
                if (damage == BlobDamage.EARLIER_FILE_PUT_BACK) {
                    Path to = BlobDamage.file(earlier, GROUP, oid, 0);
                    Files.createDirectories(Objects.requireNonNull(to.getParent()));
                    Files.copy(BlobDamage.file(target, GROUP, oid, 0), to);
                }
                byte[] data = random(10 + server, LENGTH);
                cluster.await(cluster.client.write(GROUP, oid, index, 0, data));
                DamagedBlobs.strike(damage, target, earlier, GROUP, INTACT);
                assertEquals(
                        new CopiesReply(100, 1, 2, 2 * LENGTH, 1, 1),
                        verify(cluster, oid, 0, 100),
                        "c" + server);
                for (int reader = 1; reader <= 2; reader++) {
                    assertArrayEquals(data, cluster.bytes(reader, GROUP, oid, index));
                }
                assertEquals(
                        new CopiesReply(100, 1, 2, 2 * LENGTH, 0, 0), verify(cluster, oid, 0, 100));
                assertEquals(List.of(), cluster.differences());
            }
            assertEquals(List.of(), cluster.master.failures());
        }
    }

    @Test
    void packedCopiesAreAsGoodAsPlainOnes() throws Exception {
        BlobDamage damage = BlobDamage.BIT_OF_DATA_FLIPPED;
        long oid = DamagedBlobs.oid(damage);
        byte[] data = random(1, LENGTH);
        for (int at = 0; at + 512 < LENGTH; at += 512) {
            Arrays.fill(data, at, at + 256, (byte) 0);
        }
        try (ChunkCluster cluster = new ChunkCluster(46, directory, 2, 2, 1)) {
            cluster.await(cluster.client.write(GROUP, oid, 0, 0, data));
            for (int server = 1; server <= 2; server++) {
                assertTrue(pack(cluster, server, oid));
                assertEquals(
                        new CopiesReply(1, 1, 2, 2 * LENGTH, 0, 0), verify(cluster, oid, 0, 1));
                assertArrayEquals(data, cluster.bytes(server, GROUP, oid, 0));
                assertEquals(List.of(), cluster.differences());
                Path target = directory.resolve("c" + server);
                DamagedBlobs.strike(damage, target, directory, GROUP, INTACT);
                assertEquals(
                        new CopiesReply(1, 1, 2, 2 * LENGTH, 1, 1), verify(cluster, oid, 0, 1));
                assertArrayEquals(data, cluster.bytes(server, GROUP, oid, 0));
                assertTrue(pack(cluster, server, oid), "the good copy is plain");
            }
            byte[] more = random(2, 5000);
            cluster.await(cluster.client.write(GROUP, oid, 0, 9000, more));
            System.arraycopy(more, 0, data, 9000, more.length);
            for (int server = 1; server <= 2; server++) {
                assertArrayEquals(data, cluster.bytes(server, GROUP, oid, 0));
                assertTrue(pack(cluster, server, oid), "a change makes it plain");
            }
            assertEquals(List.of(), cluster.differences());
        }
    }

    private static boolean pack(ChunkCluster cluster, int server, long oid) {
        ChunkAddress chunk = new ChunkAddress(GROUP, 1, oid, 0, ChunkCluster.CHUNK_LOG2);
        return cluster.server(server).target.verification().pack(BlobKey.of(chunk), Codec.LZ4);
    }

    /** Among chunks that are there, in a range of which no chunk can be looked up by itself. */
    @ParameterizedTest
    @EnumSource(names = {"FILE_DELETED", "DIRECTORY_DELETED"})
    void aCopyThatIsGoneIsFoundInAnyRange(BlobDamage damage) throws Exception {
        long oid = DamagedBlobs.oid(damage);
        int index = DamagedBlobs.index(damage);
        try (ChunkCluster cluster = new ChunkCluster(45, directory, 2, 2, 1)) {
            byte[] data = random(1, LENGTH);
            cluster.await(cluster.client.write(GROUP, INTACT, 0, 0, random(9, LENGTH)));
            cluster.await(cluster.client.write(GROUP, oid, index, 0, data));
            for (int server = 1; server <= 2; server++) {
                Path target = directory.resolve("c" + server);
                DamagedBlobs.strike(damage, target, directory, GROUP, INTACT);
                assertEquals(
                        new CopiesReply(Long.MAX_VALUE, 1, 2, 2 * LENGTH, 1, 1),
                        verify(cluster, oid, 0, Long.MAX_VALUE),
                        "c" + server);
                assertArrayEquals(data, cluster.bytes(server, GROUP, oid, index));
            }
            assertEquals(0, verify(cluster, oid, index + 1, Long.MAX_VALUE).chunks());
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void whatIsGoodNowhereIsToldAsBad() throws Exception {
        BlobDamage damage = BlobDamage.BIT_OF_DATA_FLIPPED;
        try (ChunkCluster cluster = new ChunkCluster(42, directory, 2, 2, 1)) {
            long oid = DamagedBlobs.oid(damage);
            cluster.await(cluster.client.write(GROUP, oid, 0, 0, random(1, LENGTH)));
            for (int server = 1; server <= 2; server++) {
                Path target = directory.resolve("c" + server);
                DamagedBlobs.strike(damage, target, directory, GROUP, INTACT);
            }
            CopiesReply found = verify(cluster, oid, 0, 1);
            assertEquals(2, found.bad());
            assertEquals(0, found.mended());
        }
    }

    @Test
    void manyChunksAndHolesAreVerifiedPartByPart() {
        try (ChunkCluster cluster = new ChunkCluster(43, directory, 3, 3, 1)) {
            int chunks = 300;
            for (long i = 1; i <= chunks; i++) {
                long index = i == chunks ? 1L << 40 : 2 * i;
                cluster.await(cluster.client.write(GROUP, INTACT, index, 0, new byte[10]));
            }
            CopiesReply sum = new CopiesReply(0, 0, 0, 0, 0, 0);
            long next = 0;
            int replies = 0;
            while (next < Long.MAX_VALUE) {
                CopiesReply part = verify(cluster, INTACT, next, Long.MAX_VALUE);
                sum = sum.plus(part);
                assertTrue(part.nextIndex() > next, part.toString());
                next = part.nextIndex();
                replies++;
            }
            assertEquals(new CopiesReply(0, chunks, 3L * chunks, 30L * chunks, 0, 0), sum);
            assertTrue(replies > 1);
            CopiesReply some = verify(cluster, INTACT, 3, 8);
            assertEquals(new CopiesReply(8, 2, 6, 60, 0, 0), some);
            assertEquals(0, verify(cluster, INTACT + 1, 0, Long.MAX_VALUE).chunks());
        }
    }

    @Test
    void onlyTheHeadIsAsked() {
        try (ChunkCluster cluster = new ChunkCluster(44, directory, 2, 2, 1)) {
            int follower = cluster.followersOf(GROUP).getFirst();
            assertEquals(Errno.WRONG_EPOCH, cluster.error(ask(cluster, follower, INTACT, 0, 1)));
            int head = cluster.headOf(GROUP);
            assertEquals(Errno.EINVAL, cluster.error(ask(cluster, head, INTACT, 1, 1)));
        }
    }
}
