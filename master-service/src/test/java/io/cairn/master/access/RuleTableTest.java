package io.cairn.master.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.master.access.RuleSamples.Place;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.TreeMutation;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every mutation and query of clients against each kind of mount rule. Whoever adds one gives it a
 * row here, which the compiler asks for, and a sample in {@link RuleSamples}.
 */
class RuleTableTest {
    private static final int USER = 7;
    private static final String ALL = "/ 10.0.0.0/8(rw,mapall=7)";
    private static final String ROOT = "/ 10.0.0.0/8(rw,maproot=7)";
    private static final MountClient LIAR = new MountClient("10.0.0.66", null);

    private final Namespace namespace = new Namespace(new MemoryStore());
    private final MountAdmission gate = new MountAdmission(() -> namespace, new NothingHeld());
    private long session;
    private long sequence;
    private long index;

    /** A directory and files of root that nobody else may read. */
    private Place closed = new Place(0, 0, 0, 0, 0, 0);

    /** No session holds anything open. */
    private static final class NothingHeld implements MountAdmission.Sessions {
        @Override
        public boolean holds(long session, long ino) {
            return false;
        }

        @Override
        public @Nullable MountRule begin(MountClient owner, List<MountRule> rules) {
            return null;
        }
    }

    /**
     * What becomes of a request; null when it is let on.
     *
     * @param outside of the tree of the rule
     * @param readOnly in a read-only tree
     * @param mapped where the users are replaced, who have no right there
     * @param denied the operations of which each alone refuses it with EPERM
     */
    private record Row(
            @Nullable Errno outside,
            @Nullable Errno readOnly,
            @Nullable Errno mapped,
            Set<Operation> denied) {}

    private static Row change(Errno mapped, Operation denied) {
        return new Row(Errno.EACCES, Errno.EROFS, mapped, EnumSet.of(denied));
    }

    private static Row read(@Nullable Errno mapped) {
        return new Row(Errno.EACCES, null, mapped, Set.of());
    }

    private static Row lock() {
        return new Row(Errno.EACCES, null, Errno.EACCES, EnumSet.of(Operation.LOCK));
    }

    /** It concerns the session alone, or tells what every mount may know. */
    private static Row free() {
        return new Row(null, null, null, Set.of());
    }

    private static Row row(Mutation mutation) {
        return switch (mutation) {
            case TreeMutation.Create _, TreeMutation.CreateUnnamed _ ->
                    change(Errno.EACCES, Operation.CREATE);
            case TreeMutation.Mkdir _ -> change(Errno.EACCES, Operation.MKDIR);
            case TreeMutation.Symlink _ -> change(Errno.EACCES, Operation.SYMLINK);
            case TreeMutation.Link _ -> change(Errno.EACCES, Operation.LINK);
            case TreeMutation.Unlink _ -> change(Errno.EACCES, Operation.UNLINK);
            case TreeMutation.Rmdir _ -> change(Errno.EACCES, Operation.RMDIR);
            case TreeMutation.Rename _ -> change(Errno.EACCES, Operation.RENAME);
            case TreeMutation.SetAttributes _ -> change(Errno.EPERM, Operation.CHMOD);
            case TreeMutation.WriteAndSet _ ->
                    new Row(
                            Errno.EACCES,
                            Errno.EROFS,
                            Errno.EACCES,
                            EnumSet.of(Operation.WRITE, Operation.CHMOD));
            case TreeMutation.SetXattr _, TreeMutation.ReplaceXattr _, TreeMutation.RemoveXattr _ ->
                    change(Errno.EACCES, Operation.XATTR);
            case TreeMutation.SetPolicy _ -> change(Errno.EPERM, Operation.POLICY);
            case TreeMutation.Witnessed m -> row(m.mutation());
            case ContentMutation.WriteInline _,
                    ContentMutation.CommitSize _,
                    ContentMutation.Spill _,
                    ContentMutation.CloneDone _,
                    ContentMutation.SwapContents _,
                    ContentMutation.RenewTail _,
                    ContentMutation.TakeDetour _,
                    ContentMutation.TakePartialDetour _,
                    ContentMutation.RenewChunks _,
                    ContentMutation.MoveChunks _,
                    ContentMutation.SharingMutation _ ->
                    change(Errno.EACCES, Operation.WRITE);
            case MakeFile _ ->
                    new Row(
                            Errno.EACCES,
                            Errno.EROFS,
                            Errno.EPERM,
                            EnumSet.of(Operation.CREATE, Operation.WRITE, Operation.CHMOD));
            case SessionMutation.MakeDirectory _ -> change(Errno.EPERM, Operation.MKDIR);
            case SessionMutation.RemoveEarly _ -> change(Errno.EPERM, Operation.UNLINK);
            case SessionMutation.SetLock _, HostMutation.SetHostLock _ -> lock();
            case SessionMutation.CancelLock _,
                    SessionMutation.ReleaseLocks _,
                    SessionMutation.ReserveNumbers _,
                    SessionMutation.OpenSession _,
                    SessionMutation.CloseSession _ ->
                    free();
            case HostMutation.CancelHostLock _,
                    HostMutation.ReleaseHost _,
                    HostMutation.TakeNotifyState _ ->
                    read(null);
            case LeaderMutation _ -> throw new AssertionError("no client may ask for this");
        };
    }

    private static Row row(Query query) {
        return switch (query) {
            case Query.GetUsage _,
                    Query.GetMap _,
                    Query.GetStatus _,
                    Query.GetTicket _,
                    Query.Release _,
                    Query.KeepAlive _,
                    Query.BeginLogin _,
                    Query.FinishLogin _ ->
                    free();
            case Query.Lookup _,
                    Query.LookupMany _,
                    Query.ReadDirectory _,
                    Query.GetXattr _,
                    Query.Open _,
                    Query.TestLock _,
                    Query.TestHostLock _ ->
                    read(Errno.EACCES);
            case Query.GetInode _,
                    Query.ListXattr _,
                    Query.GetPath _,
                    Query.CheckTail _,
                    Query.GetRoom _,
                    Query.ListHosts _ ->
                    read(null);
            case Query.HoldStill _ -> change(Errno.EACCES, Operation.WRITE);
            case Query.GetAllowance _ -> new Row(Errno.EACCES, Errno.EROFS, Errno.EACCES, Set.of());
        };
    }

    @BeforeEach
    void makeFiles() {
        apply(new Envelope(0, 0, 0, 1, new LeaderMutation.Found(77, 2, 4096)));
        Reply opened = apply(new Envelope(0, 1000, 0, 1, new SessionMutation.OpenSession("test")));
        session = assertInstanceOf(Reply.SessionReply.class, opened).session();
        var _ = mkdir("open", 0);
        closed = place("closed", 0);
    }

    private Place place(String name, int uid) {
        long directory = mkdir(name, uid);
        long file = change(RuleSamples.creation(directory, "file", uid));
        long other = change(RuleSamples.creation(directory, "other", uid));
        return new Place(directory, file, other, version(file), version(other), session);
    }

    private long mkdir(String name, int uid) {
        return change(new TreeMutation.Mkdir(FileSystem.ROOT_INO, Name.of(name), 0700, uid, uid));
    }

    private Reply apply(Envelope envelope) {
        byte[] entry = new Encoder().bytes(envelope.toBytes()).toBytes();
        return namespace.apply(1, ++index, entry).outcomes().getFirst().reply();
    }

    private Envelope envelope(Mutation mutation) {
        sequence++;
        return new Envelope(session, sequence, sequence - 1, 1, mutation);
    }

    private long change(Mutation mutation) {
        Reply reply = apply(envelope(mutation));
        return assertInstanceOf(Reply.EntryReply.class, reply, reply.toString()).inode().ino();
    }

    private void rule(String line) {
        byte[] value = MountRules.of(List.of(MountRule.parse(line))).encode();
        var record = new RecordChange(MountRules.RECORD, RecordChange.ANY, value);
        apply(new Envelope(0, 0, 0, 1, new LeaderMutation.ChangeRecords(List.of(record))));
    }

    private interface Asking {
        void ask();
    }

    private static @Nullable Errno errnoOf(Asking asking) {
        try {
            asking.ask();
            return null;
        } catch (FsException e) {
            return e.errno();
        }
    }

    private Visit visit() {
        return Objects.requireNonNull(gate.visit(LIAR));
    }

    private void expect(@Nullable Errno errno, Mutation mutation) {
        Envelope asked = envelope(mutation);
        assertEquals(errno, errnoOf(() -> visit().admit(asked)), mutation.toString());
    }

    private void expect(@Nullable Errno errno, Query query) {
        assertEquals(errno, errnoOf(() -> visit().admit(session, query)), query.toString());
    }

    @Test
    void thereIsASampleOfEachRequest() {
        Set<Class<?>> sampled = new HashSet<>();
        RuleSamples.mutations(closed).forEach(each -> sampled.add(each.getClass()));
        RuleSamples.queries(closed).forEach(each -> sampled.add(each.getClass()));
        Set<Class<?>> all = new HashSet<>();
        addLeaves(Mutation.class, all);
        addLeaves(Query.class, all);
        all.removeIf(LeaderMutation.class::isAssignableFrom);
        assertEquals(all, sampled, "RuleSamples lacks some");
    }

    private static void addLeaves(Class<?> sealed, Set<Class<?>> leaves) {
        for (Class<?> each : sealed.getPermittedSubclasses()) {
            if (each.isInterface()) {
                addLeaves(each, leaves);
            } else {
                leaves.add(each);
            }
        }
    }

    @Test
    void aRuleForOneTreeOpensNoOther() {
        rule("/open 10.0.0.0/8(rw)");
        RuleSamples.mutations(closed).forEach(each -> expect(row(each).outside(), each));
        RuleSamples.queries(closed).forEach(each -> expect(row(each).outside(), each));
    }

    @Test
    void aReadOnlyRuleLetsNothingChange() {
        rule("/ 10.0.0.0/8(ro)");
        RuleSamples.mutations(closed).forEach(each -> expect(row(each).readOnly(), each));
        RuleSamples.queries(closed).forEach(each -> expect(row(each).readOnly(), each));
    }

    @Test
    void replacedUsersHaveTheirOwnRightsOnly() {
        for (String line : List.of(ALL, ROOT)) {
            rule(line);
            RuleSamples.mutations(closed).forEach(each -> expect(row(each).mapped(), each));
            RuleSamples.queries(closed).forEach(each -> expect(row(each).mapped(), each));
        }
    }

    @Test
    void eachDeniedOperationRefusesWhatDoesItAndNothingElse() {
        for (Operation operation : Operation.values()) {
            rule("/ 10.0.0.0/8(rw,deny=%s)".formatted(operation.word()));
            for (Mutation each : RuleSamples.mutations(closed)) {
                expect(errno(row(each), operation), each);
            }
            for (Query each : RuleSamples.queries(closed)) {
                expect(errno(row(each), operation), each);
            }
        }
    }

    private static @Nullable Errno errno(Row row, Operation operation) {
        return row.denied().contains(operation) ? Errno.EPERM : null;
    }

    @Test
    void aRuleForEverythingRefusesNothing() {
        rule("/ 10.0.0.0/8(rw)");
        RuleSamples.mutations(closed).forEach(each -> expect(null, each));
        RuleSamples.queries(closed).forEach(each -> expect(null, each));
    }

    @Test
    void aRuleOfOthersOpensNothing() {
        rule("/ 192.168.0.0/16(rw)");
        for (Mutation each : RuleSamples.mutations(closed)) {
            boolean isOpening = each instanceof SessionMutation.OpenSession;
            expect(isOpening ? Errno.EACCES : row(each).outside(), each);
        }
        for (Query each : RuleSamples.queries(closed)) {
            boolean isTicket = each instanceof Query.GetTicket;
            expect(isTicket ? Errno.EACCES : row(each).outside(), each);
        }
    }

    /** With the owner in his name, who could write: the flag alone is in the way. */
    @Test
    void replacedUsersChangeNoProtectedContents() {
        Place own = place("own", USER);
        List<ContentMutation> contents =
                RuleSamples.mutations(own).stream()
                        .filter(ContentMutation.class::isInstance)
                        .map(ContentMutation.class::cast)
                        .toList();
        for (String line : List.of(ALL, ROOT)) {
            rule(line);
            for (ContentMutation each : contents) {
                if (!(each instanceof ContentMutation.SwapContents)) {
                    expect(null, each);
                }
            }
            expect(null, swap(own));
            protect(own, Attributes.APPEND, Attributes.APPEND);
            expect(Errno.EPERM, swap(own));
            protect(own, Attributes.APPEND, 0);
            protect(own, Attributes.IMMUTABLE, Attributes.IMMUTABLE);
            for (ContentMutation each : contents) {
                assertEquals(Errno.EPERM, outcome(each), each.toString());
            }
            protect(own, Attributes.IMMUTABLE, 0);
        }
    }

    private void protect(Place place, int mask, int flags) {
        AttributeChange change = AttributeChange.NONE.withFlags(mask, flags);
        change(new TreeMutation.SetAttributes(place.file(), change));
    }

    /** Of the gate, or of what lies behind it. */
    private @Nullable Errno outcome(Mutation mutation) {
        Envelope asked = envelope(mutation);
        Errno refused = errnoOf(() -> visit().admit(asked));
        if (refused != null) {
            return refused;
        }
        return apply(asked) instanceof Reply.Failure failure ? failure.errno() : null;
    }

    private ContentMutation.SwapContents swap(Place place) {
        return new ContentMutation.SwapContents(
                place.file(), version(place.file()), place.other(), version(place.other()));
    }

    private long version(long ino) {
        return Objects.requireNonNull(namespace.inode(ino)).attributes().version();
    }

    @Test
    void anExchangeOfContentsIsNoWayAroundDeniedOperations() {
        String line = "/ 10.0.0.0/8(rw,deny=%s)";
        change(new TreeMutation.SetPolicy(closed.other(), new Policy(2, 16, -1)));
        rule(line.formatted("policy"));
        expect(Errno.EPERM, swap(closed));
        rule(line.formatted("truncate"));
        expect(null, swap(closed));
        AttributeChange size = AttributeChange.NONE.withSize(5);
        change(new TreeMutation.SetAttributes(closed.file(), size));
        expect(Errno.EPERM, swap(closed));
        rule(line.formatted("write"));
        expect(Errno.EPERM, swap(closed));
        rule(line.formatted("chmod"));
        expect(null, swap(closed));
        // Judged by what the files are now, it must not be done to what they are later.
        long next = version(closed.file()) + 1;
        expect(
                Errno.ESTALE,
                new ContentMutation.SwapContents(
                        closed.file(), next, closed.other(), version(closed.other())));
    }
}
