package io.cairn.client;

import io.cairn.client.file.Mount;
import io.cairn.client.session.Await;
import io.cairn.client.session.MasterChannel;
import io.cairn.fs.HostContact;
import io.cairn.fs.HostLocks;
import io.cairn.fs.HostRecord;
import io.cairn.fs.Lock;
import io.cairn.fs.LockHost;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.HostsReply;
import io.cairn.wire.master.Reply.LockReply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Locks of machines behind a gateway, which the master keeps. As with the client's own locks, who
 * gets one sees what its holder before wrote, and what was written through this client is committed
 * before one is given back. Thread-safe; blocks.
 */
final class MachineLocks implements HostLocks {
    private static final int MAX_PAGE = 1000;

    private final MasterChannel master;
    private final RandomGenerator random;
    private final Freshness freshness;
    private volatile @Nullable Listener listener;

    /** The effect of locks on caches and buffers. */
    interface Freshness {
        /** Forgets what is known of an inode, and perhaps old; never blocks. */
        void forget(long ino);

        /**
         * Asks about an inode unless what is known is young enough.
         *
         * @param version one that the inode has now, or has had; 0: nobody told
         */
        void refresh(long ino, long version);

        /** Commits what was written. */
        void commit(long ino);
    }

    MachineLocks(Mount mount, Freshness freshness) {
        this.master = mount.master();
        this.random = mount.runtime().random();
        this.freshness = freshness;
    }

    @Override
    public @Nullable Lock test(LockHost host, long ino, Lock wanted) {
        Query query = new Query.TestHostLock(host, ino, wanted);
        return Await.expect(master.ask(query), LockReply.class).conflict();
    }

    @Override
    public Outcome set(HostContact from, long ino, Lock lock) {
        if (lock.mode() == Lock.Mode.UNLOCK) {
            freshness.commit(ino);
        }
        return ask(new HostMutation.SetHostLock(from, ino, lock, false, 0));
    }

    @Override
    public Outcome enqueue(HostContact from, long ino, Lock lock, long requestId) {
        return ask(new HostMutation.SetHostLock(from, ino, lock, true, requestId));
    }

    private Outcome ask(HostMutation.SetHostLock request) {
        LockReply reply = Await.expect(master.change(request), LockReply.class);
        return switch (reply.outcome()) {
            case GRANTED -> {
                refresh(request, reply.version());
                yield Outcome.GRANTED;
            }
            case CONFLICT -> Outcome.CONFLICT;
            case QUEUED -> Outcome.QUEUED;
            case DEADLOCK -> Outcome.DEADLOCK;
        };
    }

    private void refresh(HostMutation.SetHostLock request, long version) {
        if (request.lock().mode() != Lock.Mode.UNLOCK) {
            freshness.refresh(request.ino(), version);
        }
    }

    @Override
    public long newRequestId() {
        synchronized (random) {
            long id = random.nextLong();
            return id == 0 ? 1 : id;
        }
    }

    @Override
    public void cancel(LockHost host, long ino, long requestId) {
        change(new HostMutation.CancelHostLock(host, ino, requestId));
    }

    @Override
    public void release(LockHost host, int exceptState) {
        change(new HostMutation.ReleaseHost(host, exceptState));
    }

    private void change(HostMutation mutation) {
        Await.expect(master.change(mutation), Reply.Done.class);
    }

    @Override
    public List<HostRecord> hosts() {
        return hosts(new LockHost("", ""), MAX_PAGE, _ -> true);
    }

    @Override
    public List<HostRecord> hosts(String address) {
        // Nearly always it is one, and the next one shows that there are no more.
        return hosts(
                new LockHost("", address),
                2,
                host -> host.contact().host().address().equals(address));
    }

    /** In the order of the master, as long as they are wanted. */
    private List<HostRecord> hosts(LockHost from, int page, Predicate<HostRecord> wanted) {
        List<HostRecord> all = new ArrayList<>();
        LockHost after = from;
        while (true) {
            Query query = new Query.ListHosts(after, page);
            HostsReply reply = Await.expect(master.ask(query), HostsReply.class);
            for (HostRecord host : reply.hosts()) {
                if (!wanted.test(host)) {
                    return all;
                }
                all.add(host);
            }
            if (reply.end() || reply.hosts().isEmpty()) {
                return all;
            }
            after = reply.hosts().getLast().contact().host();
        }
    }

    @Override
    public int takeState() {
        Reply reply = master.change(new HostMutation.TakeNotifyState());
        return Await.expect(reply, HostsReply.class).notifyState();
    }

    @Override
    public void listen(Listener newListener) {
        listener = newListener;
    }

    /** A push: a request was granted, whosever it is. */
    void granted(long ino, long requestId) {
        Listener hearer = listener;
        if (hearer != null) {
            freshness.forget(ino);
            hearer.granted(requestId);
        }
    }

    /** The session has ended, or pushes may have been lost. */
    void interrupted() {
        Listener hearer = listener;
        if (hearer != null) {
            hearer.interrupted();
        }
    }
}
