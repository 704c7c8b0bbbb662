package io.cairn.metadata;

import io.cairn.base.FsException;
import io.cairn.metadata.cluster.MapHistory;
import io.cairn.metadata.content.ContentQueries;
import io.cairn.metadata.inode.InodeQueries;
import io.cairn.metadata.lock.LockQueries;
import io.cairn.metadata.state.View;
import io.cairn.metadata.tree.PathSearch;
import io.cairn.metadata.tree.TreeQueries;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/**
 * Answers queries from the applied state: from that of now, or as a snapshot has it. Thread-safe.
 */
final class QueryAnswers {
    private final View view;
    private final Lock lock;
    private final MapHistory maps;
    private final PastQueries past;

    /**
     * Answers of a view.
     *
     * @param lock no commit runs while it is held
     */
    QueryAnswers(View view, Lock lock, MapHistory maps) {
        this.view = view;
        this.lock = lock;
        this.maps = maps;
        past = new PastQueries(view, lock);
    }

    /**
     * The answer; errors come as {@link Reply.Failure}.
     *
     * @param session who asks; counts only for TestLock
     * @param firstSureOid objects with smaller numbers are in doubt
     */
    Reply answer(long session, Query.OfState query, long firstSureOid) {
        if (PastQueries.concerns(query)) {
            return locked(() -> past.answer(query));
        }
        return switch (query) {
            case Query.GetMap m -> maps.answer(m);
            case Query.GetPath m -> new PathSearch(view, lock).path(m.ino());
            case Query.CheckTail m ->
                    locked(() -> ContentQueries.checkTail(view, m.ino(), firstSureOid));
            case Query.Lookup m -> locked(() -> TreeQueries.lookup(view, m));
            case Query.GetInode m -> locked(() -> InodeQueries.entry(view, m.ino()));
            case Query.ReadDirectory m -> locked(() -> TreeQueries.readDirectory(view, m));
            case Query.LookupMany m -> locked(() -> TreeQueries.lookupMany(view, m));
            case Query.GetXattr m -> locked(() -> InodeQueries.getXattr(view, m));
            case Query.ListXattr m -> locked(() -> InodeQueries.listXattr(view, m));
            case Query.TestLock m -> locked(() -> LockQueries.testLock(view, session, m));
            case Query.TestHostLock m -> locked(() -> LockQueries.testLock(view, m));
            case Query.ListHosts m -> locked(() -> LockQueries.listHosts(view, m));
        };
    }

    private Reply locked(Supplier<Reply> reader) {
        lock.lock();
        try {
            return reader.get();
        } catch (FsException e) {
            return new Reply.Failure(e.errno(), String.valueOf(e.getMessage()));
        } finally {
            lock.unlock();
        }
    }
}
