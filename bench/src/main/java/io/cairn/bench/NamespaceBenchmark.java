package io.cairn.bench;

import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.master.store.RocksStore;
import io.cairn.master.store.StoreSettings;
import io.cairn.master.store.WriteBehindStore;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.JobMutation.ClassMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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
 * Applying creates on RocksDB, alone and 64 to a log entry, and looking a name up. Data in {@code
 * /dev/shm}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@SuppressWarnings("NullAway.Init") // JMH calls the setup before anything else.
public class NamespaceBenchmark {
    private static final int GROUP = 64;
    private static final int FILES_PER_DIRECTORY = 10_000;

    /** Directories between the root and the files. */
    @Param({"1", "8"})
    private int depth;

    /** Rules that choose the classes of files by name, none of which holds; 0 to 64. */
    @Param({"0"})
    private int rules;

    private Path directory = Path.of("");
    private WriteBehindStore store;
    private Namespace namespace;
    private long index;
    private long session;
    private long sequence;
    private long parent;
    private int made;

    @Setup
    public void open() throws IOException {
        directory = Scratch.create();
        store =
                new WriteBehindStore(
                        RocksStore.open(directory.resolve("db"), StoreSettings.standard()));
        namespace = new Namespace(store);
        apply(0, 0, new LeaderMutation.Found(1, 1, 4096));
        Reply opened = apply(0, 99, new SessionMutation.OpenSession("bench"));
        session = opened instanceof Reply.SessionReply reply ? reply.session() : 0;
        addRules();
        nextDirectory();
    }

    private void addRules() {
        StorageClass storageClass = new StorageClass("rare", Policy.STANDARD, 0);
        apply(0, 0, new ClassMutation.SetClass(storageClass, true));
        for (int i = 0; i < rules; i++) {
            ClassRule rule =
                    new ClassRule(
                            0,
                            storageClass.name(),
                            "*.rare" + i,
                            ClassRule.ANY,
                            ClassRule.ANY,
                            ClassRule.EVERYWHERE);
            apply(0, 0, new ClassMutation.AddClassRule(rule, 0));
        }
    }

    @TearDown
    public void close() throws IOException {
        store.close();
        Scratch.delete(directory);
    }

    private Reply apply(long ofSession, long number, Mutation mutation) {
        Encoder entry = new Encoder();
        add(entry, ofSession, number, mutation);
        return namespace.apply(1, ++index, entry.toBytes()).outcomes().getFirst().reply();
    }

    private void add(Encoder entry, long ofSession, long number, Mutation mutation) {
        long acknowledged = Math.max(0, number - 2 * GROUP);
        byte[] envelope =
                new Envelope(ofSession, number, ofSession == 0 ? 0 : acknowledged, 1, mutation)
                        .toBytes();
        entry.bytes(envelope);
    }

    private void nextDirectory() {
        parent = FileSystem.ROOT_INO;
        for (int level = 0; level < depth; level++) {
            Name name = Name.of("d" + sequence);
            TreeMutation.Mkdir mkdir = new TreeMutation.Mkdir(parent, name, 0755, 0, 0);
            Reply made = apply(session, ++sequence, mkdir);
            parent = made instanceof Reply.EntryReply entry ? entry.inode().ino() : 0;
        }
        this.made = 0;
    }

    private TreeMutation.Create create() {
        Name name = Name.of("file-" + made++);
        return new TreeMutation.Create(
                parent, name, FileType.FILE, 0644, 0, 0, 0, false, 0, new byte[0], false);
    }

    @Benchmark
    public List<Outcome> createAlone() {
        if (made >= FILES_PER_DIRECTORY) {
            nextDirectory();
        }
        Encoder entry = new Encoder();
        add(entry, session, ++sequence, create());
        return namespace.apply(1, ++index, entry.toBytes()).outcomes();
    }

    @Benchmark
    @OperationsPerInvocation(GROUP)
    public List<Outcome> createGrouped() {
        if (made >= FILES_PER_DIRECTORY) {
            nextDirectory();
        }
        Encoder entry = new Encoder(16 << 10);
        for (int i = 0; i < GROUP; i++) {
            add(entry, session, ++sequence, create());
        }
        return namespace.apply(1, ++index, entry.toBytes()).outcomes();
    }

    @Benchmark
    public Reply lookup() {
        if (made == 0) {
            apply(session, ++sequence, create());
            store.flush(); // what is measured is RocksDB
        }
        return namespace.read(session, new Query.Lookup(parent, Name.of("file-0")));
    }
}
