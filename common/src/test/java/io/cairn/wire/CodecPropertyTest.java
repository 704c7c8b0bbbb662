package io.cairn.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.cairn.cluster.Inode;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds for the encoding of every message of every family. */
class CodecPropertyTest {
    private static final int ALLOCATION_FACTOR = 64;
    private static final int ALLOCATION_FREE_BYTES = 16 << 10;

    /** A message type with its two directions. */
    record Codec(Class<?> type, BiConsumer<Encoder, Object> encoder, Function<Decoder, ?> decoder) {

        byte[] bytesOf(Object message) {
            Encoder out = new Encoder();
            encoder.accept(out, message);
            return out.toBytes();
        }
    }

    /** A message, its codec and its bytes. */
    record Sample(Codec codec, Object message, byte[] bytes) {
        @Override
        public String toString() {
            return message.toString();
        }
    }

    private static <T> void add(
            List<Codec> codecs,
            Class<T> sealed,
            BiConsumer<Encoder, T> encoder,
            Function<Decoder, T> decoder) {
        for (Class<?> leaf : RandomRecords.leavesOf(sealed)) {
            codecs.add(
                    new Codec(
                            leaf,
                            (out, message) -> encoder.accept(out, sealed.cast(message)),
                            decoder));
        }
    }

    static final List<Codec> CODECS = codecs();

    private static List<Codec> codecs() {
        List<Codec> codecs = new ArrayList<>();
        add(codecs, Mutation.class, (o, m) -> m.write(o), Mutation::decode);
        add(codecs, Query.class, (o, m) -> m.write(o), Query::decode);
        add(codecs, Reply.class, (o, m) -> m.write(o), Reply::decode);
        add(codecs, Push.class, (o, m) -> m.write(o), Push::decode);
        add(codecs, ChunkRequest.class, (o, m) -> m.write(o), ChunkRequest::decode);
        add(codecs, ChunkReply.class, (o, m) -> m.write(o), ChunkReply::decode);
        add(codecs, ClusterRequest.class, (o, m) -> m.write(o), ClusterRequest::decode);
        codecs.add(
                new Codec(
                        ClusterRequest.HeartbeatReply.class,
                        (out, m) -> {
                            byte[] bytes =
                                    ((ClusterRequest.HeartbeatReply) m)
                                            .toBytes(ProtocolRange.FIRST);
                            out.raw(bytes, 0, bytes.length);
                        },
                        ClusterRequest.HeartbeatReply::decode));
        codecs.add(new Codec(Inode.class, (out, m) -> Codecs.inode(out, (Inode) m), Codecs::inode));
        return codecs;
    }

    @Provide
    Arbitrary<Sample> samples() {
        return Arbitraries.of(CODECS)
                .flatMap(codec -> Arbitraries.randomValue(random -> sample(codec, random)));
    }

    private static Sample sample(Codec codec, Random random) {
        Object message = new RandomRecords(random).of(codec.type);
        return new Sample(codec, message, codec.bytesOf(message));
    }

    @Property(tries = 3000)
    void whatIsEncodedIsDecoded(@ForAll("samples") Sample sample) {
        Decoder in = new Decoder(sample.bytes);
        Object decoded = sample.codec.decoder.apply(in);
        assertEquals(0, in.remaining());
        assertTrue(
                RandomRecords.same(sample.message, decoded),
                () -> sample.message + " became " + decoded);
        assertArrayEquals(sample.bytes, sample.codec.bytesOf(decoded));
    }

    @Property(tries = 1000)
    void appendedFieldsAreIgnored(@ForAll("samples") Sample sample, @ForAll byte[] appended) {
        byte[] longer = Arrays.copyOf(sample.bytes, sample.bytes.length + appended.length);
        System.arraycopy(appended, 0, longer, sample.bytes.length, appended.length);
        Decoder in = new Decoder(longer);
        assertTrue(RandomRecords.same(sample.message, sample.codec.decoder.apply(in)));
        assertEquals(appended.length, in.remaining());
    }

    @Property(tries = 500)
    void everyTruncationIsMalformed(@ForAll("samples") Sample sample) {
        for (int length = 0; length < sample.bytes.length; length++) {
            Decoder in = new Decoder(sample.bytes, 0, length);
            assertThrows(MalformedMessageException.class, () -> sample.codec.decoder.apply(in));
        }
    }

    @Property(tries = 3000)
    void damagedBytesAreDecodedOrMalformed(@ForAll("samples") Sample sample, @ForAll long seed) {
        Random random = new Random(seed);
        byte[] damaged = sample.bytes.clone();
        for (int i = 1 + random.nextInt(4); i > 0 && damaged.length > 0; i--) {
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
        }
        decodeOrMalformed(sample.codec, damaged);
    }

    @Property(tries = 2000)
    void noiseIsDecodedOrMalformed(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] noise = new byte[random.nextInt(3000)];
        random.nextBytes(noise);
        if (noise.length > 0) {
            noise[0] = (byte) random.nextInt(40);
        }
        decodeOrMalformed(CODECS.get(random.nextInt(CODECS.size())), noise);
    }

    /** Throws nothing else, and allocates in proportion to the bytes at most. */
    private static void decodeOrMalformed(Codec codec, byte[] bytes) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        // Once before, so that classes loaded on the way are not counted.
        tryToDecode(codec, bytes);
        long before = threads.getCurrentThreadAllocatedBytes();
        tryToDecode(codec, bytes);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(
                allocated <= ALLOCATION_FREE_BYTES + (long) ALLOCATION_FACTOR * bytes.length,
                () -> allocated + " bytes allocated for " + bytes.length);
    }

    private static void tryToDecode(Codec codec, byte[] bytes) {
        try {
            assertNotNull(codec.decoder.apply(new Decoder(bytes)));
        } catch (MalformedMessageException expected) {
            assertTrue(String.valueOf(expected.getMessage()).length() < 10_000);
        }
    }

    @Example
    void codesAreUniqueWithinAFamily() {
        for (Class<?> family :
                List.of(
                        Mutation.class,
                        Query.class,
                        Reply.class,
                        Push.class,
                        ChunkRequest.class,
                        ChunkReply.class,
                        ClusterRequest.class)) {
            Set<Byte> codes = new HashSet<>();
            List<Codec> members =
                    CODECS.stream().filter(c -> family.isAssignableFrom(c.type)).toList();
            for (Codec codec : members) {
                codes.add(sample(codec, new Random(1)).bytes[0]);
            }
            assertEquals(members.size(), codes.size(), family.getSimpleName());
        }
    }

    @Example
    void unknownCodesAreMalformed() {
        for (Codec codec : CODECS) {
            if (codec.type != Inode.class && codec.type.getInterfaces().length > 0) {
                byte[] unknown = new byte[200];
                unknown[0] = (byte) 255;
                assertThrows(
                        MalformedMessageException.class,
                        () -> codec.decoder.apply(new Decoder(unknown)));
            }
        }
    }
}
