package io.cairn.master;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.session.SessionRecord;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.Limits;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SharingMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.Numbered;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells who holds a file open that another session has cut or lengthened it, and lets the answer to
 * that session wait until they know: what they write from then on they write on top of it. So an
 * append goes behind all that was acknowledged, and what is written after a cut is not taken for
 * what was cut off.
 *
 * <p>A change of the size is told to all who hold the file open, and so are flags: who had it open
 * before it became immutable stops then. A commit that makes the file longer is told only while
 * another session has the APPEND token: all others ask for the size before they append. A session
 * that does not answer asks by itself before it writes, {@link Limits#believesMs} after it was last
 * answered; the master waits a quarter longer. A session that has not told this term what it holds
 * open may hold any file, and takes the last term to go on: the answer waits until it has told, as
 * it then asks before it writes. Keeps nothing; thread-safe; never blocks.
 */
final class ContentWatch {
    /** A snapshot waits so long for writers. */
    private static final long COMMIT_MS = 2000;

    /** Whoever moves contents asks for a few seconds, again if need be. */
    static final int MAX_STILL_MS = 60_000;

    private static final String SILENT = "a client that has the file open does not answer";

    private final Supplier<Namespace> namespace;
    private final SessionTable sessions;
    private final Scheduler scheduler;

    ContentWatch(Supplier<Namespace> namespace, SessionTable sessions, Scheduler scheduler) {
        this.namespace = namespace;
        this.sessions = sessions;
        this.scheduler = scheduler;
    }

    /**
     * A mutation was applied: sends the reply, at once or when all who have to know do.
     *
     * @param sender sends it; called once, from any thread
     */
    void settle(Envelope envelope, Reply reply, Runnable sender) {
        Mutation asked = envelope.mutation().unwrapped();
        Mutation mutation = asked instanceof TreeMutation.WriteAndSet both ? both.write() : asked;
        long ino = resized(mutation);
        List<Long> others = ino == 0 ? List.of() : sessions.othersWithOpen(envelope.session(), ino);
        Inode inode = others.isEmpty() ? null : changed(envelope, mutation, reply);
        if (inode == null) {
            sender.run();
            return;
        }
        var _ = tell(others, inode).thenRun(sender);
    }

    /** The contents of an inode lie elsewhere now, and nobody waits for the answer. */
    void changed(long ino) {
        Inode inode = namespace.get().inode(ino);
        if (inode != null) {
            var _ = tell(sessions.othersWithOpen(0, ino), inode);
        }
    }

    private CompletableFuture<Void> tell(List<Long> others, Inode inode) {
        Message push = Message.of(v -> MasterRequest.push(new Push.Changed(inode), v));
        return CompletableFuture.allOf(
                others.stream()
                        .map(session -> tell(session, push))
                        .toArray(CompletableFuture<?>[]::new));
    }

    /** The inode of which a mutation changes the size, or who may write it; 0 if it does not. */
    private static long resized(Mutation mutation) {
        return switch (mutation) {
            case TreeMutation m -> resized(m);
            case ContentMutation m -> resized(m);
            case SharingMutation.ShareChunks m -> m.ino();
            case JobMutation.EditInode m -> m.ino();
            case Numbered _, SessionMutation _, HostMutation _, LeaderMutation _ -> 0;
        };
    }

    private static long resized(TreeMutation mutation) {
        return switch (mutation) {
            case TreeMutation.SetAttributes m ->
                    m.change().has(AttributeChange.SIZE | AttributeChange.FLAGS) ? m.ino() : 0;
            case TreeMutation.SetPolicy m -> m.ino();
            case TreeMutation.WriteAndSet m -> m.write().ino();
            case TreeMutation.Create _,
                    TreeMutation.CreateUnnamed _,
                    TreeMutation.Mkdir _,
                    TreeMutation.Symlink _,
                    TreeMutation.Link _,
                    TreeMutation.Unlink _,
                    TreeMutation.Rmdir _,
                    TreeMutation.Rename _,
                    TreeMutation.SetXattr _,
                    TreeMutation.ReplaceXattr _,
                    TreeMutation.RemoveXattr _,
                    TreeMutation.Witnessed _ ->
                    0;
        };
    }

    private static long resized(ContentMutation mutation) {
        return switch (mutation) {
            case ContentMutation.CommitSize m -> m.sizeBytes() > 0 ? m.ino() : 0;
            case ContentMutation.WriteInline m -> m.ino();
            case ContentMutation.Spill m -> m.ino();
            case ContentMutation.SwapContents m -> m.ino();
            case ContentMutation.TakeDetour m -> m.ino();
            case ContentMutation.TakePartialDetour m -> m.ino();
            case ContentMutation.MoveChunks m -> m.isFirstStep() ? 0 : m.ino();
            case ContentMutation.CloneDone _,
                    ContentMutation.RenewTail _,
                    ContentMutation.RenewChunks _ ->
                    0;
        };
    }

    /** The inode as it is now, if the others have to know; else null. */
    private @Nullable Inode changed(Envelope envelope, Mutation mutation, Reply reply) {
        Inode inode =
                switch (reply) {
                    case Reply.EntryReply entry -> entry.inode();
                    case Reply.WrittenReply written -> namespace.get().inode(written.inode().ino());
                    case Reply.Done _,
                            Reply.Failure _,
                            Reply.DirectoryReply _,
                            Reply.BytesReply _,
                            Reply.NamesReply _,
                            Reply.LockReply _,
                            Reply.AllowanceReply _,
                            Reply.UsageReply _,
                            Reply.SessionReply _,
                            Reply.MapReply _,
                            Reply.TextReply _,
                            Reply.Absent _,
                            Reply.HostsReply _,
                            Reply.JobReply _,
                            Reply.TrashReply _,
                            Reply.TicketReply _ ->
                            null;
                };
        if (inode == null
                || mutation instanceof TreeMutation
                || mutation instanceof JobMutation
                || mutation instanceof SharingMutation
                || mutation instanceof ContentMutation.SwapContents
                || mutation instanceof ContentMutation.TakeDetour
                || mutation instanceof ContentMutation.TakePartialDetour
                || mutation instanceof ContentMutation.MoveChunks) {
            return inode;
        }
        long appender = namespace.get().appender(inode.ino());
        return appender == 0 || appender == envelope.session() ? null : inode;
    }

    /**
     * Has all other sessions that hold a file open keep their writers out of it.
     *
     * @param answer gets Done or a Failure, once, from any thread
     */
    void holdStill(long session, Query.HoldStill still, Consumer<Reply> answer) {
        if (still.ms() < 0 || still.ms() > MAX_STILL_MS) {
            answer.accept(
                    new Reply.Failure(
                            Errno.EINVAL,
                            "files are held still for 0 to %d ms, not %d"
                                    .formatted(MAX_STILL_MS, still.ms())));
            return;
        }
        if (!sessions.holdStill(session, still.ino(), still.ms())) {
            // Nobody is told to go on: clients may keep still for another session by now.
            answer.accept(
                    still.ms() == 0 ? new Reply.Done() : busy("another client moves the file"));
            return;
        }
        Push order = new Push.HoldStill(still.ino(), still.ms());
        Message push = Message.of(v -> MasterRequest.push(order, v));
        List<CompletableFuture<?>> held = new ArrayList<>();
        for (long other : sessions.othersWithOpen(session, still.ino())) {
            Connection connection = sessions.connection(other);
            if (still.ms() == 0) {
                if (connection != null) {
                    connection.send(push);
                }
            } else if (connection == null) {
                held.add(CompletableFuture.failedFuture(new FsException(Errno.DISCONNECTED)));
            } else {
                held.add(connection.call(push, still.ms()).thenAccept(Message::release));
            }
        }
        var _ =
                CompletableFuture.allOf(held.toArray(CompletableFuture<?>[]::new))
                        .whenComplete(
                                (_, failure) ->
                                        answer.accept(
                                                failure == null ? new Reply.Done() : busy(SILENT)));
    }

    /**
     * Has all who hold files below a directory open commit what they wrote. Never fails; done after
     * two seconds at the latest, whoever has not answered.
     */
    CompletableFuture<Void> commit(long directory) {
        OpenFiles below = new OpenFiles(namespace.get(), directory);
        List<CompletableFuture<?>> asked = new ArrayList<>();
        for (SessionRecord session : namespace.get().sessions()) {
            Connection connection = sessions.connection(session.session());
            List<Long> open = sessions.opens(session.session());
            long[] inos = open == null ? new long[0] : below.of(open);
            if (connection != null && inos.length > 0) {
                Push order = new Push.CommitFiles(inos);
                Message push = Message.of(v -> MasterRequest.push(order, v));
                asked.add(connection.call(push, COMMIT_MS).thenAccept(Message::release));
            }
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        Scheduler.Timer end = scheduler.schedule(() -> done.complete(null), COMMIT_MS);
        var _ =
                CompletableFuture.allOf(
                                asked.stream()
                                        .map(each -> each.handle((_, _) -> null))
                                        .toArray(CompletableFuture<?>[]::new))
                        .thenRun(
                                () -> {
                                    end.cancel();
                                    done.complete(null);
                                });
        return done;
    }

    /** Which of some files are below a directory; reads each of their ancestors once. */
    private static final class OpenFiles {
        /** So many are asked for at most, in one frame; the rest is committed soon anyway. */
        private static final int MAX = Limits.MAX_LIST / 2;

        private final Namespace namespace;
        private final Map<Long, Boolean> known = new HashMap<>();

        OpenFiles(Namespace namespace, long directory) {
            this.namespace = namespace;
            known.put(FileSystem.ROOT_INO, false);
            known.put(0L, false);
            known.put(directory, true);
        }

        long[] of(List<Long> inos) {
            return inos.stream()
                    .filter(this::isBelow)
                    .limit(MAX)
                    .mapToLong(Long::longValue)
                    .toArray();
        }

        private static boolean hasMoreNames(Inode inode) {
            return !inode.attributes().isDirectory() && inode.attributes().nlink() > 1;
        }

        private boolean isBelow(long ino) {
            List<Long> way = new ArrayList<>();
            long at = ino;
            while (!known.containsKey(at)) {
                way.add(at);
                known.put(at, false);
                Inode inode = namespace.inode(at);
                at = inode == null ? 0 : inode.parentIno();
                if (inode != null && hasMoreNames(inode)) {
                    // Another name may be below; to commit it too early harms nobody.
                    known.put(ino, true);
                    return true;
                }
            }
            boolean isBelow = Boolean.TRUE.equals(known.get(at));
            way.forEach(each -> known.put(each, isBelow));
            return isBelow;
        }
    }

    private static Reply busy(String why) {
        return new Reply.Failure(Errno.EBUSY, why + "; try again later");
    }

    /** Completes when a session knows, or cannot believe otherwise any more. */
    private CompletableFuture<Void> tell(long session, Message push) {
        CompletableFuture<Void> heard = sessions.heard(session);
        if (!heard.isDone()) {
            // Nobody was renewed by the last term after this one began.
            return sessions.untilHeard(heard, toleratedMs(), scheduler);
        }
        CompletableFuture<Void> told = new CompletableFuture<>();
        Connection connection = sessions.connection(session);
        long waitMs = believesMs(connection) - sessions.silentMs(session);
        if (waitMs <= 0) {
            if (connection != null) {
                connection.send(push);
            }
            told.complete(null);
            return told;
        }
        Scheduler.Timer end = scheduler.schedule(() -> told.complete(null), waitMs);
        if (connection != null) {
            var _ =
                    connection
                            .call(push, waitMs)
                            .whenComplete(
                                    (answer, _) -> {
                                        if (answer != null) {
                                            answer.release();
                                            end.cancel();
                                            told.complete(null);
                                        } else if (!connection.isOpen()) {
                                            scheduler.schedule(
                                                    () -> told.complete(null),
                                                    Limits.MAX_ABSENCE_MS);
                                        }
                                    });
        }
        return told;
    }

    private long toleratedMs() {
        long believesMs = Limits.believesMs(sessions.leaseMs());
        return believesMs + believesMs / 4;
    }

    /**
     * A session that has lost its connection asks before it writes, unless it was lost just now.
     */
    private long believesMs(@Nullable Connection connection) {
        return connection == null ? Limits.MAX_ABSENCE_MS : toleratedMs();
    }
}
