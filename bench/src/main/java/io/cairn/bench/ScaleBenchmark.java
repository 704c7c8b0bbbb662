package io.cairn.bench;

import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.master.store.RocksStore;
import io.cairn.master.store.StoreSettings;
import io.cairn.master.store.WriteBehindStore;
import io.cairn.metadata.Namespace;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of one operation of a master that holds few or many files, on a store that was just
 * opened. It lists, looks up and removes {@value #GOES} names, as {@code find}, {@code ls -l} and
 * {@code rm -r} do, in the order of a listing. Files were made by eight clients in turn, each in a
 * directory of its own, so that inode numbers of one directory lie apart. Data in {@code /dev/shm}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 1)
@Measurement(iterations = 5)
@SuppressWarnings("NullAway.Init") // JMH calls the setup before anything else.
public class ScaleBenchmark {
    private static final int GOES = 2_000;
    private static final int CLIENTS = 8;
    private static final int GROUP = 16;
    private static final int PAGE = 512;

    /** Files in all. */
    @Param({"20000", "1000000"})
    int files;

    /** Files in a directory; 0: all files of a client in one. */
    @Param({"250", "31250"})
    int directoryFiles;

    private Path directory = Path.of("");
    private RocksStore rocks;
    private WriteBehindStore store;
    private Namespace namespace;
    private long index;
    private long session;
    private long sequence;

    private final List<Long> directories = new ArrayList<>();
    private int nextDirectory;
    private long cookie;

    private record Found(long parentIno, DirectoryEntry entry) {}

    /** Makes the tree, and opens the store anew. */
    @Setup
    public void make() throws IOException {
        directory = Scratch.create();
        open();
        apply(0, 0, new LeaderMutation.Found(1, 1, 4096));
        Reply opened = apply(0, 99, new SessionMutation.OpenSession("bench"));
        session = opened instanceof Reply.SessionReply reply ? reply.session() : 0;
        int perDirectory = Math.min(directoryFiles, files / CLIENTS);
        for (int made = 0; made < files; made += perDirectory * CLIENTS) {
            makeDirectories(perDirectory);
        }
        store.close();
        open();
    }

    private void open() throws IOException {
        rocks = RocksStore.open(directory.resolve("db"), StoreSettings.forMemory(8L << 30));
        store = new WriteBehindStore(rocks);
        namespace = new Namespace(store);
        index = Math.max(index, store.appliedIndex());
    }

    private void makeDirectories(int perDirectory) {
        List<Long> parents = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            Name name = Name.of("d" + sequence);
            Reply made =
                    apply(
                            session,
                            ++sequence,
                            new TreeMutation.Mkdir(FileSystem.ROOT_INO, name, 0755, 0, 0));
            parents.add(made instanceof Reply.EntryReply entry ? entry.inode().ino() : 0L);
        }
        Encoder entry = new Encoder(16 << 10);
        for (int i = 0; i < perDirectory; i++) {
            for (long parent : parents) {
                add(entry, session, ++sequence, create(parent, i));
            }
            if (i % (GROUP / CLIENTS) == 1 || i == perDirectory - 1) {
                namespace.apply(1, ++index, entry.toBytes());
                entry = new Encoder(16 << 10);
            }
        }
        directories.addAll(parents);
    }

    private static TreeMutation.Create create(long parent, int number) {
        Name name = Name.of("file-" + number);
        return new TreeMutation.Create(
                parent, name, FileType.FILE, 0644, 0, 0, 0, false, 0, new byte[0], false);
    }

    /** Removes the data. */
    @TearDown
    public void close() throws IOException {
        store.close();
        Scratch.delete(directory);
    }

    /** Writes what was gathered, so that each iteration begins with the same. */
    @Setup(Level.Iteration)
    public void settle() {
        store.flush();
    }

    private Reply apply(long ofSession, long number, Mutation mutation) {
        Encoder entry = new Encoder();
        add(entry, ofSession, number, mutation);
        return namespace.apply(1, ++index, entry.toBytes()).outcomes().getFirst().reply();
    }

    private void add(Encoder entry, long ofSession, long number, Mutation mutation) {
        long acknowledged = Math.max(0, number - 2 * GROUP);
        entry.bytes(
                new Envelope(ofSession, number, ofSession == 0 ? 0 : acknowledged, 1, mutation)
                        .toBytes());
    }

    /** The next names of the tree, in the order of listings. */
    private List<Found> names(int count, boolean withAttributes) {
        List<Found> found = new ArrayList<>();
        while (found.size() < count) {
            long parent = directories.get(nextDirectory % directories.size());
            int max = Math.min(PAGE, count - found.size());
            Reply reply =
                    namespace.read(
                            session, new Query.ReadDirectory(parent, cookie, max, withAttributes));
            Reply.DirectoryReply page = (Reply.DirectoryReply) reply;
            page.entries().forEach(entry -> found.add(new Found(parent, entry)));
            if (page.end()) {
                nextDirectory++;
                cookie = 0;
            } else {
                cookie = page.entries().getLast().cookie();
            }
        }
        return found;
    }

    /** {@code find}: names alone. */
    @Benchmark
    @OperationsPerInvocation(GOES)
    public int list() {
        return names(GOES, false).size();
    }

    /** {@code ls -l}: names with attributes. */
    @Benchmark
    @OperationsPerInvocation(GOES)
    public int listWithAttributes() {
        return names(GOES, true).size();
    }

    /** {@code stat} of names in the order of a listing. */
    @Benchmark
    @OperationsPerInvocation(GOES)
    public int lookup() {
        int count = 0;
        for (Found found : names(GOES, false)) {
            Query.OfState query = new Query.Lookup(found.parentIno, found.entry.name());
            count += namespace.read(session, query) instanceof Reply.EntryReply ? 1 : 0;
        }
        return count;
    }

    /** {@code rm -r}: list, look up, unlink, purge. */
    @Benchmark
    @OperationsPerInvocation(GOES)
    public int remove() {
        Encoder entry = new Encoder(16 << 10);
        int count = 0;
        List<Found> all = names(GOES, false);
        for (Found found : all) {
            Name name = found.entry.name();
            count +=
                    namespace.read(session, new Query.Lookup(found.parentIno, name))
                                    instanceof Reply.EntryReply
                            ? 1
                            : 0;
            add(entry, session, ++sequence, new TreeMutation.Unlink(found.parentIno, name));
            if (sequence % GROUP == 0) {
                namespace.apply(1, ++index, entry.toBytes());
                entry = new Encoder(16 << 10);
            }
        }
        if (entry.toBytes().length > 0) {
            namespace.apply(1, ++index, entry.toBytes());
        }
        long[] inos = all.stream().mapToLong(found -> found.entry.ino()).toArray();
        apply(0, 99, new LeaderMutation.Purge(inos));
        return count;
    }
}
