package io.cairn.client.tree;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.cache.NameChange;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInodes;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.client.session.YoungFiles;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.Name;
import io.cairn.runtime.PendingRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.SessionMutation.RemoveEarly;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names that were taken away here before the masters know it, where this mount alone changes names
 * and where it knows that nothing is in the way. They are sent many at a time, so that the masters
 * put them into few entries of their log. Every other message about them waits until they were
 * told. What the masters refuse nevertheless, or never hear of, is still there: that is logged, and
 * told by the next fsync of the directory. Thread-safe; never blocks.
 *
 * <pre>
 *   waiting:  unlink a/1, unlink a/2, rmdir a, unlink b/1 ...
 *             `---- sent together ---'`- sent when those are answered
 * </pre>
 */
final class Removals implements YoungFiles.EarlyChanges {
    private static final Logger LOG = LoggerFactory.getLogger(Removals.class);

    /** As many as the masters put into one entry. */
    private static final int MAX_TOGETHER = 256;

    /** Removals that are not told at a time. */
    private static final int MAX_UNTOLD = 1024;

    /** How long the first one waits for others. */
    static final long DELAY_MS = 10;

    private static final int MAX_FAILURES = 1024;

    /** The session in which a name may be taken away, and the number that goes along. */
    private record Permit(long session, long number) {}

    /** One name. */
    private static final class Removal {
        final long parentIno;
        final Name name;
        final long ino;
        final boolean isDirectory;
        final long session;

        /** Of the rights under which it was answered. */
        final long number;

        final NameChange names;
        final CompletableFuture<Void> over = new CompletableFuture<>();

        /** Its place among all of them. */
        long place;

        Removal(long parentIno, Name name, Attributes what, Permit permit, NameChange names) {
            this.parentIno = parentIno;
            this.name = name;
            this.ino = what.ino();
            this.isDirectory = what.isDirectory();
            this.session = permit.session;
            this.number = permit.number;
            this.names = names;
        }

        boolean isAbout(@Nullable Set<Long> inos, @Nullable Name only) {
            return inos == null
                    || inos.contains(ino)
                    || inos.contains(parentIno) && (only == null || only.equals(name));
        }

        Mutation mutation() {
            return new RemoveEarly(parentIno, name, isDirectory, number);
        }
    }

    private final Tree tree;
    private final Mount mount;
    private final OpenInodes open;
    private volatile boolean isOn;

    /** How many are not told. */
    private volatile int untold;

    @GuardedBy("this")
    private final ArrayDeque<Removal> waiting = new ArrayDeque<>();

    /** Those that were sent and are not answered. */
    @GuardedBy("this")
    private final Set<Removal> sent = new LinkedHashSet<>();

    @GuardedBy("this")
    private long lastPlace;

    /** Up to this number they go as soon as they can. */
    @GuardedBy("this")
    private long urgentTo;

    /** Whether a timer runs that sends what waits. */
    @GuardedBy("this")
    private boolean isScheduled;

    /** The first failure in each directory since its last fsync. */
    @GuardedBy("this")
    private final Map<Long, FsException> failures = new LinkedHashMap<>();

    Removals(Tree tree, Mount mount, OpenInodes open) {
        this.tree = tree;
        this.mount = mount;
        this.open = open;
        mount.master().young().accompaniedBy(this);
    }

    /** From now on names are taken away before the masters know it. */
    void turnOn() {
        isOn = true;
    }

    boolean isOn() {
        return isOn;
    }

    // ---- beginning

    /** Takes a name away; false where the masters must be asked first, and nothing was done. */
    boolean begin(Caller caller, long parentIno, Name name, boolean isDirectory) {
        YoungFiles young = mount.master().young();
        if (!isOn || caller.witness() != null || !mount.master().session().isConnected()) {
            return false;
        }
        if (untold >= MAX_UNTOLD || !young.isAloneIn(parentIno)) {
            return false;
        }
        long ino = mount.cache().ownChild(parentIno, name);
        Attributes what = ino > 0 ? mount.cache().lastAttributes(ino) : null;
        if (what == null || !isRemovable(what, isDirectory)) {
            return false;
        }
        long session = mount.master().session().session();
        Permit permit = new Permit(session, young.removalNumber());
        if (permit.number == 0) {
            return false;
        }
        NameChange names = mount.cache().begin(parentIno, List.of(name));
        Removal removal = new Removal(parentIno, name, what, permit, names);
        mount.cache().earlyChange(parentIno, isDirectory);
        add(removal);
        // Who recalls the right, or makes a name in the directory, from now on waits for this.
        boolean isCertain =
                young.isAloneIn(parentIno)
                        && young.removalNumber() == permit.number
                        && (!isDirectory || isEmptySoon(ino));
        if (!isCertain && withdraw(removal)) {
            over(removal);
            return false;
        }
        mount.removed().removed(ino);
        schedule();
        return true;
    }

    /** Whether nothing that the masters tell everybody can be in the way. */
    private boolean isRemovable(Attributes what, boolean isDirectory) {
        if (what.isDirectory() != isDirectory || what.flags() != 0) {
            return false;
        }
        YoungFiles young = mount.master().young();
        if (!isDirectory) {
            return what.nlink() == 1 && open.get(what.ino()) == null;
        }
        if (!young.isAloneIn(what.ino())) {
            return false;
        }
        // Nothing is made there by this mount alone any more.
        young.lose(what.ino());
        return isEmptySoon(what.ino());
    }

    /** Whether a directory has no names but those that were taken away here. */
    private boolean isEmptySoon(long directory) {
        return mount.cache().hasOnly(directory, leaving(directory));
    }

    private synchronized Set<Name> leaving(long directory) {
        Set<Name> names = new HashSet<>();
        for (Removal each : untold()) {
            if (each.parentIno == directory) {
                names.add(each.name);
            }
        }
        return names;
    }

    @GuardedBy("this")
    private List<Removal> untold() {
        List<Removal> all = new ArrayList<>(sent);
        all.addAll(waiting);
        return all;
    }

    @GuardedBy("this")
    private void count() {
        untold = sent.size() + waiting.size();
    }

    private synchronized void add(Removal removal) {
        removal.place = ++lastPlace;
        waiting.add(removal);
        count();
    }

    /** False when it was sent already. */
    private synchronized boolean withdraw(Removal removal) {
        boolean isWithdrawn = waiting.remove(removal);
        count();
        return isWithdrawn;
    }

    // ---- telling

    @Override
    public boolean isEmpty() {
        return untold == 0;
    }

    @Override
    public CompletableFuture<Void> tell(@Nullable Set<Long> inos, @Nullable Name name) {
        List<CompletableFuture<Void>> over = new ArrayList<>();
        synchronized (this) {
            for (Removal each : untold()) {
                if (each.isAbout(inos, name)) {
                    over.add(each.over);
                    urgentTo = Math.max(urgentTo, each.place);
                }
            }
        }
        if (over.isEmpty()) {
            return Promises.DONE;
        }
        send();
        return CompletableFuture.allOf(over.toArray(CompletableFuture<?>[]::new));
    }

    /** Sends what waits now, or in a moment when there may be more. */
    private void schedule() {
        boolean isDue;
        synchronized (this) {
            isDue = isDue();
            if (!isDue && isScheduled || waiting.isEmpty()) {
                return;
            }
            isScheduled |= !isDue;
        }
        if (isDue) {
            send();
        } else {
            mount.runtime().scheduler().schedule(this::delayOver, DELAY_MS);
        }
    }

    @GuardedBy("this")
    private boolean isDue() {
        Removal first = waiting.peek();
        return first != null && (first.place <= urgentTo || waiting.size() >= MAX_TOGETHER);
    }

    private void delayOver() {
        synchronized (this) {
            isScheduled = false;
            urgentTo = Math.max(urgentTo, lastPlace);
        }
        send();
    }

    /** Sends the next ones together, unless some are not answered yet. */
    private void send() {
        List<Removal> next = new ArrayList<>();
        synchronized (this) {
            if (!sent.isEmpty()) {
                return;
            }
            Set<Long> directories = new HashSet<>();
            // A directory goes when what was in it has gone: nothing else orders them.
            while (!waiting.isEmpty()
                    && next.size() < MAX_TOGETHER
                    && !(waiting.getFirst().isDirectory
                            && directories.contains(waiting.getFirst().ino))) {
                Removal removal = waiting.removeFirst();
                directories.add(removal.parentIno);
                next.add(removal);
            }
            sent.addAll(next);
        }
        // No caller who is interrupted takes back what others were promised.
        PendingRequest.runApart(() -> next.forEach(this::send));
    }

    private void send(Removal removal) {
        Promises.whenDone(
                mount.master().young().sendEarly(removal.mutation(), removal.session),
                (reply, failure) -> {
                    try {
                        answered(removal, reply, failure);
                    } finally {
                        over(removal);
                        schedule();
                    }
                });
    }

    private void answered(Removal removal, @Nullable Reply reply, @Nullable Throwable failure) {
        if (reply instanceof EntryReply entry) {
            tree.absorb(entry);
            removal.names.done(entry.parent(), Map.of(removal.name, 0L));
            if (removal.isDirectory || entry.inode().attributes().nlink() == 0) {
                tree.removed(removal.ino, removal.isDirectory);
            }
            return;
        }
        FsException error =
                reply instanceof Reply.Failure f ? f.toException() : Await.failure(failure);
        if (error.errno() == Errno.EINVAL) {
            error = new FsException(Errno.EIO, "the masters could not be reached for too long");
        }
        if (error.errno() != Errno.ENOENT) {
            LOG.warn(
                    "'{}' in directory {} was taken away here, but not by the masters: {}",
                    removal.name,
                    removal.parentIno,
                    error.toString());
            note(removal.parentIno, error);
        }
    }

    private synchronized void note(long directory, FsException error) {
        failures.putIfAbsent(directory, error);
        if (failures.size() > MAX_FAILURES) {
            failures.remove(failures.keySet().iterator().next());
        }
    }

    /** What others see of the directory is what the masters say again. */
    private void over(Removal removal) {
        removal.names.close();
        mount.cache().toldChange(removal.parentIno, removal.isDirectory);
        synchronized (this) {
            sent.remove(removal);
            count();
        }
        removal.over.complete(null);
    }

    /** Throws what the masters refused in a directory since this was called last. */
    void report(long directory) {
        FsException failure;
        synchronized (this) {
            failure = failures.remove(directory);
        }
        if (failure != null) {
            throw failure;
        }
    }
}
