package io.cairn.metadata;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.base.Errno;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileType;
import io.cairn.fs.HostContact;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.fs.Name;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.MakeDirectory;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.SessionMutation.RemoveEarly;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Entries that no client sends: they get replies, the same everywhere, and harm nothing. */
class NamespaceFuzzTest {
    private static final long[] NUMBERS = {
        0,
        1,
        2,
        3,
        4,
        5,
        -1,
        511,
        4096,
        65_000,
        1L << 22,
        (1L << 22) + 5,
        1L << 40,
        Integer.MAX_VALUE,
        Long.MAX_VALUE,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE - 4096,
        Long.MIN_VALUE
    };

    private final Random random;

    NamespaceFuzzTest() {
        random = new Random(0);
    }

    /** A namespace with a few things in it. */
    private static Bench furnished() {
        Bench bench = Bench.withPools(1, 2);
        bench.mkdir(Bench.ROOT, "d");
        bench.create(Bench.ROOT, "f", "text");
        bench.create(Bench.ROOT, "g");
        bench.truncate(4, 1L << 30);
        return bench;
    }

    private static void applyToBoth(Bench one, Bench other, byte[] entry) {
        List<Reply> replies = one.applyEntry(entry.clone());
        List<Reply> again = other.applyEntry(entry.clone());
        assertEquals(replies.size(), again.size());
        for (int i = 0; i < replies.size(); i++) {
            assertArrayEquals(replies.get(i).toBytes(1), again.get(i).toBytes(1));
        }
    }

    private static void assertSound(Bench one, Bench other) {
        assertEquals(List.of(), one.namespace.check());
        assertArrayEquals(one.namespace.fingerprint(), other.namespace.fingerprint());
        other.reopen();
        assertArrayEquals(one.namespace.fingerprint(), other.namespace.fingerprint());
    }

    @Test
    void randomBytesAreRefusedAsAWhole() {
        Bench one = furnished();
        byte[] before = one.namespace.fingerprint();
        for (int i = 0; i < 2000; i++) {
            byte[] entry = new byte[random.nextInt(200)];
            random.nextBytes(entry);
            List<Reply> replies = one.applyEntry(entry);
            Reply.Failure failure = assertInstanceOf(Reply.Failure.class, replies.getFirst());
            assertEquals(Errno.EPROTO, failure.errno());
            assertEquals(1, replies.size());
        }
        assertArrayEquals(before, one.namespace.fingerprint());
    }

    @Property(tries = 300)
    void damagedEntriesAreAnsweredTheSameEverywhere(@ForAll long seed) {
        random.setSeed(seed);
        Bench one = furnished();
        Bench other = furnished();
        for (int i = 0; i < 10; i++) {
            byte[] entry = Bench.entry(randomEnvelope(i), randomEnvelope(i), randomEnvelope(i));
            for (int damage = random.nextInt(4); damage > 0; damage--) {
                entry[random.nextInt(entry.length)] = (byte) random.nextInt();
            }
            boolean isCut = random.nextInt(4) == 0;
            int length = isCut ? random.nextInt(entry.length + 1) : entry.length;
            applyToBoth(one, other, Arrays.copyOf(entry, length));
        }
        assertSound(one, other);
    }

    @Property(tries = 500)
    void extremeNumbersAreAnsweredTheSameEverywhere(@ForAll long seed) {
        random.setSeed(seed);
        Bench one = furnished();
        Bench other = furnished();
        for (int i = 0; i < 40; i++) {
            applyToBoth(one, other, Bench.entry(randomEnvelope(10 + i)));
        }
        assertSound(one, other);
    }

    @Test
    void bytesBehindAMutationAreRefused() {
        Bench bench = furnished();
        byte[] envelope = bench.envelope(1, Bench.creation(1, "x", "")).toBytes();
        Encoder out = new Encoder();
        out.bytes(Arrays.copyOf(envelope, envelope.length + 1));
        Reply reply = bench.applyEntry(out.toBytes()).getFirst();
        assertEquals(Errno.EPROTO, assertInstanceOf(Reply.Failure.class, reply).errno());
    }

    @Test
    void aMalformedMutationDoesNotHarmItsNeighbours() {
        Bench bench = furnished();
        byte[] good = bench.envelope(1, Bench.creation(1, "x", "")).toBytes();
        byte[] bad = good.clone();
        bad[Envelope.HEADER_BYTES] = 99;
        byte[] entry = new Encoder().bytes(bad).bytes(good).toBytes();
        List<Reply> replies = bench.applyEntry(entry);
        assertInstanceOf(Reply.Failure.class, replies.get(0));
        assertInstanceOf(Reply.EntryReply.class, replies.get(1));
    }

    @Test
    void repliesOfTheFuzzDecode() {
        Bench bench = furnished();
        for (int i = 0; i < 500; i++) {
            byte[] entry = Bench.entry(randomEnvelope(i + 10));
            for (Outcome outcome : bench.namespace.apply(1, 1000L + i, entry).outcomes()) {
                Reply.decode(new Decoder(outcome.bytes()));
            }
        }
    }

    private Envelope randomEnvelope(int sequence) {
        long session = random.nextInt(5) == 0 ? number() : 1;
        boolean isOrderly = session == 1 && random.nextInt(5) > 0;
        return new Envelope(
                session,
                isOrderly ? 100L + sequence : number(),
                isOrderly ? 99L : number(),
                number(),
                randomMutation());
    }

    private long number() {
        return NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private int small() {
        return (int) number();
    }

    private Name name() {
        return Name.of(new byte[] {(byte) ('d' + random.nextInt(5))});
    }

    private byte[] bytes() {
        byte[] bytes = new byte[random.nextInt(10) == 0 ? 5000 : random.nextInt(20)];
        random.nextBytes(bytes);
        return bytes;
    }

    private Mutation randomMutation() {
        return switch (random.nextInt(29)) {
            case 0 -> random.nextInt(3) == 0 ? makeInode() : create();
            case 1 -> new TreeMutation.Mkdir(number(), name(), small(), small(), small());
            case 2 -> new TreeMutation.Symlink(number(), name(), bytes(), small(), small());
            case 3 -> new TreeMutation.Link(number(), number(), name());
            case 4 -> new TreeMutation.Unlink(number(), name());
            case 5 -> new TreeMutation.Rmdir(number(), name());
            case 6 -> rename();
            case 27 ->
                    new TreeMutation.CreateUnnamed(
                            number(), small(), small(), small(), random.nextBoolean());
            case 7, 8 -> setAttributes();
            case 9 -> new TreeMutation.SetXattr(number(), bytes(), bytes(), small());
            case 10 -> new TreeMutation.RemoveXattr(number(), bytes());
            case 11 -> new TreeMutation.SetPolicy(number(), policy());
            case 12 -> random.nextInt(3) == 0 ? writeAndSet() : writeInline();
            case 13 ->
                    new ContentMutation.CommitSize(
                            number(), number(), number(), number(), number());
            case 14 -> new ContentMutation.Spill(number(), number(), number(), number(), number());
            case 15 ->
                    new ContentMutation.CloneDone(
                            number(), new long[] {number(), 1}, new long[] {number(), number()});
            case 16 -> new ContentMutation.SwapContents(number(), number(), number(), number());
            case 17 -> placeMutation();
            case 18 -> setLock();
            case 19 -> new SessionMutation.CancelLock(number(), number());
            case 20 ->
                    new SessionMutation.ReleaseLocks(
                            number(), Lock.Kind.CODES.all().get(random.nextInt(3)), number());
            case 21 -> new SessionMutation.OpenSession("x".repeat(random.nextInt(9000)));
            case 22 -> new SessionMutation.CloseSession(random.nextInt(20) == 0 ? 1 : number());
            case 23 ->
                    random.nextInt(3) == 0
                            ? new SessionMutation.ReserveNumbers(number(), random.nextBoolean())
                            : hostMutation();
            case 24 -> new LeaderMutation.Purge(new long[] {number(), number(), number()});
            case 25 ->
                    random.nextInt(3) == 0
                            ? new LeaderMutation.TakeRights(number())
                            : new LeaderMutation.LoseSession(
                                    random.nextInt(20) == 0 ? 1 : number(),
                                    new long[] {number(), number(), number()},
                                    random.nextBoolean());
            case 26 ->
                    new LeaderMutation.RenewObjects(
                            List.of(
                                    new LeaderMutation.RenewObjects.Holding(number(), number()),
                                    new LeaderMutation.RenewObjects.Holding(number(), number())));
            default -> new LeaderMutation.Collected(new long[] {number(), number()});
        };
    }

    private ContentMutation placeMutation() {
        return switch (random.nextInt(4)) {
            case 0 -> new ContentMutation.RenewTail(number(), number());
            case 1 -> new ContentMutation.TakeDetour(number(), number());
            case 2 ->
                    new ContentMutation.MoveChunks(
                            number(), number(), number(), new long[] {number(), 1});
            default ->
                    new ContentMutation.TakePartialDetour(
                            number(), number(), new long[] {number(), number()});
        };
    }

    private Mutation rename() {
        return new TreeMutation.Rename(
                number(), name(), number(), name(), small(), small(), small());
    }

    /** Once numbers are reserved some of the random ones are among them. */
    private Mutation makeInode() {
        AttributeChange change =
                new AttributeChange(
                        random.nextInt(512),
                        small(),
                        small(),
                        small(),
                        0,
                        number(),
                        number(),
                        0,
                        0,
                        0);
        long ino = 2L + random.nextInt(600);
        return switch (random.nextInt(4)) {
            case 0 -> new MakeDirectory(new TreeMutation.Mkdir(number(), name(), 0755, 0, 0), ino);
            case 1 -> new RemoveEarly(number(), name(), random.nextBoolean(), ino);
            default -> new MakeFile(create(), ino, number(), change);
        };
    }

    private TreeMutation.Create create() {
        return new TreeMutation.Create(
                number(),
                name(),
                List.of(FileType.values()).get(random.nextInt(7)),
                small(),
                small(),
                small(),
                number(),
                random.nextBoolean(),
                number(),
                bytes(),
                random.nextBoolean());
    }

    private Policy policy() {
        // As many bits as the encoding has.
        return new Policy(small() & 0xff, small() & 0xff, small());
    }

    private Mutation setAttributes() {
        int mask = random.nextInt(4) == 0 ? small() : AttributeChange.SIZE;
        return new TreeMutation.SetAttributes(
                number(),
                new AttributeChange(
                        mask, small(), small(), small(), number(), number(), number(), 0, small(),
                        small()));
    }

    private Mutation writeAndSet() {
        AttributeChange change =
                new AttributeChange(
                        small(), small(), small(), small(), 0, number(), number(), 0, 0, 0);
        return new TreeMutation.WriteAndSet(writeInline(), change);
    }

    private ContentMutation.WriteInline writeInline() {
        List<ContentMutation.Patch> patches = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            patches.add(new ContentMutation.Patch(number(), bytes()));
        }
        return new ContentMutation.WriteInline(
                number(), random.nextInt(2), patches, number(), number());
    }

    private Mutation hostMutation() {
        LockHost host = new LockHost(text(), text());
        HostContact from = new HostContact(host, small(), text());
        return switch (random.nextInt(8)) {
            case 0 -> new HostMutation.CancelHostLock(host, number(), number());
            case 1 -> new HostMutation.ReleaseHost(host, small());
            case 2 -> new HostMutation.TakeNotifyState();
            default ->
                    new HostMutation.SetHostLock(
                            from, number(), lock(), random.nextBoolean(), number());
        };
    }

    private String text() {
        return "h".repeat(random.nextInt(20) == 0 ? random.nextInt(900) : random.nextInt(3));
    }

    private Mutation setLock() {
        return new SessionMutation.SetLock(number(), lock(), random.nextBoolean(), number());
    }

    private Lock lock() {
        return new Lock(
                Lock.Kind.CODES.all().get(random.nextInt(4)),
                Lock.Mode.CODES.all().get(random.nextInt(3)),
                number(),
                number(),
                number(),
                random.nextInt(3) == 0 ? small() : random.nextInt(16));
    }
}
