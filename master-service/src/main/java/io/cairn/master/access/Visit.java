package io.cairn.master.access;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.trash.TrashRecord;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The decisions about one request, by the rules of its client. Each method throws EACCES for what
 * is outside of all trees, EROFS for a change of a read-only one, and EPERM for a denied operation.
 * For one thread.
 */
public final class Visit {
    private final Namespace namespace;
    private final MountAdmission.Sessions sessions;
    private final Client client;
    private final List<MountRule> rules;

    /** Of the rule that let the request on; null when that replaces nobody. */
    private @Nullable MappedRights rights;

    /**
     * Who asks.
     *
     * @param asksUser whether no rule is for it before it has logged in
     */
    record Client(MountClient known, boolean asksUser) {
        String owner() {
            return known.owner();
        }

        /** What its rule needs besides. */
        private String forUser() {
            String user = known.user();
            return user == null || !known.hasPasswordOnly() ? "" : " RULE --user " + user;
        }

        /** That no rule is for it. */
        String refusal() {
            return asksUser
                    ? "mount rules let %s in with a user and its password: mount with -o user=NAME"
                            .formatted(owner())
                    : "no mount rule lets %s in: ask for one (cairn exports add%s)"
                            .formatted(owner(), forUser());
        }
    }

    Visit(
            Namespace namespace,
            MountAdmission.Sessions sessions,
            Client client,
            List<MountRule> rules) {
        this.namespace = namespace;
        this.sessions = sessions;
        this.client = client;
        this.rules = rules;
    }

    /**
     * Lets a mutation on, with the owners that the rules give to what it makes.
     *
     * @return the same one when nothing was replaced
     */
    public Envelope admit(Envelope asked) {
        Mutation mutation = asked.mutation();
        if (mutation instanceof SessionMutation.OpenSession) {
            open();
            return asked;
        }
        Needs needs = needs(mutation);
        MountRule first = null;
        for (long ino : needs.inos()) {
            MountRule rule = require(asked.session(), ino);
            first = first == null ? rule : first;
            requireChange(rule, needs);
            if (needs.isChange()) {
                requireThere(asked, ino);
            }
            if (rule.mapping().isNeeded()) {
                MappedRights own = new MappedRights(namespace, rule.mapping());
                own.require(mutation);
                rights = rights == null ? own : rights;
            }
        }
        if (needs.isWide()) {
            requireWhole();
        }
        requireAsSaid(asked);
        if (first == null) {
            return asked;
        }
        Mutation mapped = MappedOwners.of(mutation, first.mapping());
        return mapped.equals(mutation)
                ? asked
                : new Envelope(
                        asked.version(),
                        asked.session(),
                        asked.sequence(),
                        asked.ackedUpTo(),
                        asked.timeNs(),
                        mapped);
    }

    /**
     * What is not there yet belongs to no tree, and may be in any when the log comes to the
     * mutation. One that was done already only gets the answer that it had.
     */
    private void requireThere(Envelope asked, long ino) {
        if (namespace.inode(ino) == null
                && !PastInode.isPast(ino)
                && !namespace.hasReply(asked.session(), asked.sequence())) {
            throw new FsException(Errno.ESTALE, "inode " + ino + " is gone");
        }
    }

    private Needs needs(Mutation mutation) {
        Needs needs = Needs.of(mutation);
        if (mutation.unwrapped() instanceof ContentMutation.SwapContents m) {
            Inode one = namespace.inode(m.ino());
            Inode other = namespace.inode(m.otherIno());
            return one == null || other == null ? needs : needs.ofSwap(one, other);
        }
        return needs;
    }

    /** What an exchange changes was judged by the versions of now: it is of these or of none. */
    private void requireAsSaid(Envelope asked) {
        if (asked.mutation().unwrapped() instanceof ContentMutation.SwapContents m
                && !(isVersion(m.ino(), m.version()) && isVersion(m.otherIno(), m.otherVersion()))
                && !namespace.hasReply(asked.session(), asked.sequence())) {
            throw new FsException(
                    Errno.ESTALE,
                    "inode %d or %d has another version".formatted(m.ino(), m.otherIno()));
        }
    }

    private boolean isVersion(long ino, long version) {
        Inode inode = namespace.inode(ino);
        return inode != null && inode.attributes().version() == version;
    }

    private void requireChange(MountRule rule, Needs needs) {
        if (needs.isChange() && rule.readOnly()) {
            throw new FsException(
                    Errno.EROFS, "mount rule '%s' is read-only".formatted(rule.text()));
        }
        for (Operation operation : needs.operations()) {
            if (rule.denied().contains(operation)) {
                throw new FsException(
                        Errno.EPERM,
                        "mount rule '%s' denies %s".formatted(rule.text(), operation.word()));
            }
        }
    }

    /** Whether some rule lets its client change contents of files. */
    boolean mayWrite() {
        return firstOf(
                        rule ->
                                !rule.readOnly()
                                        && !(rule.denied().contains(Operation.WRITE)
                                                && rule.denied().contains(Operation.TRUNCATE)))
                != null;
    }

    /** The first of some rules that decides about any file; null when none does. */
    private @Nullable MountRule firstOf(Predicate<MountRule> kind) {
        for (int i = 0; i < rules.size(); i++) {
            MountRule rule = rules.get(i);
            // All files of a tree below the one of an earlier rule belong to that.
            if (kind.test(rule) && rules.subList(0, i).stream().noneMatch(rule::isWithin)) {
                return rule;
            }
        }
        return null;
    }

    private void requireLetIn() {
        if (rules.isEmpty()) {
            throw new FsException(Errno.EACCES, client.refusal());
        }
    }

    private void open() {
        requireLetIn();
        MountRule full = sessions.begin(client.known(), rules);
        if (full != null) {
            throw new FsException(
                    Errno.EACCES,
                    "mount rule '%s' allows %d sessions, and there are as many; one that is gone"
                                    .formatted(full.text(), full.sessions())
                            + " ends with its lease");
        }
    }

    /**
     * Lets a query on.
     *
     * @return the same one, or of a list of open inodes those that may be held open
     */
    public Query admit(long session, Query query) {
        switch (query) {
            case Query.GetUsage _,
                    Query.GetMap _,
                    Query.GetStatus _,
                    Query.Release _,
                    Query.OfLogin _ -> {}
            case Query.KeepAlive m -> {
                return held(session, m);
            }
            case Query.GetTicket _ -> requireLetIn();
            case Query.Lookup m -> {
                if (!leads(m.parentIno(), m.name())) {
                    read(session, m.parentIno(), query);
                }
            }
            case Query.GetInode m -> {
                if (!isOnWay(m.ino())) {
                    read(session, m.ino(), query);
                }
            }
            case Query.ReadDirectory m -> read(session, m.ino(), query);
            case Query.LookupMany m -> read(session, m.parentIno(), query);
            case Query.GetXattr m -> read(session, m.ino(), query);
            case Query.ListXattr m -> read(session, m.ino(), query);
            case Query.TestLock m -> read(session, m.ino(), query);
            case Query.TestHostLock m -> read(session, m.ino(), query);
            case Query.Open m -> read(session, m.ino(), query);
            case Query.GetPath m -> read(session, m.ino(), query);
            case Query.CheckTail m -> read(session, m.ino(), query);
            case Query.GetAllowance m -> {
                // What one is allowed to write is missing to others under the same quota.
                Needs needs = new Needs(List.of(m.ino()), Set.of(), true, false);
                requireChange(read(session, m.ino(), query), needs);
            }
            case Query.GetRoom m -> {
                if (!isOnWay(m.ino())) {
                    require(session, m.ino());
                }
            }
            case Query.HoldStill m -> {
                MountRule rule = read(session, m.ino(), query);
                Needs needs = new Needs(List.of(m.ino()), Set.of(Operation.WRITE), true, false);
                requireChange(rule, needs);
            }
            case Query.ListHosts _ -> requireWhole();
        }
        return query;
    }

    private MountRule read(long session, long ino, Query query) {
        MountRule rule = require(session, ino);
        if (rule.mapping().isNeeded()) {
            requirePresent(ino);
            rights = new MappedRights(namespace, rule.mapping());
            rights.require(query);
        }
        return rule;
    }

    /** Whether users were replaced in the request, so that its reply may tell too much. */
    boolean isMapped() {
        return rights != null;
    }

    /** The reply to what was let on, without contents that its users may not read. */
    public Reply told(Reply reply) {
        if (rights == null || !(reply instanceof Reply.EntryReply entry)) {
            return reply;
        }
        return new Reply.EntryReply(
                rights.readable(entry.inode()),
                entry.parent(),
                entry.otherParent(),
                entry.replaced(),
                entry.before());
    }

    private void requireWhole() {
        if (rules.stream().noneMatch(MountRule::isWhole)) {
            throw new FsException(
                    Errno.EACCES,
                    "locks of NFS machines need a mount rule for / of " + client.owner());
        }
    }

    private Query.KeepAlive held(long session, Query.KeepAlive alive) {
        if (rules.stream().anyMatch(MountRule::isWhole) || alive.openInos().length == 0) {
            return alive;
        }
        long[] allowed =
                Arrays.stream(alive.openInos())
                        .filter(ino -> isUnnamed(ino) || find(session, ino) != null)
                        .toArray();
        return new Query.KeepAlive(alive.reconnected(), allowed);
    }

    /** Where a file was that has no name any more, nobody knows; of the trash it is known. */
    private boolean isUnnamed(long ino) {
        if (PastInode.isPast(ino)) {
            return false;
        }
        Inode inode = namespace.inode(ino);
        return inode == null
                || inode.attributes().nlink() == 0
                || isTrashed(inode) && wasInTree(ino);
    }

    /** Whether the name of a file was removed, and it is in the trash. */
    private static boolean isTrashed(Inode inode) {
        return !inode.attributes().isDirectory() && TrashPlace.isDirectory(inode.parentIno());
    }

    /** Whether a file in the trash was in the tree of a rule. */
    private boolean wasInTree(long ino) {
        TrashRecord record = namespace.trashed(ino);
        return record != null
                && rules.stream().anyMatch(rule -> isWithin(record.path(), rule.path()));
    }

    private static boolean isWithin(byte[] path, List<Name> above) {
        int at = 0;
        for (Name name : above) {
            int end = at + 1 + name.length();
            if (end > path.length
                    || path[at] != '/'
                    || !Arrays.equals(path, at + 1, end, name.bytes(), 0, name.length())) {
                return false;
            }
            at = end;
        }
        return at == path.length || path[at] == '/';
    }

    /** Whether a lookup goes from the root towards the tree of a rule. */
    private boolean leads(long parentIno, Name name) {
        for (MountRule rule : rules) {
            int at = namespace.trail(rule.path()).indexOf(parentIno);
            if (at >= 0 && at < rule.path().size() && rule.path().get(at).equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a directory is on the way from the root to the tree of a rule. */
    private boolean isOnWay(long ino) {
        return rules.stream().anyMatch(rule -> namespace.trail(rule.path()).contains(ino));
    }

    private MountRule require(long session, long ino) {
        MountRule rule = find(session, ino);
        if (rule == null) {
            throw new FsException(
                    Errno.EACCES,
                    rules.isEmpty()
                            ? "no mount rule lets %s in".formatted(client.owner())
                            : "inode %d is in no tree that a mount rule opens to %s"
                                    .formatted(ino, client.owner()));
        }
        return rule;
    }

    /** The rule that an inode belongs to, or null. */
    private @Nullable MountRule find(long session, long ino) {
        for (MountRule rule : rules) {
            if (rule.isWhole() || covers(rule, ino)) {
                return rule;
            }
        }
        if (PastInode.isPast(ino)) {
            return null; // a snapshot has inodes of the whole tree
        }
        Inode inode = rules.isEmpty() ? null : namespace.inode(ino);
        boolean isGone = inode == null && !rules.isEmpty();
        boolean isHeld =
                inode != null
                        && (inode.attributes().nlink() == 0 || isTrashed(inode))
                        && sessions.holds(session, ino);
        // What is gone is refused as such; what has lost its name is opened by those who held it.
        return isGone || isHeld ? widest() : null;
    }

    /** Snapshots show who could read what then: mapped users are not in there. */
    private static void requirePresent(long ino) {
        if (PastInode.isPast(ino)) {
            throw new FsException(
                    Errno.EACCES, "mounts whose users are mapped do not see snapshots");
        }
    }

    private MountRule widest() {
        MountRule writing = firstOf(rule -> !rule.readOnly());
        return writing == null ? rules.getFirst() : writing;
    }

    private boolean covers(MountRule rule, long ino) {
        List<Long> trail = namespace.trail(rule.path());
        return trail.size() > rule.path().size() && namespace.isBelow(ino, trail.getLast());
    }
}
