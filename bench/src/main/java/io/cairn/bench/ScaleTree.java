package io.cairn.bench;

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
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of a master in a store on disk, without the log: files in one directory or in many. For
 * one thread.
 */
final class ScaleTree implements AutoCloseable {
    /** Mutations of clients in one entry of the log. */
    static final int GROUP = 16;

    /** Mutations in an entry while the tree is filled. */
    private static final int FILL = 512;

    private final Path directory;
    private final StoreSettings settings;
    private final List<Long> directories = new ArrayList<>();
    private RocksStore rocks;
    private WriteBehindStore store;
    private Namespace namespace;
    private long index;
    private final long session;
    private long sequence;
    private Encoder entry = new Encoder(64 << 10);
    private int gathered;

    /**
     * Makes an empty state.
     *
     * @param memoryBytes of the machine that the store is sized for
     */
    ScaleTree(Path directory, long memoryBytes) throws IOException {
        this.directory = directory;
        settings = StoreSettings.forMemory(memoryBytes);
        rocks = RocksStore.open(directory.resolve("db"), settings);
        store = new WriteBehindStore(rocks);
        namespace = new Namespace(store);
        leader(new LeaderMutation.Found(1, 1, 4096));
        session =
                leader(new SessionMutation.OpenSession("bench")) instanceof Reply.SessionReply reply
                        ? reply.session()
                        : 0;
    }

    /** Makes files, so many to a directory, the directories one after the other. */
    void fill(int files, int perDirectory, int depth) {
        for (int made = 0; made < files; made += perDirectory) {
            long parent = FileSystem.ROOT_INO;
            for (int level = 0; level < depth; level++) {
                parent = makeDirectory(parent, "d" + made + "-" + level);
            }
            directories.add(parent);
            for (int i = made; i < Math.min(files, made + perDirectory); i++) {
                send(create(parent, "file-" + i), FILL);
            }
            send();
        }
        store.flush();
    }

    private long makeDirectory(long parent, String name) {
        Reply made = now(new TreeMutation.Mkdir(parent, Name.of(name), 0755, 0, 0));
        return made instanceof Reply.EntryReply reply ? reply.inode().ino() : 0;
    }

    static TreeMutation.Create create(long parent, String name) {
        return new TreeMutation.Create(
                parent,
                Name.of(name),
                FileType.FILE,
                0644,
                1000,
                1000,
                0,
                false,
                0,
                new byte[0],
                false);
    }

    /** Closes the store and opens it anew. Returns the nanoseconds that opening took. */
    long reopen() throws IOException {
        store.close();
        long beganNs = System.nanoTime();
        rocks = RocksStore.open(directory.resolve("db"), settings);
        store = new WriteBehindStore(rocks);
        namespace = new Namespace(store);
        return System.nanoTime() - beganNs;
    }

    /** Makes a copy of the state. Returns the nanoseconds. */
    long checkpoint(Path target) throws IOException {
        long beganNs = System.nanoTime();
        store.flush();
        rocks.checkpoint(target);
        return System.nanoTime() - beganNs;
    }

    Namespace namespace() {
        return namespace;
    }

    long session() {
        return session;
    }

    List<Long> directories() {
        return directories;
    }

    /** A mutation of a client, in an entry with {@value #GROUP} others. */
    void send(Mutation mutation) {
        send(mutation, GROUP);
    }

    private void send(Mutation mutation, int group) {
        add(session, ++sequence, mutation);
        if (++gathered >= group) {
            send();
        }
    }

    /** Applies what was gathered. */
    void send() {
        if (gathered > 0) {
            for (var outcome : namespace.apply(1, ++index, entry.toBytes()).outcomes()) {
                require(outcome.reply());
            }
            entry = new Encoder(64 << 10);
            gathered = 0;
        }
    }

    /** A mutation of a client, alone. */
    private Reply now(Mutation mutation) {
        send();
        add(session, ++sequence, mutation);
        return apply();
    }

    /** A mutation of the leader, alone. */
    Reply leader(Mutation mutation) {
        send();
        add(0, 99, mutation);
        return apply();
    }

    private Reply apply() {
        Reply reply = namespace.apply(1, ++index, entry.toBytes()).outcomes().getFirst().reply();
        entry = new Encoder(64 << 10);
        return require(reply);
    }

    private static Reply require(Reply reply) {
        if (reply instanceof Reply.Failure failure) {
            throw new IllegalStateException(failure.toString());
        }
        return reply;
    }

    private void add(long ofSession, long number, Mutation mutation) {
        long acknowledged = ofSession == 0 ? 0 : Math.max(0, number - 2L * FILL);
        entry.bytes(new Envelope(ofSession, number, acknowledged, 1, mutation).toBytes());
    }

    @Override
    public void close() {
        store.close();
    }
}
