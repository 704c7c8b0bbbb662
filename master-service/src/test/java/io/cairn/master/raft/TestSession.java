package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.Outcome;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** A client of a group of masters: founds the cluster, makes files, tries again as clients do. */
final class TestSession {
    static final long ROOT = 1;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final byte[] NOTHING = new byte[0];

    private final Supplier<RatisLog> leader;
    private final long session;
    private long sequence;

    /**
     * Opens a session, in a new cluster if there is none.
     *
     * @param leader whom to ask; asked again for each try
     */
    TestSession(Supplier<RatisLog> leader) {
        this(leader, 99);
    }

    /** The same, in a cluster of this id. */
    TestSession(Supplier<RatisLog> leader, long clusterId) {
        this.leader = leader;
        call(new Envelope(0, 1, 0, 0, new LeaderMutation.Found(clusterId, 1, 4096)));
        Envelope open = new Envelope(0, System.nanoTime(), 0, 0, open());
        session = assertInstanceOf(Reply.SessionReply.class, call(open)).session();
    }

    private static Mutation open() {
        return new SessionMutation.OpenSession("test");
    }

    /** Makes an empty file in the root, once, however often it has to ask. */
    void create(String name) {
        assertInstanceOf(Reply.EntryReply.class, call(creation(name)));
    }

    /** Sends the request for a file without waiting. */
    CompletableFuture<Outcome> begin(RatisLog log, String name) {
        return log.submit(MasterRequest.mutation(creation(name)), 1);
    }

    private Envelope creation(String name) {
        long number = ++sequence;
        return new Envelope(
                session,
                number,
                Math.max(0, number - 500),
                0,
                new TreeMutation.Create(
                        ROOT,
                        Name.of(name),
                        FileType.FILE,
                        0644,
                        0,
                        0,
                        0,
                        false,
                        0,
                        NOTHING,
                        false));
    }

    /** Whether a reply says that a file was made. */
    static boolean isEntry(Outcome outcome) {
        return outcome.reply() instanceof Reply.EntryReply;
    }

    /** Whether a master has a file in its applied state. */
    static boolean has(RatisLog log, String name) {
        return log.namespace().read(0, new Query.Lookup(ROOT, Name.of(name)))
                instanceof Reply.EntryReply;
    }

    private Reply call(Envelope envelope) {
        long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (true) {
            try {
                byte[] reply =
                        leader.get()
                                .submit(MasterRequest.mutation(envelope), 1)
                                .get(30, TimeUnit.SECONDS)
                                .bytes();
                return Reply.decode(new Decoder(reply));
            } catch (ExecutionException e) {
                Errno errno = assertInstanceOf(FsException.class, e.getCause()).errno();
                if (!errno.isTransient() || System.nanoTime() - deadlineNs > 0) {
                    throw new AssertionError("no answer to " + envelope + ": " + e, e);
                }
            } catch (InterruptedException | TimeoutException e) {
                throw new AssertionError("no answer to " + envelope + ": " + e, e);
            }
        }
    }
}
