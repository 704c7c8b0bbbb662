package io.cairn.master;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.fs.Name;
import io.cairn.master.snapshot.SnapshotKeeper.NameWatch;
import io.cairn.metadata.Namespace;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.TrashReply.Made;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Remembers which sessions may believe that they know all names of a directory: those that made it
 * or began to list it. It also remembers which sessions may believe that a single name does not
 * exist: those that looked it up or removed it. When another session changes the names of the
 * directory, or makes that name, they are told to forget the directory. The reply to that session
 * waits until they have done so, or cannot believe it any longer by themselves: {@link
 * Limits#MAX_ABSENCE_MS} after their last request at the latest. So who was told that a file exists
 * finds it through any other mount. A session is told once, until it makes or lists the directory
 * again. A session that has not been heard in this term may believe what the last term told it:
 * whoever makes a name waits until it has, as it then forgets what is absent, or as long as it may
 * believe.
 *
 * <p>Soft state of the leader. Bounded: who is forgotten here is told to forget, too. Thread-safe;
 * never blocks.
 */
final class DirectoryWatch implements NameWatch {
    /** Directories that are watched at a time. */
    static final int MAX_DIRECTORIES = 1 << 16;

    /** Sessions that watch one directory; one more takes the place of the first. */
    static final int MAX_WATCHERS = 64;

    private final SessionTable sessions;
    private final Scheduler scheduler;
    private final MissedNames missed;

    @GuardedBy("this")
    private final Map<Long, SequencedSet<Long>> watchers = new LinkedHashMap<>();

    /** A session that has to forget a directory. */
    record Forgetting(long session, long ino) {}

    DirectoryWatch(SessionTable sessions, Clock clock, Scheduler scheduler) {
        this.missed = new MissedNames(clock);
        this.sessions = sessions;
        this.scheduler = scheduler;
    }

    /** A session is about to list a directory, or has made it. */
    void watch(long session, long ino) {
        if (session == 0) {
            return;
        }
        List<Forgetting> displaced = new ArrayList<>();
        synchronized (this) {
            SequencedSet<Long> known = watchers.computeIfAbsent(ino, _ -> new LinkedHashSet<>(2));
            if (known.add(session) && known.size() > MAX_WATCHERS) {
                displaced.add(new Forgetting(known.removeFirst(), ino));
            }
            if (watchers.size() > MAX_DIRECTORIES) {
                Iterator<Map.Entry<Long, SequencedSet<Long>>> eldest =
                        watchers.entrySet().iterator();
                Map.Entry<Long, SequencedSet<Long>> entry = eldest.next();
                entry.getValue().forEach(s -> displaced.add(new Forgetting(s, entry.getKey())));
                eldest.remove();
            }
        }
        displaced.forEach(this::tell);
    }

    /** Registers before it reads: a session that reads from the beginning may know all names. */
    Reply list(Namespace namespace, long session, Query.ReadDirectory list) {
        if (list.cookie() == 0 && sessions.isLive(session)) {
            watch(session, list.ino());
        }
        return namespace.read(session, list);
    }

    /** The maker of a name tells the sessions that may believe that it does not exist. */
    Reply lookup(Namespace namespace, long session, Query.Lookup wanted) {
        Reply reply = namespace.read(session, wanted);
        if (!(reply instanceof Reply.Absent) || !sessions.isLive(session)) {
            return reply;
        }
        missed(session, wanted.parentIno(), wanted.name());
        // Whoever made it before that does not know.
        return namespace.read(session, wanted);
    }

    /** A session is about to be told that a directory does not have a name. */
    void missed(long session, long ino, Name name) {
        if (session != 0) {
            missed.missed(session, ino, name).forEach(this::tell);
        }
    }

    /** Whether no other session may believe anything about the names of a directory. */
    boolean isAlone(long session, long ino) {
        boolean isWatched;
        synchronized (this) {
            Set<Long> known = watchers.get(ino);
            isWatched = known != null && known.stream().anyMatch(each -> each != session);
        }
        return !isWatched
                && missed.isAlone(session, ino)
                && sessions.othersUnheard(session).isEmpty();
    }

    /** A new term: everybody is told to forget, as another leader may have changed anything. */
    void reset() {
        Set<Forgetting> all = missed.clear();
        synchronized (this) {
            watchers.forEach((ino, known) -> known.forEach(s -> all.add(new Forgetting(s, ino))));
            watchers.clear();
        }
        all.forEach(this::tell);
    }

    private void tell(Forgetting disbelief) {
        Connection connection = sessions.connection(disbelief.session);
        if (connection != null) {
            connection.send(push(disbelief));
        }
    }

    private static Message push(Forgetting disbelief) {
        return Message.of(v -> MasterRequest.push(new Push.Invalidate(disbelief.ino), v));
    }

    /**
     * A mutation was applied: sends the reply, at once or when no other session can believe any
     * longer what the mutation has made untrue.
     *
     * @param sender sends it; called once, from any thread
     */
    void settle(Envelope envelope, Reply reply, Runnable sender) {
        long session = envelope.session();
        if (!(envelope.mutation().unwrapped() instanceof TreeMutation change)
                || !(reply instanceof Reply.EntryReply entry)) {
            sender.run();
            return;
        }
        if (change instanceof TreeMutation.Mkdir) {
            watch(session, entry.inode().ino());
        }
        Set<Forgetting> others = others(session, change);
        List<CompletableFuture<Void>> unheard =
                makesName(change) ? sessions.othersUnheard(session) : List.of();
        if (others.isEmpty() && unheard.isEmpty()) {
            sender.run();
            return;
        }
        List<CompletableFuture<Void>> waits = new ArrayList<>();
        others.forEach(other -> waits.add(disabuse(other)));
        for (CompletableFuture<Void> heard : unheard) {
            // It may believe of any name what the last term told it.
            waits.add(sessions.untilHeard(heard, Limits.MAX_ABSENCE_MS, scheduler));
        }
        var _ = CompletableFuture.allOf(waits.toArray(CompletableFuture<?>[]::new)).thenRun(sender);
    }

    private static boolean makesName(TreeMutation change) {
        return switch (change) {
            case TreeMutation.Create _,
                    TreeMutation.Mkdir _,
                    TreeMutation.Symlink _,
                    TreeMutation.Link _,
                    TreeMutation.Rename _ ->
                    true;
            case TreeMutation.CreateUnnamed _,
                    TreeMutation.Unlink _,
                    TreeMutation.Rmdir _,
                    TreeMutation.SetAttributes _,
                    TreeMutation.WriteAndSet _,
                    TreeMutation.SetPolicy _,
                    TreeMutation.SetXattr _,
                    TreeMutation.ReplaceXattr _,
                    TreeMutation.RemoveXattr _,
                    TreeMutation.Witnessed _ ->
                    false;
        };
    }

    /** The names of a directory were changed, and nobody waits for the answer. */
    @Override
    public void changed(long ino) {
        Set<Forgetting> all = new LinkedHashSet<>(0);
        take(0, ino, all);
        all.forEach(this::tell);
    }

    /** Names were made for nobody in particular; completes when everybody can find them. */
    @Override
    public CompletableFuture<Void> announce(List<Made> names) {
        Set<Forgetting> all = new LinkedHashSet<>(0);
        for (Made name : names) {
            take(0, name.parentIno(), all);
            missed.made(0, name.parentIno(), name.name(), all);
        }
        List<CompletableFuture<Void>> waits = new ArrayList<>();
        all.forEach(other -> waits.add(disabuse(other)));
        return CompletableFuture.allOf(waits.toArray(CompletableFuture<?>[]::new));
    }

    private Set<Forgetting> others(long session, TreeMutation change) {
        Set<Forgetting> others = new LinkedHashSet<>(0);
        change.tellNames(
                new TreeMutation.NameChanges() {
                    @Override
                    public void made(long ino, Name name) {
                        take(session, ino, others);
                        missed.made(session, ino, name, others);
                    }

                    @Override
                    public void removed(long ino, Name name) {
                        take(session, ino, others);
                        missed(session, ino, name);
                    }

                    @Override
                    public void exchanged(long ino) {
                        take(session, ino, others);
                    }
                });
        return others;
    }

    /** Other sessions that watch a directory do so no longer. */
    private synchronized void take(long session, long ino, Set<Forgetting> others) {
        Set<Long> known = watchers.get(ino);
        if (known == null || known.size() == 1 && known.contains(session)) {
            return;
        }
        boolean own = known.remove(session);
        known.forEach(other -> others.add(new Forgetting(other, ino)));
        known.clear();
        if (own) {
            known.add(session);
        } else {
            watchers.remove(ino);
        }
    }

    /** Completes when a session has forgotten, or believes nothing any more by itself. */
    private CompletableFuture<Void> disabuse(Forgetting other) {
        long waitMs = Limits.MAX_ABSENCE_MS - sessions.silentMs(other.session);
        if (waitMs <= 0) {
            tell(other);
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> told = new CompletableFuture<>();
        Scheduler.Timer end = scheduler.schedule(() -> told.complete(null), waitMs);
        Connection connection = sessions.connection(other.session);
        if (connection != null) {
            var _ =
                    connection
                            .call(push(other), waitMs)
                            .thenAccept(
                                    answer -> {
                                        answer.release();
                                        end.cancel();
                                        told.complete(null);
                                    });
        }
        return told;
    }

    /** How many directories are watched. */
    synchronized int size() {
        return watchers.size();
    }
}
