package io.cairn.master.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Policy;
import io.cairn.fs.HostContact;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The state of a master as released: {@code golden/state-1.txt} holds entries of the Raft log and
 * the keys and values that they lead to, {@code golden/store-1.zip} the same in a RocksDB
 * directory, which is what a snapshot is, too. A release has to read them for as long as it reads
 * format 1, and masters of different releases have to come to the same state. They are never
 * changed; {@code -Dcairn.golden.write=true} makes those that are not there.
 */
final class GoldenStateTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final Path GOLDEN =
            Path.of(
                    Objects.requireNonNull(System.getProperty("cairn.root")),
                    "master-service/src/test/resources/golden");
    private static final Path STATE = GOLDEN.resolve("state-1.txt");
    private static final Path DATABASE = GOLDEN.resolve("store-1.zip");
    private static final byte[] ALL = {};

    @TempDir private Path directory;

    /** A short life of a cluster, with something in every family but garbage. */
    private static final class Life {
        final List<byte[]> entries = new ArrayList<>();
        final Namespace namespace = new Namespace(new MemoryStore());
        private long sequence;

        Reply apply(Envelope envelope) {
            byte[] entry = Bench.entry(envelope);
            entries.add(entry);
            Namespace.Applied applied = namespace.apply(3, entries.size(), entry);
            return applied.outcomes().getFirst().reply();
        }

        long ino(Mutation mutation) {
            sequence++;
            Reply reply = apply(new Envelope(1, sequence, 0, 1_000L * sequence, mutation));
            return assertInstanceOf(Reply.EntryReply.class, reply).inode().ino();
        }

        void leader(Mutation mutation) {
            apply(new Envelope(0, 0, 0, 77, mutation));
        }

        void run() {
            leader(new LeaderMutation.Found(0x1234_5678_9abc_def1L, 2, 4096));
            leader(new LeaderMutation.ChangeMap(Bench.map(1, 1, 2).since(ClusterMap.EMPTY)));
            apply(new Envelope(0, 4711, 0, 99, new SessionMutation.OpenSession("host:/mnt 42")));
            long dir = ino(new TreeMutation.Mkdir(1, Name.of("dir"), 02755, 10, 20));
            ino(new TreeMutation.SetPolicy(dir, new Policy(2, 18, 1)));
            long file = ino(Bench.creation(dir, "file", "contents in the inode"));
            ino(new TreeMutation.Link(file, 1, Name.of("link \u00e4")));
            byte[] target = "../somewhere".getBytes(StandardCharsets.UTF_8);
            ino(new TreeMutation.Symlink(dir, Name.of("symlink"), target, 1, 2));
            byte[] name = "user.colour".getBytes(StandardCharsets.UTF_8);
            ino(new TreeMutation.SetXattr(file, name, new byte[] {1, 2, 3}, 0));
            ino(Bench.creation(dir, "orphan", ""));
            ino(new TreeMutation.Unlink(dir, Name.of("orphan")));
            Lock lock = new Lock(Lock.Kind.POSIX, Lock.Mode.SHARED, 5, 10, 19, 4242);
            sequence++;
            apply(
                    new Envelope(
                            1,
                            sequence,
                            0,
                            5000,
                            new SessionMutation.SetLock(file, lock, false, 1)));
            HostContact host = new HostContact(new LockHost("alpha", "10.0.0.1"), 3, "10.0.0.9");
            sequence++;
            apply(
                    new Envelope(
                            1,
                            sequence,
                            0,
                            6000,
                            new HostMutation.SetHostLock(host, dir, lock, false, 2)));
            leader(
                    new LeaderMutation.ChangeRecords(
                            List.of(new RecordChange("token/ops", RecordChange.ANY, target))));
            JobOrder order =
                    new JobOrder(
                            JobOrder.Kind.USAGE,
                            "/dir".getBytes(StandardCharsets.UTF_8),
                            dir,
                            1,
                            Name.of("dir"),
                            InodeEdit.NONE,
                            "ops",
                            100);
            leader(new JobMutation.Submit(5, order));
            leader(new TrashMutation.SetRetention(dir, 60));
            ino(Bench.creation(dir, "removed", "kept for a minute"));
            ino(new TreeMutation.Unlink(dir, Name.of("removed")));
        }
    }

    private static List<String> dump(Store store) {
        List<String> lines = new ArrayList<>();
        for (Family family : Family.values()) {
            store.scan(
                    family,
                    ALL,
                    ALL,
                    (key, value) ->
                            lines.add(
                                    family.name()
                                            + " "
                                            + HEX.formatHex(key)
                                            + " "
                                            + HEX.formatHex(value)));
        }
        return lines;
    }

    private static List<String> golden(boolean entries) throws Exception {
        if (Boolean.getBoolean("cairn.golden.write") && !Files.exists(STATE)) {
            write();
        }
        return Files.readAllLines(STATE, StandardCharsets.US_ASCII).stream()
                .filter(line -> line.startsWith("entry ") == entries)
                .toList();
    }

    private static MemoryStore stored() throws Exception {
        MemoryStore store = new MemoryStore();
        store.commit(changes(), 3, 99);
        return store;
    }

    private static List<Change> changes() throws Exception {
        List<Change> changes = new ArrayList<>();
        for (String line : golden(false)) {
            String[] parts = line.split(" ", -1);
            changes.add(
                    new Change(
                            Family.valueOf(parts[0]),
                            HEX.parseHex(parts[1]),
                            HEX.parseHex(parts[2])));
        }
        return changes;
    }

    @Test
    void theEntriesOfTheLogLeadToTheState() throws Exception {
        MemoryStore store = new MemoryStore();
        Namespace namespace = new Namespace(store);
        long index = 0;
        for (String line : golden(true)) {
            index++;
            namespace.apply(3, index, HEX.parseHex(line.substring("entry ".length())));
        }
        assertEquals(String.join("\n", golden(false)), String.join("\n", dump(store)));
    }

    @Test
    void theStateIsRead() throws Exception {
        Namespace namespace = new Namespace(stored());
        assertEquals(List.of(), namespace.check());
        assertEquals(0x1234_5678_9abc_def1L, namespace.clusterId());
        assertEquals("host:/mnt 42", namespace.sessions().getFirst().client());
        Reply found = namespace.read(1, new Query.Lookup(1, Name.of("link \u00e4")));
        long file = assertInstanceOf(Reply.EntryReply.class, found).inode().ino();
        assertEquals(2, linksOf(namespace, file));
        byte[] name = "user.colour".getBytes(StandardCharsets.UTF_8);
        assertInstanceOf(Reply.BytesReply.class, namespace.read(1, new Query.GetXattr(file, name)));
        assertEquals(2, namespace.clusterMap().pools().size());
    }

    private static int linksOf(Namespace namespace, long ino) {
        var inode = namespace.inode(ino);
        assertNotNull(inode);
        return inode.attributes().nlink();
    }

    @Test
    void theDatabaseIsRead() throws Exception {
        if (Boolean.getBoolean("cairn.golden.write") && !Files.exists(DATABASE)) {
            writeDatabase();
        }
        Path database = directory.resolve("db");
        unzip(database);
        try (RocksStore store = RocksStore.open(database, StoreSettings.standard())) {
            assertEquals(3, store.appliedTerm());
            assertEquals(99, store.appliedIndex());
            assertEquals(String.join("\n", golden(false)), String.join("\n", dump(store)));
        }
    }

    private static void write() throws Exception {
        Life life = new Life();
        life.run();
        MemoryStore store = new MemoryStore();
        Namespace namespace = new Namespace(store);
        List<String> lines = new ArrayList<>();
        for (byte[] entry : life.entries) {
            lines.add("entry " + HEX.formatHex(entry));
            namespace.apply(3, lines.size(), entry);
        }
        lines.addAll(dump(store));
        for (Family family : Family.values()) {
            assertTrue(family == Family.GC || store.size(family) > 0, family.name());
        }
        Files.createDirectories(GOLDEN);
        Files.write(STATE, lines, StandardCharsets.US_ASCII);
    }

    private void writeDatabase() throws Exception {
        Path database = directory.resolve("new");
        try (RocksStore store = RocksStore.open(database, StoreSettings.standard())) {
            store.commit(changes(), 3, 99);
        }
        Files.createDirectories(GOLDEN);
        try (OutputStream out = Files.newOutputStream(DATABASE);
                ZipOutputStream zip = new ZipOutputStream(out);
                Stream<Path> files = Files.list(database)) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (!name.startsWith("LOG") && !name.equals("LOCK")) {
                    zip.putNextEntry(new ZipEntry(name));
                    Files.copy(file, zip);
                }
            }
        }
    }

    private static void unzip(Path target) throws Exception {
        Files.createDirectories(target);
        try (InputStream in = Files.newInputStream(DATABASE);
                ZipInputStream zip = new ZipInputStream(in)) {
            ZipEntry entry = zip.getNextEntry();
            while (entry != null) {
                Files.copy(zip, target.resolve(entry.getName()));
                entry = zip.getNextEntry();
            }
        }
    }
}
