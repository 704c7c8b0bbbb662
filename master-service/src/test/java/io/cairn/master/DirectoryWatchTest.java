package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.DirectoryState;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.net.Message;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is told to forget a directory, and how long a reply waits for it. */
class DirectoryWatchTest {
    private static final long DIR = 10;
    private static final long OTHER_DIR = 11;

    private final HandScheduler time = new HandScheduler();
    private final SessionTable sessions = new SessionTable(time, 15_000);
    private final DirectoryWatch watch = new DirectoryWatch(sessions, time, time);
    private final PushedPeer one = new PushedPeer(DirectoryWatchTest::directoryOf);
    private final PushedPeer two = new PushedPeer(DirectoryWatchTest::directoryOf);
    private int sent;

    /** The directory that a push tells to forget. */
    private static long directoryOf(Push push) {
        return ((Push.Invalidate) push).ino();
    }

    @BeforeEach
    void open() {
        sessions.opened(1);
        sessions.opened(2);
        sessions.keepAlive(1, one, true, new long[0]);
        sessions.keepAlive(2, two, true, new long[0]);
    }

    private static Reply entry(long ino) {
        Attributes a =
                new Attributes(
                        ino,
                        1,
                        FileType.DIRECTORY,
                        0755,
                        2,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        1,
                        Acls.NONE,
                        0,
                        0);
        Inode inode = new Inode(a, DIR, 1, Policy.STANDARD, null, null, 0, 0, 0);
        return new Reply.EntryReply(inode, new DirectoryState(a, 1, 1), null, null);
    }

    private void settle(long session, TreeMutation mutation) {
        watch.settle(new Envelope(session, 1, 0, 0, mutation), entry(99), () -> sent++);
    }

    private static TreeMutation unlink(long parent) {
        return new TreeMutation.Unlink(parent, Name.of("x"));
    }

    @Test
    void theReplyWaitsUntilTheOtherSessionHasForgotten() {
        watch.watch(1, DIR);
        settle(2, unlink(DIR));
        assertEquals(List.of(DIR), one.told);
        assertEquals(0, sent);
        one.answer();
        assertEquals(1, sent);
        time.pass(2000);
        assertEquals(1, sent, "the reply goes once");
        settle(2, unlink(DIR));
        assertEquals(2, sent);
        assertEquals(List.of(DIR), one.told, "it is told once");
    }

    @Test
    void ownChangesAndOtherDirectoriesDoNotWait() {
        watch.watch(1, DIR);
        settle(1, unlink(DIR));
        settle(2, unlink(OTHER_DIR));
        settle(2, new TreeMutation.SetPolicy(DIR, Policy.STANDARD));
        assertEquals(3, sent);
        Reply failure = new Reply.Failure(Errno.ENOENT, "");
        watch.settle(new Envelope(2, 1, 0, 0, unlink(DIR)), failure, () -> sent++);
        assertEquals(4, sent, "what failed has changed nothing");
        assertEquals(List.of(), one.told);
    }

    @Test
    void anOwnChangeKeepsTheWatchAndEndsThatOfOthers() {
        watch.watch(1, DIR);
        watch.watch(2, DIR);
        settle(1, unlink(DIR));
        assertEquals(List.of(DIR), two.told);
        two.answer();
        settle(1, unlink(DIR));
        assertEquals(2, sent);
        settle(2, unlink(DIR));
        assertEquals(List.of(DIR), one.told);
    }

    @Test
    void makingADirectoryWatchesIt() {
        settle(1, new TreeMutation.Mkdir(DIR, Name.of("d"), 0755, 0, 0));
        settle(2, unlink(99));
        assertEquals(List.of(99L), one.told);
    }

    @Test
    void renameConcernsBothDirectories() {
        watch.watch(1, DIR);
        watch.watch(1, OTHER_DIR);
        settle(2, new TreeMutation.Rename(DIR, Name.of("a"), OTHER_DIR, Name.of("b"), 0, 0, 0));
        assertEquals(List.of(DIR, OTHER_DIR), one.told);
        one.answers.getFirst().complete(Message.empty());
        assertEquals(0, sent);
        one.answer();
        assertEquals(1, sent);
    }

    @Test
    void aMuteSessionIsWaitedForAsLongAsItMayBelieve() {
        watch.watch(1, DIR);
        time.pass(400);
        settle(2, unlink(DIR));
        time.pass(599);
        assertEquals(0, sent);
        time.pass(1);
        assertEquals(1, sent);
        one.answer();
        assertEquals(1, sent);
    }

    @Test
    void aSessionThatIsSilentAnywayIsNotWaitedFor() {
        watch.watch(1, DIR);
        time.pass(1000);
        settle(2, unlink(DIR));
        assertEquals(1, sent);
        assertEquals(List.of(DIR), one.told);
        watch.watch(1, DIR);
        sessions.closed(1);
        settle(2, unlink(DIR));
        assertEquals(2, sent);
    }

    @Test
    void whoIsForgottenHereIsTold() {
        watch.watch(1, DIR);
        for (int i = 0; i < DirectoryWatch.MAX_DIRECTORIES; i++) {
            watch.watch(2, 1000L + i);
        }
        assertEquals(List.of(DIR), one.told);
        assertEquals(DirectoryWatch.MAX_DIRECTORIES, watch.size());
        assertEquals(List.of(), two.told);
        watch.reset();
        assertEquals(DirectoryWatch.MAX_DIRECTORIES, two.told.size());
        assertEquals(0, watch.size());
    }

    @Test
    void watchersOfADirectoryAreBounded() {
        for (long session = 1; session <= DirectoryWatch.MAX_WATCHERS + 1; session++) {
            watch.watch(session, DIR);
        }
        assertEquals(List.of(DIR), one.told);
        assertTrue(two.told.isEmpty());
    }

    private static TreeMutation make(String name) {
        return new TreeMutation.Symlink(DIR, Name.of(name), new byte[] {'t'}, 0, 0);
    }

    @Test
    void whoMissedANameIsToldWhenAnotherMakesIt() {
        watch.missed(1, DIR, Name.of("a"));
        settle(2, make("b"));
        settle(1, make("a"));
        settle(2, make("a"));
        assertEquals(3, sent, "another name, another directory, one's own");
        watch.missed(1, DIR, Name.of("a"));
        watch.missed(2, DIR, Name.of("a"));
        settle(2, make("a"));
        assertEquals(3, sent);
        assertEquals(List.of(DIR), one.told);
        one.answer();
        assertEquals(4, sent);
        settle(2, make("a"));
        assertEquals(5, sent, "it is told once");
        assertEquals(List.of(), two.told);
    }

    @Test
    void whoRemovedANameIsToldWhenAnotherMakesItAgain() {
        Name x = Name.of("x");
        List<TreeMutation> removals =
                List.of(
                        unlink(DIR),
                        new TreeMutation.Rmdir(DIR, x),
                        new TreeMutation.Rename(DIR, x, OTHER_DIR, Name.of("y"), 0, 0, 0));
        List<TreeMutation> makers =
                List.of(
                        make("x"),
                        new TreeMutation.Mkdir(DIR, x, 0755, 0, 0),
                        new TreeMutation.Link(77, DIR, x),
                        new TreeMutation.Rename(OTHER_DIR, Name.of("z"), DIR, x, 0, 0, 0));
        int told = 0;
        for (TreeMutation removal : removals) {
            for (TreeMutation maker : makers) {
                settle(1, removal);
                settle(2, maker);
                told++;
                assertEquals(told, one.told.size(), removal + ", " + maker);
                one.answer();
            }
        }
        assertEquals(2 * told, sent);
    }

    /** It may believe what the last term told it. */
    @Test
    void whoMakesANameWaitsForWhoHasNotHeardOfANewTerm() {
        watch.missed(1, DIR, Name.of("a"));
        watch.reset();
        sessions.reset(2, List.of(1L, 2L));
        sessions.keepAlive(2, two, true, new long[0]);
        time.pass(100);
        List<TreeMutation> makers =
                List.of(
                        make("a"),
                        new TreeMutation.Mkdir(DIR, Name.of("a"), 0755, 0, 0),
                        new TreeMutation.Link(77, DIR, Name.of("a")),
                        new TreeMutation.Rename(
                                OTHER_DIR, Name.of("z"), DIR, Name.of("a"), 0, 0, 0));
        makers.forEach(each -> settle(2, each));
        assertEquals(0, sent);
        settle(2, unlink(DIR));
        assertEquals(1, sent, "nobody believes in names for long that are no more");
        settle(1, make("a"));
        assertEquals(2, sent, "it knows what it made itself");
        sessions.keepAlive(1, one, true, new long[0]);
        assertEquals(2 + makers.size(), sent, "it forgets what is absent before it tells");
        assertEquals(List.of(DIR), one.told, "the new term told only of the last");
    }

    @Test
    void whoNeverHearsOfANewTermIsWaitedForAsLongAsItMayBelieve() {
        sessions.reset(2, List.of(1L, 2L));
        sessions.keepAlive(2, two, true, new long[0]);
        time.pass(400);
        sessions.touch(1);
        settle(2, make("a"));
        time.pass(599);
        assertEquals(0, sent);
        time.pass(1);
        assertEquals(1, sent);
        settle(2, make("b"));
        assertEquals(2, sent);
    }

    @Test
    void anAbsenceIsOverAfterItsTime() {
        watch.missed(1, DIR, Name.of("a"));
        time.pass(1001);
        settle(2, make("a"));
        assertEquals(1, sent);
        assertEquals(List.of(), one.told);
    }

    @Test
    void absencesThatFindNoRoomAreToldToBeForgotten() {
        for (int i = 0; i < 2 * MissedNames.MAX_NAMES; i++) {
            watch.missed(1, i < 10 ? DIR : OTHER_DIR, Name.of("n" + i));
        }
        assertEquals(List.of(), one.told);
        watch.missed(2, DIR, Name.of("more"));
        assertEquals(List.of(DIR, OTHER_DIR), one.told.stream().sorted().toList());
        watch.reset();
        assertEquals(List.of(DIR), two.told);
    }
}
