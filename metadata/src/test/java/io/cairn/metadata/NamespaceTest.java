package io.cairn.metadata;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class NamespaceTest {
    private final Bench bench = new Bench();

    /** A store that fails when told to. */
    private static final class FailingStore extends ForwardingStore {
        private boolean fails;

        @Override
        public void commit(List<Change> changes, long term, long index) {
            if (fails) {
                throw new IllegalStateException("the disk is gone");
            }
            super.commit(changes, term, index);
        }
    }

    @Test
    void theStateTellsHowFarItIs() {
        Namespace namespace = new Namespace(new MemoryStore());
        assertEquals(-1, namespace.appliedIndex());
        assertEquals(0, namespace.appliedTerm());
        namespace.advance(2, 0);
        namespace.advance(3, 5);
        assertEquals(5, namespace.appliedIndex());
        assertEquals(3, namespace.appliedTerm());
        byte[] entry = {};
        assertThrows(IllegalArgumentException.class, () -> namespace.advance(3, 5));
        assertThrows(IllegalArgumentException.class, () -> namespace.apply(3, 4, entry));
    }

    @Test
    void thePositionIsStoredWithTheChanges() {
        bench.create(ROOT, "f");
        long index = bench.namespace.appliedIndex();
        assertEquals(index, bench.store.appliedIndex());
        bench.reopen();
        assertEquals(index, bench.namespace.appliedIndex());
        assertEquals(1, bench.namespace.appliedTerm());
    }

    @Test
    void anEntryIsAnsweredEnvelopeByEnvelope() {
        List<Reply> replies =
                bench.applyEntry(
                        Bench.entry(
                                bench.envelope(1, Bench.creation(ROOT, "a", "")),
                                bench.envelope(1, Bench.creation(ROOT, "a", "")),
                                bench.envelope(1, Bench.creation(ROOT, "b", ""))));
        assertInstanceOf(Reply.EntryReply.class, replies.get(0));
        assertEquals(Errno.EEXIST, assertInstanceOf(Reply.Failure.class, replies.get(1)).errno());
        assertInstanceOf(Reply.EntryReply.class, replies.get(2));
        bench.verify();
    }

    @Test
    void anEntryThatIsNoSequenceOfEnvelopesIsRefusedAsAWhole() {
        byte[] good = Bench.entry(bench.envelope(1, Bench.creation(ROOT, "a", "")));
        byte[] before = bench.namespace.fingerprint();
        for (byte[] bad :
                List.of(
                        new byte[0],
                        new byte[3],
                        Arrays.copyOf(good, good.length - 1),
                        Arrays.copyOf(good, good.length + 2),
                        Arrays.copyOf(good, good.length + 4),
                        new Encoder().i32(-1).i64(1).toBytes())) {
            List<Reply> replies = bench.applyEntry(bad);
            assertEquals(1, replies.size());
            assertEquals(
                    Errno.EPROTO,
                    assertInstanceOf(Reply.Failure.class, replies.getFirst()).errno());
        }
        assertArrayEquals(before, bench.namespace.fingerprint());
    }

    @Test
    void createsInOneDirectoryWriteItOnce() {
        List<List<Change>> batches = new ArrayList<>();
        Store counting =
                new ForwardingStore(bench.store) {
                    @Override
                    public void commit(List<Change> changes, long term, long index) {
                        batches.add(changes);
                        super.commit(changes, term, index);
                    }
                };
        bench.namespace = new Namespace(counting);
        Envelope[] envelopes = new Envelope[64];
        for (int i = 0; i < envelopes.length; i++) {
            envelopes[i] = new Envelope(1, i + 1, 0, 5, Bench.creation(ROOT, "f" + i, ""));
        }
        bench.applyEntry(Bench.entry(envelopes));
        // Each: inode, dentry, reply. Together: the directory, the counters, the hash, and what
        // directory, user and group hold.
        assertEquals(64 * 3 + 6, batches.getFirst().size());
    }

    @Test
    void aFailingStoreStopsTheProcess() {
        FailingStore store = new FailingStore();
        Namespace namespace = new Namespace(store);
        namespace.advance(1, 1);
        store.fails = true;
        assertThrows(IllegalStateException.class, () -> namespace.advance(1, 2));
        assertEquals(1, namespace.appliedIndex());
    }

    @Test
    void theFingerprintSeesEveryFamilyButNotThePosition() {
        byte[] before = bench.namespace.fingerprint();
        bench.namespace.advance(9, 1000);
        assertArrayEquals(before, bench.namespace.fingerprint());
        put(Family.META, Keys.position(), new byte[] {7});
        assertArrayEquals(before, bench.namespace.fingerprint());
        for (Family family : Family.values()) {
            byte[] last = bench.namespace.fingerprint();
            put(family, new byte[] {(byte) 0xfe}, new byte[] {1});
            assertEquals(false, Arrays.equals(last, bench.namespace.fingerprint()), "" + family);
        }
    }

    private void put(Family family, byte[] key, byte[] value) {
        bench.store.commit(List.of(new Change(family, key, value)), 1, 2000);
    }

    @Test
    void readersSeeTheStateBetweenEntries() throws Exception {
        // Every entry moves a file from one directory to the other and back again half of the
        // way: in each state that can be seen, the two directories have one entry together.
        long left = bench.mkdir(ROOT, "left").ino();
        long right = bench.mkdir(ROOT, "right").ino();
        bench.create(left, "f");
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService readers = Executors.newFixedThreadPool(2);
        try {
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                results.add(readers.submit(reader(left, right, stop)));
            }
            for (int i = 0; i < 2000; i++) {
                long from = i % 2 == 0 ? left : right;
                long to = i % 2 == 0 ? right : left;
                bench.applyEntry(
                        Bench.entry(
                                bench.envelope(1, Bench.renaming(from, "f", ROOT, "f", 0)),
                                bench.envelope(1, Bench.renaming(ROOT, "f", to, "f", 0))));
            }
            stop.set(true);
            for (Future<Integer> result : results) {
                assertEquals(true, result.get(30, TimeUnit.SECONDS) > 0);
            }
        } finally {
            stop.set(true);
            readers.shutdownNow();
        }
        bench.verify();
    }

    /** Looks until told to stop; what it sees must be whole. */
    private Callable<Integer> reader(long left, long right, AtomicBoolean stop) {
        return () -> {
            int looks = 0;
            while (!stop.get() || looks == 0) {
                looks++;
                Reply inRoot = bench.namespace.read(1, new Query.Lookup(ROOT, Name.of("f")));
                assertInstanceOf(Reply.Absent.class, inRoot);
                Reply reply = bench.namespace.read(1, new Query.ReadDirectory(left, 0, 9, true));
                int listed = ((Reply.DirectoryReply) reply).entries().size();
                Inode one = bench.namespace.inode(left);
                Inode other = bench.namespace.inode(right);
                assertEquals(true, one != null && other != null && listed <= 1);
                if (looks % 10 == 0) {
                    assertEquals(List.of(), bench.namespace.check());
                }
            }
            return looks;
        };
    }

    @Test
    void theRootIsWhereEverybodyLooksForIt() {
        assertEquals(FileSystem.ROOT_INO, bench.inode(ROOT).ino());
        assertEquals(1, bench.namespace.inodeCount());
    }
}
