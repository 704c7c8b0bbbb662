package io.cairn.master.quota;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.Usage;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Growth;
import io.cairn.fs.quota.LimitedAccount;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.Notice;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SharingMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.Numbered;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What clients may write to chunks under quotas before they commit it: bytes that do not pass the
 * log until then. Kept by the leader alone: a new leader forgets what was allowed, which may pass a
 * limit by that much. Thread-safe; never blocks.
 */
public final class Allowances {
    /** What is allowed at once, in bytes. */
    static final long STEP_BYTES = 16 << 20;

    /** What is allowed where nothing is limited, or more if wanted; ends when that changes. */
    static final long FREE_BYTES = 1L << 40;

    private static final Growth FREE = new Growth(FREE_BYTES, FREE_BYTES);

    /** More files than that are not looked at one by one when a directory moves. */
    private static final int MAX_LOOKED = 4096;

    /** So many grants at least before those of ended sessions are looked for. */
    private static final int MIN_SWEPT = 4096;

    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    /** Bytes allowed, and what they count for; nothing where nothing was limited. */
    private record Grant(Set<Account> accounts, Sums sums) {}

    private final Supplier<Namespace> namespace;
    private final LongPredicate isLive;
    private final LongSupplier wallNs;

    /** By inode and session. */
    private final Map<Long, Map<Long, Grant>> grants = new HashMap<>();

    /** The inodes of the grants of each session. */
    private final Map<Long, Set<Long>> bySession = new HashMap<>();

    private final Map<Account, Sums> totals = new HashMap<>();

    /** The term that the grants are of. */
    private long term = -1;

    /** How often clients were asked to ask again. */
    @GuardedBy("this")
    private long recalls;

    private int grantCount;
    private int sweptAt = MIN_SWEPT;

    /**
     * Nothing is allowed yet.
     *
     * @param isLive whether a session is open
     * @param wallNs the time, nanoseconds since 1970
     */
    public Allowances(Supplier<Namespace> namespace, LongPredicate isLive, LongSupplier wallNs) {
        this.namespace = namespace;
        this.isLive = isLive;
        this.wallNs = wallNs;
    }

    /**
     * Allows a file to grow.
     *
     * @return by how much, at least what is wanted
     * @throws FsException EDQUOT
     */
    synchronized Growth take(long session, Query.GetAllowance m) {
        forgetOtherTerms();
        long ino = m.ino();
        giveBack(session, ino);
        List<LimitedAccount> limiting = namespace.get().accounts().limiting(ino);
        if (limiting.isEmpty()) {
            hold(session, ino, new Grant(Set.of(), Sums.ZERO));
            return more(FREE, m.wanted());
        }
        long copies = copies(ino);
        LimitedAccount refusing = refusing(limiting, copies, m);
        if (refusing != null) {
            sweep();
            refusing = refusing(limiting, copies, m);
        }
        // Whoever was allowed bytes before a limit was set has written them.
        if (refusing != null) {
            hold(session, ino, grant(limiting, m.held(), copies));
            throw new FsException(
                    Errno.EDQUOT, "the quota of " + refusing.account() + " is used up");
        }
        Growth allowed = allowed(limiting, copies, m);
        hold(session, ino, grant(limiting, m.held().plus(allowed), copies));
        return allowed;
    }

    private static Growth more(Growth one, Growth other) {
        return new Growth(
                Math.max(one.lengthBytes(), other.lengthBytes()),
                Math.max(one.storedBytes(), other.storedBytes()));
    }

    /** What was committed or closed while another master led was not given back here. */
    private void forgetOtherTerms() {
        long now = namespace.get().appliedTerm();
        if (now != term) {
            term = now;
            grants.clear();
            bySession.clear();
            totals.clear();
            grantCount = 0;
        }
    }

    /** An account without room for what is wanted, or without space for the room; null if none. */
    private @Nullable LimitedAccount refusing(
            List<LimitedAccount> limiting, long copies, Query.GetAllowance m) {
        for (LimitedAccount each : limiting) {
            long length = freeLength(each) - m.held().lengthBytes();
            long space = freeSpace(each, copies) - m.held().storedBytes();
            if (isMore(m.wanted().lengthBytes(), length)
                    || isMore(m.wanted().storedBytes(), space)
                    || isMore(m.roomBytes(), space)) {
                return each;
            }
        }
        return null;
    }

    /** Nothing fits everywhere, also where more is used than a limit allows. */
    private static boolean isMore(long wanted, long free) {
        return wanted > 0 && wanted > free;
    }

    /** More than is wanted, so that the next writes need not ask; less of it near a limit. */
    private Growth allowed(List<LimitedAccount> limiting, long copies, Query.GetAllowance m) {
        if (m.wanted().equals(Growth.NONE)) {
            return Growth.NONE;
        }
        long length = Long.MAX_VALUE;
        long space = Long.MAX_VALUE;
        for (LimitedAccount each : limiting) {
            length = Math.min(length, freeLength(each));
            space = Math.min(space, freeSpace(each, copies));
        }
        return new Growth(
                step(m.wanted().lengthBytes(), length - m.held().lengthBytes()),
                step(m.wanted().storedBytes(), space - m.held().storedBytes()));
    }

    private static long step(long wanted, long free) {
        return Math.max(wanted, Math.min(STEP_BYTES, free / 4));
    }

    private long freeLength(LimitedAccount each) {
        long limit = each.limits(wallNs.getAsLong()).lengthBytes();
        return free(used(each).lengthBytes(), limit);
    }

    private long freeSpace(LimitedAccount each, long copies) {
        long limit = each.limits(wallNs.getAsLong()).spaceBytes();
        return free(used(each).spaceBytes(), limit) / copies;
    }

    private Sums used(LimitedAccount each) {
        Sums used = each.used();
        Sums more = totals.getOrDefault(each.account(), Sums.ZERO);
        return new Sums(
                used.inodes(),
                saturatedSum(used.lengthBytes(), more.lengthBytes()),
                saturatedSum(used.spaceBytes(), more.spaceBytes()));
    }

    /** The sum of two numbers without a sign, or the largest: no sum is small again. */
    private static long saturatedSum(long used, long more) {
        long sum = used + more;
        return Sums.compare(sum, used) < 0 ? -1 : sum;
    }

    private static long free(long used, long limit) {
        if (limit == 0) {
            return Long.MAX_VALUE;
        }
        return Quota.isAbove(used, limit) ? 0 : limit - used;
    }

    private long copies(long ino) {
        Namespace state = namespace.get();
        Inode inode = state.inode(ino);
        Layout layout = inode == null ? null : inode.layout();
        ClusterMap map = state.clusterMap();
        return layout == null || !layout.hasPool()
                ? state.standardReplicas()
                : Math.max(1, map.copies(layout));
    }

    private static Grant grant(List<LimitedAccount> limiting, Growth growth, long copies) {
        long stored = Math.min(growth.storedBytes(), Long.MAX_VALUE / copies);
        return new Grant(accounts(limiting), new Sums(0, growth.lengthBytes(), stored * copies));
    }

    private static Set<Account> accounts(List<LimitedAccount> limiting) {
        return limiting.stream().map(LimitedAccount::account).collect(Collectors.toSet());
    }

    /** Fails with EDQUOT where nobody can have been allowed so much: sums stay below 2^63. */
    private void hold(long session, long ino, Grant grant) {
        for (Account account : grant.accounts) {
            Sums all = totals.getOrDefault(account, Sums.ZERO).plus(grant.sums);
            if (all.lengthBytes() < 0 || all.spaceBytes() < 0) {
                throw new FsException(Errno.EDQUOT, "nobody was allowed so much");
            }
        }
        if (grantCount >= sweptAt) {
            sweep();
            sweptAt = Math.max(MIN_SWEPT, 2 * grantCount);
        }
        grants.computeIfAbsent(ino, _ -> new HashMap<>()).put(session, grant);
        bySession.computeIfAbsent(session, _ -> new HashSet<>()).add(ino);
        grantCount++;
        grant.accounts.forEach(account -> totals.merge(account, grant.sums, Sums::plus));
    }

    /** Takes back what sessions hold that are no more. */
    private void sweep() {
        for (long session : List.copyOf(bySession.keySet())) {
            if (!isLive.test(session)) {
                ended(session);
            }
        }
    }

    /**
     * What clients hear of the quotas: changes when they have to ask again, for all files or for
     * some; 0 without any quota.
     */
    public synchronized long version() {
        long quotas = namespace.get().accounts().quotaVersion();
        if (quotas == 0) {
            return 0;
        }
        forgetOtherTerms();
        long version = (quotas * MIX + term) * MIX + recalls;
        return version == 0 ? 1 : version;
    }

    /** Notices as they are sent: with the version, and to those who write under other quotas. */
    public List<Notice> addressed(List<Notice> notices) {
        if (notices.stream().noneMatch(each -> each.push() instanceof Push.QuotasChanged)) {
            return notices;
        }
        List<Notice> addressed = new ArrayList<>();
        for (Notice notice : notices) {
            if (notice.session() == Notice.WRITERS) {
                Set<Long> writers = moved(notice.ino());
                Push push = new Push.QuotasChanged(version());
                writers.forEach(session -> addressed.add(new Notice(session, push)));
            } else if (notice.push() instanceof Push.QuotasChanged) {
                changed();
                addressed.add(new Notice(notice.session(), new Push.QuotasChanged(version())));
            } else {
                addressed.add(notice);
            }
        }
        return addressed;
    }

    /** Whoever asked while the change was under way was answered by the quotas of before. */
    private synchronized void changed() {
        recalls++;
    }

    /**
     * An inode counts for other accounts, with all below it.
     *
     * @return the sessions that were allowed something there which these accounts did not allow;
     *     they have to ask again
     */
    synchronized Set<Long> moved(long ino) {
        forgetOtherTerms();
        Set<Long> sessions = new HashSet<>();
        Inode inode = grants.isEmpty() ? null : namespace.get().inode(ino);
        if (inode == null) {
            return sessions;
        }
        if (!inode.attributes().isDirectory()) {
            addOutdated(sessions, ino);
        } else if (grants.size() <= MAX_LOOKED) {
            grants.keySet().forEach(each -> addOutdated(sessions, each));
        } else {
            grants.values().forEach(each -> sessions.addAll(each.keySet()));
        }
        recalls += sessions.isEmpty() ? 0 : 1;
        return sessions;
    }

    private void addOutdated(Set<Long> sessions, long ino) {
        Map<Long, Grant> held = grants.get(ino);
        if (held == null || sessions.containsAll(held.keySet())) {
            return;
        }
        Set<Account> limiting = accounts(namespace.get().accounts().limiting(ino));
        held.forEach(
                (session, grant) -> {
                    if (!grant.accounts.containsAll(limiting)) {
                        sessions.add(session);
                    }
                });
    }

    /**
     * Answers a session; {@link #take}. ENOSPC when the room asked for is not there.
     *
     * @param disks bytes that fit on the disks of a layout
     */
    public Reply answer(long session, Query.GetAllowance m, ToLongFunction<Layout> disks) {
        try {
            Growth growth = takeLive(session, m);
            requireDisks(session, m, disks);
            return new Reply.AllowanceReply(growth);
        } catch (FsException e) {
            return new Reply.Failure(e.errno(), String.valueOf(e.getMessage()));
        }
    }

    /** With the lock, so that nothing is held for a session after {@link #ended}. */
    private synchronized Growth takeLive(long session, Query.GetAllowance m) {
        if (!isLive.test(session)) {
            throw new FsException(Errno.NO_SESSION, "session " + session + " is not open");
        }
        if (m.held().isImpossible() || m.wanted().isImpossible()) {
            throw new FsException(Errno.EINVAL, "a file that grows by less than nothing");
        }
        return take(session, m);
    }

    private void requireDisks(long session, Query.GetAllowance m, ToLongFunction<Layout> disks) {
        long bytes = m.roomBytes();
        Inode inode = bytes > 0 ? namespace.get().inode(m.ino()) : null;
        Layout layout = inode == null ? null : inode.layout();
        if (layout == null) {
            return;
        }
        long free = disks.applyAsLong(layout);
        if (bytes > free) {
            // Refused, it writes none of what it was just allowed.
            var _ = takeLive(session, new Query.GetAllowance(m.ino(), m.held(), Growth.NONE, 0));
            throw new FsException(
                    Errno.ENOSPC,
                    bytes + " bytes asked for, " + free + " are free on the disks of the file");
        }
    }

    /** Answers with the room that an inode has. */
    public Reply answer(Query.GetRoom m, Usage whole) {
        return new Reply.UsageReply(room(m.ino(), whole));
    }

    /** Something was answered. Where it was refused nothing was committed: all stays allowed. */
    public void follow(Envelope envelope, Reply reply) {
        if (reply instanceof Reply.Failure) {
            return;
        }
        long ino = committed(envelope.mutation().unwrapped());
        if (ino != 0) {
            giveBack(envelope.session(), ino);
        }
    }

    /** The inode for which all was committed that a session wrote; 0 if there is none. */
    private static long committed(Mutation mutation) {
        return switch (mutation) {
            case ContentMutation m -> committed(m);
            case TreeMutation m -> m instanceof TreeMutation.WriteAndSet w ? w.write().ino() : 0;
            case SharingMutation _,
                    SessionMutation _,
                    Numbered _,
                    HostMutation _,
                    LeaderMutation _ ->
                    0;
        };
    }

    private static long committed(ContentMutation mutation) {
        return switch (mutation) {
            case ContentMutation.CommitSize m -> m.ino();
            case ContentMutation.Spill m -> m.ino();
            case ContentMutation.WriteInline m -> m.ino();
            case ContentMutation.CloneDone _,
                    ContentMutation.SwapContents _,
                    ContentMutation.RenewTail _,
                    ContentMutation.TakeDetour _,
                    ContentMutation.TakePartialDetour _,
                    ContentMutation.RenewChunks _,
                    ContentMutation.MoveChunks _ ->
                    0;
        };
    }

    /** A session has ended: what it has not committed is given up. */
    public synchronized void ended(long session) {
        for (long ino : List.copyOf(bySession.getOrDefault(session, Set.of()))) {
            giveBack(session, ino);
        }
    }

    /** A session closed files. */
    public void giveBack(long session, long[] inos) {
        for (long ino : inos) {
            giveBack(session, ino);
        }
    }

    /** A session has committed a file, or closed it. */
    synchronized void giveBack(long session, long ino) {
        Map<Long, Grant> held = grants.get(ino);
        Grant grant = held == null ? null : held.remove(session);
        if (held == null || grant == null) {
            return;
        }
        grantCount--;
        if (held.isEmpty()) {
            grants.remove(ino);
        }
        Set<Long> others = bySession.get(session);
        if (others != null && others.remove(ino) && others.isEmpty()) {
            bySession.remove(session);
        }
        for (Account account : grant.accounts) {
            Sums left = totals.getOrDefault(account, Sums.ZERO).minus(grant.sums);
            if (left.isZero()) {
                totals.remove(account);
            } else {
                totals.put(account, left);
            }
        }
    }

    /**
     * The room for an inode: the whole, or that of the tightest directory above it.
     *
     * @param whole of the filesystem
     */
    Usage room(long ino, Usage whole) {
        Namespace state = namespace.get();
        return new DirectoryRoom(Math.max(1, state.standardReplicas()), wallNs.getAsLong())
                .of(whole, state.accounts().limiting(ino));
    }
}
