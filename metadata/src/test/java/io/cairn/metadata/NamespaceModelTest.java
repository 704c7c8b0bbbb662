package io.cairn.metadata;

import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileType;
import io.cairn.fs.HostContact;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.fs.Name;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCases;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;

/** Random histories of several sessions, with retries and restarts, against the model. */
class NamespaceModelTest {
    private static final String NAMES = "abcdef";
    private static final long[] SIZES = {
        0, 1, 100, 511, 512, 513, 5000, 65_535, 65_536, 65_537, 100_000, 131_072, 200_000, 300_000
    };

    /** One thing that happens; what the numbers mean depends on the kind. */
    record Step(int kind, int a, int b, int c, int d) {}

    @Provide
    Arbitrary<List<Step>> histories() {
        // Evenly spread: edge cases would end all sessions and hit one inode again and again.
        Arbitrary<Integer> number = evenly(9999);
        Arbitrary<Step> step =
                Combinators.combine(evenly(99), number, number, number, number).as(Step::new);
        return step.list()
                .ofMinSize(1)
                .ofMaxSize(400)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    private static Arbitrary<Integer> evenly(int max) {
        return Arbitraries.integers()
                .between(0, max)
                .withDistribution(RandomDistribution.uniform())
                .edgeCases(EdgeCases.Config::none);
    }

    /** What was refused under the number of a session to come is not the answer of that session. */
    @Example
    void aSessionDoesNotInheritWhatCameBeforeIt() {
        behavesLikeTheModel(
                List.of(
                        new Step(99, 0, 0, 0, 0), // ends the only session
                        new Step(0, 0, 0, 1, 1), // a directory by session 2
                        new Step(98, 0, 0, 0, 0), // which is opened in the same entry
                        new Step(0, 0, 0, 0, 1),
                        new Step(90, 0, 0, 0, 0))); // the same once more
    }

    @Property(tries = 400)
    void behavesLikeTheModel(@ForAll("histories") List<Step> history) {
        ModelRun run = new ModelRun();
        for (Step step : history) {
            perform(run, step);
            if (step.d % 4 == 0) {
                run.flush();
            }
        }
        run.finish();
    }

    /** The same with little but locks, on two inodes and by three sessions, so that they meet. */
    @Property(tries = 300)
    void locksBehaveLikeTheModel(@ForAll("histories") List<Step> history) {
        ModelRun run = new ModelRun();
        run.openSession();
        run.openSession();
        run.flush();
        run.run(1, Bench.creation(1, "a", ""));
        run.flush();
        for (Step step : history) {
            boolean isLock = step.kind % 20 > 0;
            int kind = isLock ? 70 + step.kind % 20 : 90 + step.a / 100 % 10;
            perform(run, new Step(kind, step.a, step.b, step.c, step.d));
            if (step.d % 4 == 0) {
                run.flush();
            }
        }
        run.finish();
    }

    @Property(tries = 100)
    void snapshotsShowWhatWasThen(@ForAll("histories") List<Step> history) {
        ModelRun run = new ModelRun();
        for (Step step : history.subList(0, Math.min(200, history.size()))) {
            switch (step.kind) {
                case 70, 71, 72 -> run.images.take();
                case 73 -> run.images.drop(step.a);
                case 74, 75, 76, 77, 78, 79 -> run.images.sweep(2 + step.a % 50);
                default -> perform(run, step);
            }
            if (step.d % 4 == 0) {
                run.flush();
            }
        }
        run.images.finish();
        run.finish();
    }

    private static void perform(ModelRun run, Step s) {
        long session = session(run, s.c);
        switch (s.kind / 10) {
            case 0, 1 -> run.run(session, maybeWitnessed(s, makes(run, s)));
            case 2, 3 -> run.run(session, maybeWitnessed(s, names(run, s)));
            case 4 -> run.run(session, maybeWitnessed(s, attributes(run, s)));
            case 5, 6 -> run.run(session, maybeWitnessed(s, contents(run, s)));
            case 7, 8 -> run.run(session, locks(run, s));
            default -> performSpecial(run, s, session);
        }
    }

    private static Mutation maybeWitnessed(Step s, Mutation mutation) {
        return s.d % 5 == 0 ? new TreeMutation.Witnessed(mutation) : mutation;
    }

    /** Mostly an open one. */
    private static long session(ModelRun run, int choice) {
        List<Long> open = new ArrayList<>(run.clients.keySet());
        boolean isBogus = open.isEmpty() || choice % 40 == 39;
        return isBogus ? 1L + choice % 100 : open.get(choice % open.size());
    }

    private static void performSpecial(ModelRun run, Step s, long session) {
        switch (s.kind % 10) {
            case 0, 1 -> run.retry(session, s.a % 6);
            case 2, 3 -> {
                run.flush();
                run.acknowledge(session, s.a % 6);
            }
            case 4 -> run.restart();
            case 5 -> run.leader(new LeaderMutation.Purge(new long[] {ino(run, s.a), s.b % 30}));
            case 6 -> run.collect(s.a % 5);
            case 7 -> {
                run.flush();
                run.compareLocks(session, lock(s));
            }
            case 8 -> {
                if (run.clients.size() < 4) {
                    run.openSession();
                }
            }
            default -> endSession(run, s, session);
        }
    }

    private static void endSession(ModelRun run, Step s, long session) {
        if (s.a % 3 > 0) {
            if (s.b % 3 == 0 && run.tree != null) {
                run.leader(new LeaderMutation.DoubtObjects());
            }
            return;
        }
        if (s.b % 3 == 0) {
            run.leader(new SessionMutation.CloseSession(session));
        } else {
            run.run(session, new SessionMutation.CloseSession(s.b % 3 == 1 ? session : 1));
        }
    }

    private static long ino(ModelRun run, int choice) {
        List<Long> all = new ArrayList<>(run.tree.nodes.keySet());
        return choice % 50 == 49 ? 4711 : all.get(choice % all.size());
    }

    /** Mostly a directory. */
    private static long directory(ModelRun run, int choice) {
        if (choice % 10 == 9) {
            return ino(run, choice / 10);
        }
        List<NodeModel> all =
                run.tree.nodes.values().stream().filter(NodeModel::isDirectory).toList();
        return all.get(choice % all.size()).ino;
    }

    /** Mostly a regular file. */
    private static long file(ModelRun run, int choice) {
        List<NodeModel> all = run.tree.nodes.values().stream().filter(NodeModel::isFile).toList();
        return choice % 10 == 9 || all.isEmpty()
                ? ino(run, choice / 10)
                : all.get(choice % all.size()).ino;
    }

    /** A file without a name, if there is one. */
    private static long nameless(ModelRun run, int choice) {
        List<NodeModel> all =
                run.tree.nodes.values().stream().filter(n -> n.isFile() && n.nlink == 0).toList();
        return all.isEmpty() ? ino(run, choice) : all.get(choice % all.size()).ino;
    }

    private static Name name(int choice) {
        return Name.of(String.valueOf(NAMES.charAt(choice % NAMES.length())));
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + length);
        }
        return bytes;
    }

    private static Mutation makes(ModelRun run, Step s) {
        long parent = directory(run, s.a);
        Name name = name(s.b);
        int mode = (s.d * 7) & 07777;
        return switch (s.kind % 10) {
            case 0, 1, 2 -> new TreeMutation.Mkdir(parent, name, mode, s.c, s.d);
            case 3 -> new TreeMutation.Symlink(parent, name, bytes(1 + s.c % 20), s.c, s.d);
            case 4 -> {
                FileType type = List.of(FileType.values()).get(s.c % 7);
                byte[] inline = bytes(s.d % 17 == 0 ? 3 : 0);
                yield new TreeMutation.Create(
                        parent, name, type, mode, s.c, s.d, s.a, false, 0, inline, false);
            }
            default -> {
                long verifier = s.c % 5 == 0 ? 1L + s.d % 2 : 0;
                byte[] inline = bytes(s.c % 4 == 0 ? s.d % 600 : 0);
                yield new TreeMutation.Create(
                        parent,
                        name,
                        FileType.FILE,
                        mode,
                        s.c,
                        s.d,
                        0,
                        s.c % 3 == 0,
                        verifier,
                        inline,
                        true);
            }
        };
    }

    private static Mutation names(ModelRun run, Step s) {
        long parent = directory(run, s.a);
        long other = directory(run, s.c);
        return switch (s.kind % 10) {
            case 0, 1 -> new TreeMutation.Unlink(parent, name(s.b));
            case 2 -> new TreeMutation.Rmdir(parent, name(s.b));
            case 3 -> new TreeMutation.Link(file(run, s.b), parent, name(s.d));
            case 4 ->
                    s.b % 2 == 0
                            ? new TreeMutation.CreateUnnamed(
                                    parent, s.d * 7 & 07777, s.c, s.d, s.d % 3 != 0)
                            : new TreeMutation.Link(nameless(run, s.b), parent, name(s.d));
            default -> {
                int flags = s.kind % 10 == 5 ? s.d % 8 : s.kind % 10 == 6 ? 2 : 0;
                yield new TreeMutation.Rename(
                        parent, name(s.b), other, name(s.d / 7), flags, s.a, s.b);
            }
        };
    }

    private static Mutation attributes(ModelRun run, Step s) {
        long ino = ino(run, s.a);
        byte[] name = ("user." + NAMES.charAt(s.b % 3)).getBytes(StandardCharsets.UTF_8);
        return switch (s.kind % 10) {
            case 0 -> new TreeMutation.ReplaceXattr(ino, name, bytes(s.b % 4), bytes(s.c % 4));
            case 1 -> new TreeMutation.SetXattr(ino, name, bytes(s.c % 4), s.d % 3);
            case 5 -> new TreeMutation.SetXattr(ino, name, bytes(s.c % 50), s.d % 3);
            case 2 -> new TreeMutation.RemoveXattr(ino, name);
            case 3 ->
                    new TreeMutation.SetPolicy(
                            ino, new Policy(s.b % 17, NodeModel.CHUNK_SIZE_LOG2, -1));
            case 4 -> {
                AttributeChange read = AttributeChange.NONE.withAtime(s.b * 1000L);
                yield new TreeMutation.SetAttributes(
                        ino, read.withBits(AttributeChange.KEEP_CTIME));
            }
            default -> {
                int left = AttributeChange.SIZE | AttributeChange.FLAGS;
                int mask = (s.c * 31 + s.b) & (AttributeChange.ALL & ~left);
                NodeModel node = run.tree.nodes.get(ino);
                long guardNs = node == null || s.d % 3 == 0 ? 1 : node.ctime;
                yield new TreeMutation.SetAttributes(
                        ino,
                        new AttributeChange(
                                mask, s.d & 07777, s.b, s.c, 0, s.a * 7L, s.d * 7L, guardNs, 0, 0));
            }
        };
    }

    private static Mutation withAttributes(ContentMutation.WriteInline write, Step s) {
        AttributeChange times = AttributeChange.NONE.withAtime(s.a * 7L).withMtime(s.d * 7L);
        AttributeChange all = times.withMode(s.d & 07777).withUid(s.b).withGid(s.c);
        return new TreeMutation.WriteAndSet(
                write,
                switch (s.a % 3) {
                    case 0 -> times;
                    case 1 -> all.withBits(AttributeChange.MTIME_NOW);
                    default -> all.withBits(AttributeChange.KILL_PRIVILEGE);
                });
    }

    private static Mutation contents(ModelRun run, Step s) {
        long ino = file(run, s.a);
        NodeModel node = run.tree.nodes.get(ino);
        long size = SIZES[s.b % SIZES.length];
        return switch (s.kind % 10) {
            case 0, 1 -> {
                var write =
                        new ContentMutation.WriteInline(
                                ino,
                                (node == null ? 0 : node.nameChanges) + s.d % 7 / 6,
                                List.of(new ContentMutation.Patch(s.b % 600, bytes(s.d % 90))),
                                s.c % 600,
                                s.d * 11L);
                yield s.c % 3 == 0 ? withAttributes(write, s) : write;
            }
            case 2, 3 -> {
                long version = node == null || s.c % 10 == 0 ? 1 : node.version;
                yield new ContentMutation.Spill(ino, version, size, s.d * 11L, s.d);
            }
            case 4, 5 -> {
                long oid = node == null || !node.isFile() || s.c % 10 == 0 ? 1 : node.lastOid();
                yield new ContentMutation.CommitSize(ino, oid, size, s.d * 11L, s.d - 5000L);
            }
            case 6 -> {
                NodeModel other = run.tree.nodes.get(file(run, s.b));
                if (s.d % 3 == 0 && node != null && other != null) {
                    yield new ContentMutation.SwapContents(
                            ino, node.version, other.ino, other.version - s.c % 5 / 4);
                }
                int chunk = s.b % NodeModel.CHUNKS;
                long oid = node != null && node.isFile() ? node.chunks[chunk].oid() : 1;
                yield new ContentMutation.CloneDone(ino, new long[] {chunk}, new long[] {oid});
            }
            case 7 -> {
                if (s.d % 4 == 0 && node != null) {
                    yield new ContentMutation.TakeDetour(ino, node.version - s.c % 5 / 4);
                }
                long oid = node == null || !node.isFile() || s.c % 10 == 0 ? 1 : node.lastOid();
                yield new ContentMutation.RenewTail(ino, oid);
            }
            default ->
                    new TreeMutation.SetAttributes(
                            ino, AttributeChange.NONE.withSize(size).withBits(s.d % 2 * 256));
        };
    }

    /** Each choice has digits of its own: what correlates is never combined. */
    private static Lock lock(Step s) {
        Lock.Kind kind = Lock.Kind.CODES.all().get(s.b % 5 < 3 ? 0 : s.b % 5 - 2);
        Lock.Mode mode = Lock.Mode.CODES.all().get(1 + s.c / 100 % 2);
        long owner = s.d / 10 % 2;
        if (kind != Lock.Kind.POSIX) {
            Lock.Mode possible = kind == Lock.Kind.APPEND ? Lock.Mode.EXCLUSIVE : mode;
            return new Lock(kind, possible, owner, 0, Lock.TO_END, 1);
        }
        int last = LockModel.BYTES - 2;
        long start = s.d / 20 % last;
        boolean isOpen = s.c / 200 % 5 == 0;
        long end = isOpen ? Lock.TO_END : Math.min(last, start + s.b / 100 % last);
        return new Lock(kind, mode, owner, start, end, 1);
    }

    private static Mutation locks(ModelRun run, Step s) {
        // Few inodes, so that the locks meet.
        long ino = s.a % 3 == 0 ? 1 : file(run, s.a % 4);
        Lock lock = lock(s);
        Lock unlock =
                new Lock(
                        lock.kind(),
                        Lock.Mode.UNLOCK,
                        lock.owner(),
                        lock.startByte(),
                        lock.endByte(),
                        0);
        return switch (s.kind % 10) {
            case 0, 1 -> hostLocks(ino, s, s.c / 1000 % 2 == 0 ? lock : unlock);
            case 2, 3 -> new SessionMutation.SetLock(ino, lock, true, 1L + s.b / 5 % 20);
            case 4, 5 -> new SessionMutation.SetLock(ino, lock, false, 1L + s.b / 5 % 20);
            case 6, 7 -> new SessionMutation.SetLock(ino, unlock, false, 0);
            case 8 -> new SessionMutation.CancelLock(ino, 1L + s.b / 5 % 20);
            default -> new SessionMutation.ReleaseLocks(ino, lock.kind(), lock.owner());
        };
    }

    /** Of two machines that go down now and then. */
    private static Mutation hostLocks(long ino, Step s, Lock lock) {
        LockHost host = new LockHost("h" + s.c / 2000 % 2, "10.0.0.1");
        HostContact from = new HostContact(host, s.d / 1000 % 4, "10.0.0." + s.a / 100 % 2);
        long requestId = 1L + s.b / 5 % 20;
        return switch (s.d / 100 % 10) {
            case 0 -> new HostMutation.CancelHostLock(host, ino, requestId);
            case 1 -> new HostMutation.ReleaseHost(host, s.a / 1000 % 4);
            case 2 -> new HostMutation.TakeNotifyState();
            default -> new HostMutation.SetHostLock(from, ino, lock, s.a / 10 % 2 > 0, requestId);
        };
    }
}
