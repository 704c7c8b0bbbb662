package io.cairn.metadata;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeStamp;
import io.cairn.fs.DirectoryEntry;
import io.cairn.metadata.session.SessionOperations;
import io.cairn.metadata.session.SessionRecord;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Notice;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One random history: applies the same mutations to a namespace, to a replica of it and to the
 * model, and compares after every log entry. The model runs first, mutation by mutation; the
 * namespaces get them in groups.
 */
final class ModelRun {
    private static final int CHUNKS = NodeModel.CHUNKS;

    /** One envelope of the entry being made, and what the model expects. */
    private record Pending(Envelope envelope, Expected expected) {}

    /** A reply, or only its errno; both null when only exactly-once counts. */
    record Expected(byte @Nullable [] reply, @Nullable Errno errno, byte @Nullable [] same) {
        static Expected of(Reply reply) {
            return reply instanceof Reply.Failure f
                    ? new Expected(null, f.errno(), null)
                    : new Expected(reply.toBytes(1), null, null);
        }
    }

    /** What the client of one session remembers. */
    static final class Client {
        final long session;
        long sequence;
        final Map<Long, Envelope> sent = new TreeMap<>();
        final Map<Long, byte[]> answered = new TreeMap<>();
        long acked;

        Client(long session) {
            this.session = session;
        }
    }

    final NamespaceModel tree;
    final LockModel locks = new LockModel();
    final PastImages images = new PastImages(this);
    private final HostModel hosts = new HostModel(locks);
    final Map<Long, Client> clients = new TreeMap<>();
    private final List<Pending> pending = new ArrayList<>();
    private final Set<List<Long>> everMapped = new HashSet<>();
    private final Set<List<Long>> everGarbage = new HashSet<>();
    private final MemoryStore replicaStore = new MemoryStore();
    MemoryStore store = new MemoryStore();
    private Namespace namespace = new Namespace(store);
    private Namespace replica = new Namespace(replicaStore);
    private long nextSession = 1;
    private long index;
    private long now = 1_000_000;

    ModelRun() {
        leader(new LeaderMutation.Found(5, 1, NamespaceModel.INLINE_LIMIT));
        tree = new NamespaceModel(now);
        tree.node(1).version = 1L << Keys.ORDINAL_BITS;
        flush();
        leader(new LeaderMutation.ChangeMap(Bench.map(1, 1).since(ClusterMap.EMPTY)));
        flush();
        openSession();
        flush();
        run(1, new TreeMutation.SetPolicy(1, new Policy(0, NodeModel.CHUNK_SIZE_LOG2, -1)));
        flush();
    }

    /** Adds a mutation of a session to the entry. */
    void run(long session, Mutation mutation) {
        Client client = clients.get(session);
        if (client == null) {
            boolean closesItself =
                    mutation instanceof SessionMutation.CloseSession m && m.session() == session;
            send(
                    new Envelope(session, 1, 0, tick(), mutation),
                    Expected.of(closesItself ? new Reply.Done() : noSession()));
            return;
        }
        client.sequence++;
        Envelope envelope = new Envelope(session, client.sequence, client.acked, tick(), mutation);
        client.sent.put(client.sequence, envelope);
        send(envelope, expected(session, mutation));
    }

    /** The client has heard all replies but the last few. */
    void acknowledge(long session, int keep) {
        Client client = clients.get(session);
        if (client != null && pending.isEmpty()) {
            client.acked = Math.max(client.acked, client.sequence - keep);
        }
    }

    /** Sends one of the last mutations of a session again. */
    void retry(long session, int back) {
        Client client = clients.get(session);
        if (client == null || client.sequence - back < 1) {
            return;
        }
        long sequence = client.sequence - back;
        Envelope envelope = client.sent.get(sequence);
        assertNotNull(envelope);
        byte[] answered = client.answered.get(sequence);
        boolean isForgotten = sequence <= told(client);
        if (isForgotten) {
            send(envelope, new Expected(null, Errno.EINVAL, null));
        } else {
            send(envelope, new Expected(null, null, answered == null ? new byte[0] : answered));
        }
    }

    /** How far the namespace knows the acknowledgements. */
    private static long told(Client client) {
        return client.sent.values().stream().mapToLong(Envelope::ackedUpTo).max().orElse(0);
    }

    private static Reply noSession() {
        return new Reply.Failure(Errno.NO_SESSION, "");
    }

    /** Adds a mutation of the leader to the entry. */
    void leader(Mutation mutation) {
        switch (mutation) {
            case LeaderMutation.Purge m -> {
                for (long ino : m.inos()) {
                    NodeModel node = tree.nodes.get(ino);
                    if (node != null && node.nlink == 0) {
                        locks.drop(ino);
                        tree.purge(ino);
                    }
                }
            }
            case SessionMutation.CloseSession m -> {
                locks.endSession(m.session());
                if (clients.remove(m.session()) != null) {
                    tree.doubtObjects();
                }
            }
            case LeaderMutation.DoubtObjects _ -> tree.doubtObjects();
            default -> {}
        }
        send(new Envelope(0, 0, 0, tick(), mutation), Expected.of(new Reply.Done()));
    }

    void openSession() {
        long session = nextSession++;
        clients.put(session, new Client(session));
        Reply reply =
                new Reply.SessionReply(
                        session, 5, SessionOperations.LEASE_MS, NamespaceModel.INLINE_LIMIT, 1);
        Envelope envelope =
                new Envelope(0, 900 + session, 0, tick(), new SessionMutation.OpenSession("c"));
        send(envelope, Expected.of(reply));
        send(envelope, Expected.of(reply));
    }

    private long tick() {
        now += 1000;
        if (tree != null) {
            tree.now = now;
            tree.version = ((index + 1) << Keys.ORDINAL_BITS) | pending.size();
        }
        return now;
    }

    private void send(Envelope envelope, Expected expected) {
        pending.add(new Pending(envelope, expected));
        if (tree != null) {
            rememberChunks();
        }
    }

    private Expected expected(long session, Mutation mutation) {
        try {
            return switch (mutation) {
                case TreeMutation m -> Expected.of(tree(m));
                case ContentMutation m -> Expected.of(content(m));
                case ContentMutation.SharingMutation _, SessionMutation.Numbered _ ->
                        throw new IllegalArgumentException("the model has neither");
                case SessionMutation m -> session(session, m);
                case HostMutation m -> hosts.expected(session, m, this::requireLockable);
                case LeaderMutation m -> new Expected(null, Errno.EPERM, null);
            };
        } catch (FsException e) {
            return new Expected(null, e.errno(), null);
        }
    }

    private Reply tree(TreeMutation mutation) {
        return switch (mutation) {
            case TreeMutation.Create m -> tree.create(m);
            case TreeMutation.CreateUnnamed m -> tree.createUnnamed(m);
            case TreeMutation.Mkdir m -> tree.mkdir(m);
            case TreeMutation.Symlink m -> tree.symlink(m);
            case TreeMutation.Link m -> tree.link(m);
            case TreeMutation.Unlink m -> tree.unlink(m);
            case TreeMutation.Rmdir m -> tree.rmdir(m);
            case TreeMutation.Rename m -> tree.rename(m);
            case TreeMutation.SetAttributes m -> tree.setAttributes(m);
            case TreeMutation.WriteAndSet m ->
                    m.reply(tree.writeInline(m.write()), tree.setAttributes(m.set()));
            case TreeMutation.SetXattr m -> tree.setXattr(m);
            case TreeMutation.ReplaceXattr m -> tree.replaceXattr(m);
            case TreeMutation.RemoveXattr m -> tree.removeXattr(m);
            case TreeMutation.SetPolicy m -> tree.setPolicy(m);
            case TreeMutation.Witnessed m -> witnessed(m);
        };
    }

    private Reply witnessed(TreeMutation.Witnessed witnessed) {
        List<AttributeStamp> before = new ArrayList<>();
        for (long ino : witnessed.inos()) {
            NodeModel node = tree.nodes.get(ino);
            if (node != null) {
                before.add(AttributeStamp.of(node.attributes()));
            }
        }
        Reply reply =
                witnessed.mutation() instanceof TreeMutation m
                        ? tree(m)
                        : content((ContentMutation) witnessed.mutation());
        return reply instanceof Reply.EntryReply entry ? entry.witnessed(before) : reply;
    }

    private Reply content(ContentMutation mutation) {
        return switch (mutation) {
            case ContentMutation.WriteInline m -> tree.writeInline(m);
            case ContentMutation.CommitSize m -> tree.commitSize(m);
            case ContentMutation.Spill m -> tree.spill(m);
            case ContentMutation.CloneDone m -> tree.cloneDone(m);
            case ContentMutation.SwapContents m -> tree.swap(m);
            case ContentMutation.RenewTail m -> tree.renewTail(m);
            case ContentMutation.TakeDetour m -> tree.takeDetour(m);
            case ContentMutation _ ->
                    throw new IllegalArgumentException("the model does not do that");
        };
    }

    private Expected session(long session, SessionMutation mutation) {
        switch (mutation) {
            case SessionMutation.SetLock m -> {
                requireLockable(m.ino(), m.lock());
                int code = locks.set(session, m.ino(), m.lock(), m.queue(), m.requestId()).code();
                return new Expected(new byte[] {(byte) code}, null, null);
            }
            case SessionMutation.CancelLock m -> locks.cancel(session, m.ino(), m.requestId());
            case SessionMutation.ReleaseLocks m ->
                    locks.release(session, m.ino(), m.kind(), m.owner());
            case SessionMutation.CloseSession m -> {
                NamespaceModel.demand(m.session() == session, Errno.EPERM);
                locks.endSession(session);
                clients.remove(session);
            }
            case SessionMutation.OpenSession _, SessionMutation.ReserveNumbers _ ->
                    throw new FsException(Errno.EPERM);
        }
        return Expected.of(new Reply.Done());
    }

    private void requireLockable(long ino, io.cairn.fs.Lock lock) {
        boolean isFile = tree.node(ino).isFile();
        NamespaceModel.demand(isFile || lock.kind() != io.cairn.fs.Lock.Kind.APPEND, Errno.EINVAL);
    }

    /** Applies the entry and compares everything. */
    void flush() {
        if (pending.isEmpty()) {
            return;
        }
        byte[] entry =
                Bench.entry(pending.stream().map(Pending::envelope).toArray(Envelope[]::new));
        index++;
        Namespace.Applied applied = namespace.apply(1, index, entry);
        Namespace.Applied again = replica.apply(1, index, entry);
        assertEquals(applied.notices(), again.notices());
        assertEquals(pending.size(), applied.outcomes().size());
        Map<List<Long>, byte[]> inThisEntry = new TreeMap<>(ModelRun::compare);
        for (int i = 0; i < pending.size(); i++) {
            Outcome outcome = applied.outcomes().get(i);
            byte[] reply = outcome.bytes();
            assertArrayEquals(reply, outcome.reply().toBytes(outcome.envelope().version()));
            assertArrayEquals(reply, again.outcomes().get(i).bytes());
            compare(pending.get(i), reply, inThisEntry);
        }
        pending.clear();
        assertEquals(locks.notices, withoutMapChange(applied.notices()));
        locks.notices.clear();
        if (tree != null) {
            compareState();
        }
    }

    private static int compare(List<Long> a, List<Long> b) {
        return Arrays.compare(a.toArray(new Long[0]), b.toArray(new Long[0]));
    }

    private static List<Notice> withoutMapChange(List<Notice> notices) {
        return notices.stream().filter(n -> !(n.push() instanceof Push.MapChanged)).toList();
    }

    private void compare(Pending p, byte[] reply, Map<List<Long>, byte[]> inThisEntry) {
        Envelope envelope = p.envelope;
        List<Long> id = List.of(envelope.session(), envelope.sequence());
        Reply decoded = Reply.decode(new Decoder(reply));
        Expected expected = p.expected;
        byte[] same = expected.same;
        if (same != null) {
            byte[] first = same.length > 0 ? same : inThisEntry.get(id);
            assertArrayEquals(first, reply, "I3 once: " + envelope);
            return;
        }
        byte[] wanted = expected.reply;
        if (wanted == null) {
            Errno errno = decoded instanceof Reply.Failure f ? f.errno() : null;
            assertEquals(expected.errno, errno, () -> envelope + " -> " + decoded);
        } else if (decoded instanceof Reply.LockReply lock) {
            assertEquals(wanted[0], lock.outcome().code(), envelope::toString);
        } else {
            assertArrayEquals(
                    wanted,
                    reply,
                    () -> envelope + "\n" + Reply.decode(new Decoder(wanted)) + "\n" + decoded);
        }
        Client client = clients.get(envelope.session());
        // What came under the number of a session before that was opened is not of this client.
        if (client != null && envelope.equals(client.sent.get(envelope.sequence()))) {
            client.answered.put(envelope.sequence(), reply);
        }
        inThisEntry.put(id, reply);
    }

    /** Looks at everything the namespace shows. */
    private void compareState() {
        assertEquals(List.of(), namespace.check());
        assertEquals(tree.nodes.size(), namespace.inodeCount());
        List<Long> orphans = new ArrayList<>();
        for (NodeModel node : tree.nodes.values()) {
            Inode inode = namespace.inode(node.ino);
            assertNotNull(inode);
            assertArrayEquals(encoded(node.inode()), encoded(inode), () -> "inode " + node.ino);
            if (node.nlink == 0) {
                orphans.add(node.ino);
            } else if (node.isDirectory()) {
                compareListing(node);
            }
            compareXattrs(node);
        }
        assertEquals(orphans, namespace.orphans(0, 1000));
        assertEquals(
                List.copyOf(clients.keySet()),
                namespace.sessions().stream().map(SessionRecord::session).toList());
        compareChunks();
        UsageModel.compare(tree, namespace);
        images.compare(namespace, everGarbage);
    }

    private static byte[] encoded(Inode inode) {
        Encoder out = new Encoder();
        Codecs.inode(out, inode);
        return out.toBytes();
    }

    private void compareListing(NodeModel node) {
        Set<String> names = new TreeSet<>();
        long cookie = 0;
        boolean end = false;
        while (!end) {
            Reply reply = namespace.read(1, new Query.ReadDirectory(node.ino, cookie, 2, true));
            Reply.DirectoryReply page = (Reply.DirectoryReply) reply;
            assertEquals(node.directoryState(), page.directory());
            for (DirectoryEntry entry : page.entries()) {
                assertTrue(names.add(entry.name().toString()));
                NodeModel child = node.children.get(entry.name().toString());
                assertNotNull(child);
                assertEquals(child.attributes(), entry.attributes());
                cookie = entry.cookie();
            }
            end = page.end();
        }
        assertEquals(node.children.keySet(), names);
    }

    private void compareXattrs(NodeModel node) {
        Set<String> names = new TreeSet<>();
        Reply list = namespace.read(1, new Query.ListXattr(node.ino));
        for (byte[] name : ((Reply.NamesReply) list).names()) {
            String text = new String(name, java.nio.charset.StandardCharsets.UTF_8);
            names.add(text);
            Reply value = namespace.read(1, new Query.GetXattr(node.ino, name));
            assertArrayEquals(node.xattrs.get(text), ((Reply.BytesReply) value).bytes());
        }
        assertEquals(node.xattrs.keySet(), names);
    }

    private Set<List<Long>> mapped() {
        Set<List<Long>> mapped = new HashSet<>();
        for (NodeModel node : tree.nodes.values()) {
            for (int i = 0; i < CHUNKS && node.isFile() && node.inline == null; i++) {
                mapped.add(List.of(node.chunks[i].oid(), (long) i));
                if (node.chunks[i].sourceOid() != 0) {
                    mapped.add(List.of(node.chunks[i].sourceOid(), (long) i));
                }
            }
        }
        return mapped;
    }

    private void rememberChunks() {
        everMapped.addAll(mapped());
    }

    /** What was once in use and is no longer is garbage, and nothing that is in use is. */
    private void compareChunks() {
        for (GarbageTask task : namespace.garbage(0, 10_000)) {
            for (long i = task.fromChunk(); i < Math.min(CHUNKS, task.endChunk()); i++) {
                everGarbage.add(List.of(task.oid(), i));
            }
        }
        Set<List<Long>> live = mapped();
        Set<List<Long>> deletedTooEarly = new HashSet<>(live);
        deletedTooEarly.retainAll(everGarbage);
        assertEquals(Set.of(), deletedTooEarly, "I10 last copy");
        Set<List<Long>> leaked = new HashSet<>(everMapped);
        leaked.removeAll(live);
        leaked.removeAll(everGarbage);
        leaked.removeAll(PastImages.held(store));
        assertEquals(Set.of(), leaked, "I11: what nobody refers to is deleted");
    }

    /** Every byte of every file: would a lock be granted? */
    void compareLocks(long session, io.cairn.fs.Lock wanted) {
        for (long ino : tree.nodes.keySet()) {
            Reply reply = namespace.read(session, new Query.TestLock(ino, wanted));
            assertEquals(locks.test(session, ino, wanted), ((Reply.LockReply) reply).outcome());
        }
    }

    /** The first gc entries are confirmed. */
    void collect(int count) {
        long[] ids = namespace.garbage(0, count).stream().mapToLong(GarbageTask::entryId).toArray();
        leader(new LeaderMutation.Collected(ids));
    }

    Namespace namespace() {
        return namespace;
    }

    /** The process dies and starts again from a copy of its store. */
    void restart() {
        flush();
        store = store.copy();
        namespace = new Namespace(store);
        compareState();
    }

    /** Equal index means equal state (I15). */
    void finish() {
        flush();
        assertArrayEquals(namespace.fingerprint(), replica.fingerprint(), "I15 determinism");
        assertArrayEquals(
                namespace.fingerprint(), new Namespace(store.copy()).fingerprint(), "reopened");
    }
}
