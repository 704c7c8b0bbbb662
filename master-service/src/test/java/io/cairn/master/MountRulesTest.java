package io.cairn.master;

import static io.cairn.master.MountRequests.bytes;
import static io.cairn.master.MountRequests.creation;
import static io.cairn.master.MountRequests.lock;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.LockHost;
import io.cairn.fs.Name;
import io.cairn.master.access.MountRule;
import io.cairn.master.access.MountRules;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.net.Principal;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client that speaks the protocol by itself, and lies: what the rules of mounts let it do. */
class MountRulesTest {
    private static final String LIAR = "10.0.0.66";
    private static final int USER = 1000;
    private static final LockHost HOST = new LockHost("a", "10.0.0.9");

    private final HandScheduler time = new HandScheduler();
    private final LoneTransport transport = new LoneTransport();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final LoneTransport.Peer here = new LoneTransport.Peer("127.0.0.1");
    private final LoneTransport.Peer liar = new LoneTransport.Peer(LIAR);
    private MasterService master;
    private long number;
    private long own;
    private long forged;
    private long open;
    private long closed;
    private long secret;

    @BeforeEach
    void start() {
        ClusterSettings cluster = new ClusterSettings(1, 1, 2_000, 3_000);
        master =
                new MasterService(
                        new MasterSettings("m1", new Endpoint("here", 1), cluster, 4096, 15_000),
                        new MasterService.Context(
                                log, () -> namespace, transport, time, time, new Random(1)));
        log.listener = master::tell;
        time.pass(500);
        own = session(here);
        open = mkdir(FileSystem.ROOT_INO, "open");
        closed = mkdir(FileSystem.ROOT_INO, "closed");
        secret = entry(change(here, own, creation(closed, "secret", 0))).ino();
        // Its maker knows all names of a directory: nobody is to wait for it.
        change(here, own, new SessionMutation.CloseSession(own));
        own = session(here);
        forged = session(liar);
        rules("/open 10.0.0.0/8(rw)");
    }

    private long session(LoneTransport.Peer peer) {
        Reply opened = change(peer, 0, new SessionMutation.OpenSession("test"));
        return assertInstanceOf(Reply.SessionReply.class, opened).session();
    }

    /** These, and one for this machine. */
    private void rules(String... lines) {
        List<MountRule> rules = new ArrayList<>(List.of(MountRule.parse("/ 127.0.0.1(rw)")));
        Arrays.stream(lines).map(MountRule::parse).forEach(rules::add);
        byte[] value = MountRules.of(rules).encode();
        var record = new RecordChange(MountRules.RECORD, RecordChange.ANY, value);
        Reply stored = master.submit(new LeaderMutation.ChangeRecords(List.of(record))).join();
        assertInstanceOf(Reply.Done.class, stored);
    }

    private Reply change(LoneTransport.Peer peer, long session, Mutation mutation) {
        byte[] frame = MasterRequest.mutation(new Envelope(session, ++number, 0, 0, mutation));
        return Reply.decode(new Decoder(transport.ask(peer, frame)));
    }

    private Reply ask(LoneTransport.Peer peer, long session, Query query) {
        return Reply.decode(
                new Decoder(transport.ask(peer, MasterRequest.query(session, query, 1))));
    }

    private void refused(Errno errno, Mutation mutation) {
        Reply reply = change(liar, forged, mutation);
        var failure = assertInstanceOf(Reply.Failure.class, reply, mutation.toString());
        assertEquals(errno, failure.errno(), mutation.toString());
    }

    private void refused(Errno errno, Query query) {
        String text = query.toString();
        var refusal = assertThrows(FsException.class, () -> ask(liar, forged, query), text);
        assertEquals(errno, refusal.errno(), text);
    }

    private Reply does(Mutation mutation) {
        Reply reply = change(liar, forged, mutation);
        assertTrue(!(reply instanceof Reply.Failure), mutation + ": " + reply);
        return reply;
    }

    private static Inode entry(Reply reply) {
        return assertInstanceOf(Reply.EntryReply.class, reply).inode();
    }

    private long mkdir(long parentIno, String name) {
        var making = new TreeMutation.Mkdir(parentIno, Name.of(name), 0755, 0, 0);
        return entry(change(here, own, making)).ino();
    }

    private void rename(long parentIno, String name, long newParentIno, String newName) {
        Name from = Name.of(name);
        Name to = Name.of(newName);
        var renaming = new TreeMutation.Rename(parentIno, from, newParentIno, to, 0, 0, 0);
        Reply reply = change(here, own, renaming);
        assertTrue(!(reply instanceof Reply.Failure), reply.toString());
    }

    @Test
    void nothingOutsideOfTheTreeIsReadByItsNumber() {
        Name name = Name.of("secret");
        for (Query query :
                List.of(
                        new Query.GetInode(secret),
                        new Query.Lookup(closed, name),
                        new Query.Lookup(FileSystem.ROOT_INO, Name.of("closed")),
                        new Query.LookupMany(closed, List.of(name)),
                        new Query.ReadDirectory(closed, 0, 10, true),
                        new Query.ReadDirectory(FileSystem.ROOT_INO, 0, 10, true),
                        new Query.GetXattr(secret, bytes("user.a")),
                        new Query.ListXattr(secret),
                        new Query.TestLock(secret, lock()),
                        new Query.Open(secret),
                        new Query.GetPath(secret),
                        new Query.CheckTail(secret),
                        new Query.HoldStill(secret, 1000),
                        new Query.ListHosts(HOST, 10))) {
            refused(Errno.EACCES, query);
        }
        refused(Errno.EACCES, new Query.GetInode(closed));
        assertEquals(0, master.openCount(forged));
    }

    @Test
    void nothingOutsideOfTheTreeIsChangedByItsNumber() {
        long inside = entry(does(creation(open, "f", USER))).ino();
        Name name = Name.of("secret");
        for (Mutation mutation :
                List.of(
                        creation(closed, "x", USER),
                        new TreeMutation.Witnessed(creation(closed, "x", USER)),
                        new TreeMutation.CreateUnnamed(closed, 0600, USER, USER, true),
                        new TreeMutation.Mkdir(FileSystem.ROOT_INO, name, 0755, USER, USER),
                        new TreeMutation.Symlink(closed, Name.of("s"), bytes("/"), USER, USER),
                        new TreeMutation.Link(secret, open, Name.of("l")),
                        new TreeMutation.Link(inside, closed, Name.of("l")),
                        new TreeMutation.Unlink(closed, name),
                        new TreeMutation.Rmdir(FileSystem.ROOT_INO, Name.of("open")),
                        new TreeMutation.Rename(closed, name, open, name, 0, 0, 0),
                        new TreeMutation.Rename(open, Name.of("f"), closed, name, 0, 0, 0),
                        new TreeMutation.SetAttributes(secret, AttributeChange.NONE.withMode(0777)),
                        new TreeMutation.SetXattr(secret, bytes("user.a"), bytes("b"), 0),
                        new ContentMutation.RenewTail(secret, 1),
                        new ContentMutation.SwapContents(inside, 1, secret, 1),
                        new SessionMutation.SetLock(secret, lock(), false, 1),
                        new HostMutation.ReleaseHost(HOST, 0))) {
            refused(Errno.EACCES, mutation);
        }
        assertEquals(0600, Objects.requireNonNull(namespace.inode(secret)).attributes().mode());
    }

    @Test
    void theWayToTheTreeCanBeGoneAndNothingBesideIt() {
        assertEquals(
                open,
                entry(ask(liar, forged, new Query.Lookup(FileSystem.ROOT_INO, Name.of("open"))))
                        .ino());
        entry(ask(liar, forged, new Query.GetInode(FileSystem.ROOT_INO)));
        ask(liar, forged, new Query.ReadDirectory(open, 0, 10, true));
        assertInstanceOf(Reply.UsageReply.class, ask(liar, forged, new Query.GetUsage()));
        assertInstanceOf(
                Reply.SessionReply.class,
                ask(liar, forged, new Query.KeepAlive(true, new long[] {secret, open})));
        assertEquals(1, master.openCount(forged), "what it may not open it does not hold open");
    }

    @Test
    void aDirectoryThatIsRenamedIsSeenAtOnce() {
        long moved = mkdir(open, "moved");
        long deep = mkdir(moved, "deep");
        ask(liar, forged, new Query.ReadDirectory(deep, 0, 10, false));
        rename(open, "moved", closed, "moved");
        refused(Errno.EACCES, new Query.ReadDirectory(deep, 0, 10, false));
        rename(closed, "moved", open, "moved");
        ask(liar, forged, new Query.ReadDirectory(deep, 0, 10, false));
        rename(FileSystem.ROOT_INO, "open", FileSystem.ROOT_INO, "other");
        refused(Errno.EACCES, new Query.ReadDirectory(deep, 0, 10, false));
    }

    @Test
    void aFileIsInTheTreeByAnyOfItsNames() {
        refused(Errno.EACCES, new Query.GetInode(secret));
        change(here, own, new TreeMutation.Link(secret, open, Name.of("also")));
        entry(ask(liar, forged, new Query.GetInode(secret)));
        change(here, own, new TreeMutation.Unlink(open, Name.of("also")));
        refused(Errno.EACCES, new Query.GetInode(secret));
    }

    @Test
    void whatLostItsNameIsForThoseWhoHoldIt() {
        long gone = entry(does(creation(open, "gone", USER))).ino();
        entry(ask(liar, forged, new Query.Open(gone)));
        does(new TreeMutation.Unlink(open, Name.of("gone")));
        entry(ask(liar, forged, new Query.GetInode(gone)));
        LoneTransport.Peer other = new LoneTransport.Peer("10.0.0.67");
        long third = session(other);
        assertThrows(FsException.class, () -> ask(other, third, new Query.GetInode(gone)));
    }

    @Test
    void whatIsInTheTrashIsForThoseWhoHoldIt() {
        var kept = new LeaderMutation.TrashMutation.SetRetention(open, 3600);
        assertInstanceOf(Reply.Done.class, master.submit(kept).join());
        long gone = entry(does(creation(open, "gone", USER))).ino();
        entry(ask(liar, forged, new Query.Open(gone)));
        does(new TreeMutation.Unlink(open, Name.of("gone")));
        assertEquals(1, entry(ask(liar, forged, new Query.GetInode(gone))).attributes().nlink());
        LoneTransport.Peer other = new LoneTransport.Peer("10.0.0.67");
        long third = session(other);
        assertThrows(FsException.class, () -> ask(other, third, new Query.GetInode(gone)));
    }

    @Test
    void aReadOnlyTreeIsNotChanged() {
        long file = entry(does(creation(open, "f", USER))).ino();
        rules("/open 10.0.0.0/8(ro)");
        refused(Errno.EROFS, creation(open, "g", USER));
        refused(Errno.EROFS, new TreeMutation.Unlink(open, Name.of("f")));
        refused(
                Errno.EROFS,
                new TreeMutation.SetAttributes(file, AttributeChange.NONE.withSize(0)));
        refused(Errno.EROFS, new ContentMutation.RenewTail(file, 1));
        refused(Errno.EROFS, new Query.HoldStill(file, 1000));
        entry(ask(liar, forged, new Query.Open(file)));
        does(new SessionMutation.SetLock(file, lock(), false, 1));
    }

    @Test
    void aDeniedOperationIsNotDone() {
        long file = entry(does(creation(open, "f", USER))).ino();
        rules("/open 10.0.0.0/8(rw,deny=unlink:chmod)");
        refused(Errno.EPERM, new TreeMutation.Unlink(open, Name.of("f")));
        refused(
                Errno.EPERM,
                new TreeMutation.Witnessed(new TreeMutation.Unlink(open, Name.of("f"))));
        AttributeChange mode = AttributeChange.NONE.withMode(0777);
        refused(Errno.EPERM, new TreeMutation.SetAttributes(file, mode));
        refused(
                Errno.EPERM,
                new TreeMutation.SetXattr(file, bytes("system.posix_acl_access"), bytes(""), 0));
        does(new TreeMutation.SetAttributes(file, AttributeChange.NONE.withSize(0)));
    }

    @Test
    void aForgedUserIsUseless() {
        change(here, own, new TreeMutation.SetAttributes(open, AttributeChange.NONE.withUid(7)));
        rules("/open 10.0.0.0/8(rw,mapall=7:8)");
        Inode made = entry(does(creation(open, "f", 0)));
        assertEquals(7, made.attributes().uid());
        assertEquals(8, made.attributes().gid());
        long others = entry(change(here, own, creation(open, "others", USER))).ino();
        refused(Errno.EACCES, new Query.Open(others));
        byte[] inline = bytes("inline");
        var patch = new ContentMutation.Patch(0, inline);
        change(
                here,
                own,
                new ContentMutation.WriteInline(others, 0, List.of(patch), inline.length, 0));
        assertArrayEquals(inline, entry(ask(here, own, new Query.GetInode(others))).inline());
        assertArrayEquals(
                new byte[inline.length],
                entry(ask(liar, forged, new Query.GetInode(others))).inline());
        var nothing = new TreeMutation.SetAttributes(others, AttributeChange.NONE);
        assertArrayEquals(new byte[inline.length], entry(does(nothing)).inline());
        refused(Errno.EACCES, new ContentMutation.RenewTail(others, 1));
        AttributeChange mode = AttributeChange.NONE.withMode(0777);
        refused(Errno.EPERM, new TreeMutation.SetAttributes(others, mode));
        refused(
                Errno.EPERM,
                new TreeMutation.SetXattr(made.ino(), bytes("security.capability"), bytes("x"), 0));
        does(new TreeMutation.SetAttributes(made.ino(), AttributeChange.NONE.withMode(0644)));
        rules("/open 10.0.0.0/8(rw,mapall=9)");
        refused(Errno.EACCES, creation(open, "g", 7));
    }

    @Test
    void aMappingGivesNoFileAway() {
        long roots = entry(change(here, own, creation(open, "roots", 0))).ino();
        long others = entry(change(here, own, creation(open, "others", USER))).ino();
        rules("/open 10.0.0.0/8(rw,mapall=7)");
        sameOwnerRefused(others, USER);
        rules("/open 10.0.0.0/8(rw,maproot=7)");
        sameOwnerRefused(roots, 0);
        AttributeChange time =
                AttributeChange.NONE.withMtime(5).withBits(AttributeChange.KEEP_CTIME);
        refused(Errno.EPERM, new TreeMutation.SetAttributes(roots, time));
        AttributeChange kill = AttributeChange.NONE.withBits(AttributeChange.KILL_PRIVILEGE);
        refused(Errno.EACCES, new TreeMutation.SetAttributes(roots, kill));
    }

    /** It would become the owner that the rule puts in place of this one. */
    private void sameOwnerRefused(long ino, int owner) {
        AttributeChange uid = AttributeChange.NONE.withUid(owner);
        refused(Errno.EPERM, new TreeMutation.SetAttributes(ino, uid));
        AttributeChange gid = AttributeChange.NONE.withGid(owner);
        refused(Errno.EPERM, new TreeMutation.SetAttributes(ino, gid));
    }

    @Test
    void aMappedUserGetsNothingByMakingWhatIsThere() {
        AttributeChange shared = AttributeChange.NONE.withMode(02777).withGid(5);
        change(here, own, new TreeMutation.SetAttributes(open, shared));
        change(here, own, creation(open, "others", USER));
        rules("/open 10.0.0.0/8(rw,mapall=7)");
        refused(Errno.EACCES, make("others", 0644, true));
        refused(Errno.EPERM, make("program", 02755, false));
        long made = entry(does(make("plain", 0644, false))).ino();
        assertEquals(5, Objects.requireNonNull(namespace.inode(made)).attributes().gid());
        AttributeChange program = AttributeChange.NONE.withMode(02755);
        refused(Errno.EPERM, new TreeMutation.SetAttributes(made, program));
    }

    private TreeMutation.Create make(String name, int mode, boolean orExisting) {
        return new TreeMutation.Create(
                open,
                Name.of(name),
                FileType.FILE,
                mode,
                0,
                0,
                0,
                orExisting,
                0,
                new byte[0],
                orExisting);
    }

    @Test
    void aMountWithoutItsRootHasTheRightsOfAllOthersAndNoMore() {
        rules("/open 10.0.0.0/8(rw,maproot=65534)");
        refused(Errno.EACCES, creation(open, "f", 0));
        change(
                here,
                own,
                new TreeMutation.SetAttributes(open, AttributeChange.NONE.withMode(0777)));
        Inode made = entry(does(creation(open, "f", 0)));
        assertEquals(65534, made.attributes().uid());
        assertEquals(USER, entry(does(creation(open, "g", USER))).attributes().uid());
        refused(
                Errno.EPERM,
                new TreeMutation.SetAttributes(made.ino(), AttributeChange.NONE.withUid(0)));
        refused(
                Errno.EPERM,
                new TreeMutation.SetAttributes(made.ino(), AttributeChange.NONE.withUid(USER)));
        long roots = entry(change(here, own, creation(open, "roots", 0))).ino();
        refused(Errno.EACCES, new Query.Open(roots));
        AttributeChange mode = AttributeChange.NONE.withMode(0777);
        refused(Errno.EPERM, new TreeMutation.SetAttributes(roots, mode));
        AttributeChange harmless = AttributeChange.NONE.withFlags(8, 8);
        does(new TreeMutation.SetAttributes(made.ino(), harmless));
        refused(Errno.EPERM, new TreeMutation.SetAttributes(roots, harmless));
        AttributeChange immutable = AttributeChange.NONE.withFlags(1, 1);
        refused(Errno.EPERM, new TreeMutation.SetAttributes(made.ino(), immutable));
    }

    @Test
    void theSessionOfAnotherAddressIsRefused() {
        FsException refusal =
                assertThrows(
                        FsException.class,
                        () -> ask(liar, own, new Query.KeepAlive(false, new long[0])));
        assertEquals(Errno.NO_SESSION, refusal.errno());
        Reply reply = change(liar, own, new SessionMutation.CloseSession(own));
        assertEquals(Errno.NO_SESSION, assertInstanceOf(Reply.Failure.class, reply).errno());
        rules("/ *(rw)");
        log.term++;
        time.pass(500);
        ask(here, own, new Query.KeepAlive(true, new long[0]));
        assertThrows(FsException.class, () -> ask(liar, own, new Query.GetInode(open)));
        ask(new LoneTransport.Peer("::1"), own, new Query.GetInode(open));
    }

    @Test
    void aSessionBeginsOnlyByARuleAndUpToItsNumber() {
        LoneTransport.Peer stranger = new LoneTransport.Peer("192.168.0.1");
        Reply refusal = change(stranger, 0, new SessionMutation.OpenSession("x"));
        assertEquals(Errno.EACCES, assertInstanceOf(Reply.Failure.class, refusal).errno());
        rules("/ 192.168.0.0/16(ro,sessions=2)");
        long first = session(stranger);
        assertNotEquals(first, session(stranger));
        Reply third = change(stranger, 0, new SessionMutation.OpenSession("x"));
        assertEquals(Errno.EACCES, assertInstanceOf(Reply.Failure.class, third).errno());
        change(stranger, first, new SessionMutation.CloseSession(first));
        session(stranger);
    }

    @Test
    void aRuleWithANameIsForItsCertificate() {
        rules("/open web@10.0.0.0/8(rw)");
        var role = Principal.Role.MOUNT;
        LoneTransport.Peer web = new LoneTransport.Peer(new Principal(role, "web", LIAR));
        LoneTransport.Peer other = new LoneTransport.Peer(new Principal(role, "other", LIAR));
        long webs = session(web);
        assertInstanceOf(
                Reply.DirectoryReply.class,
                ask(web, webs, new Query.ReadDirectory(open, 0, 10, false)));
        for (LoneTransport.Peer peer : List.of(other, liar)) {
            Reply refusal = change(peer, 0, new SessionMutation.OpenSession("x"));
            assertEquals(Errno.EACCES, assertInstanceOf(Reply.Failure.class, refusal).errno());
            FsException foreign =
                    assertThrows(
                            FsException.class,
                            () -> ask(peer, webs, new Query.KeepAlive(true, new long[0])));
            assertEquals(Errno.NO_SESSION, foreign.errno(), "the address alone is not enough");
        }
    }

    @Test
    void openSessionsFollowTheRulesAtOnce() {
        rules("/closed 10.0.0.0/8(rw)");
        refused(Errno.EACCES, new Query.ReadDirectory(open, 0, 10, false));
        ask(liar, forged, new Query.ReadDirectory(closed, 0, 10, false));
        rules();
        refused(Errno.EACCES, new Query.GetInode(FileSystem.ROOT_INO));
        assertInstanceOf(
                Reply.SessionReply.class,
                ask(liar, forged, new Query.KeepAlive(false, new long[0])),
                "it lives, and may be let in again");
        rules("/ *(rw)");
        entry(ask(liar, forged, new Query.GetInode(secret)));
    }

    /** So the next leader need not ask for what a session has made. */
    @Test
    void numbersOfBeforeGoBack() {
        rules("/open 10.0.0.0/8(rw)");
        refused(Errno.EOPNOTSUPP, new SessionMutation.ReserveNumbers(open, true));
        var back =
                new SessionMutation.ReserveNumbers(SessionMutation.ReserveNumbers.ALL_BACK, true);
        assertInstanceOf(Reply.BytesReply.class, change(here, own, back));
    }

    @Test
    void theFirstRuleThatHasTheInodeDecides() {
        rules("/open/read 10.0.0.0/8(ro)", "/open 10.0.0.0/8(rw)");
        long read = mkdirHere("read");
        refused(Errno.EROFS, creation(read, "f", USER));
        does(creation(open, "f", USER));
    }

    @Test
    void aRuleBelowAnEarlierOneOpensNothing() {
        rules("/open 10.0.0.0/8(ro)", "/open/deep 10.0.0.0/8(rw)");
        refused(Errno.EROFS, new TreeMutation.Unlink(secret + 1000, Name.of("gone")));
    }

    private long mkdirHere(String name) {
        return entry(does(new TreeMutation.Mkdir(open, Name.of(name), 0755, USER, USER))).ino();
    }
}
