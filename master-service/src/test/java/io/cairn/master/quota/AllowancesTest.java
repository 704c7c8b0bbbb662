package io.cairn.master.quota;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.Usage;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Growth;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.Bench;
import io.cairn.metadata.state.Notice;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AllowancesTest {
    private static final long MIB = 1 << 20;

    private final Bench bench = Bench.withPools(2);
    private final Set<Long> live = new HashSet<>(List.of(1L, 2L));
    private final long dir = bench.mkdir(Bench.ROOT, "d").ino();
    private final long file = bench.create(dir, "f").ino();
    private final Allowances allowances =
            new Allowances(() -> bench.namespace, live::contains, () -> bench.nowNs);

    private void limit(long lengthBytes, long spaceBytes) {
        bench.leader(
                new LeaderMutation.SetQuota(
                        Account.directory(dir),
                        new Quota(Sums.ZERO, new Sums(0, lengthBytes, spaceBytes), 0),
                        false));
    }

    private static Query.GetAllowance query(long ino, long held, long wanted, long room) {
        Growth before = new Growth(held, held);
        return new Query.GetAllowance(ino, before, new Growth(wanted, wanted), room);
    }

    /** Without holes both numbers are the same; the lesser one is how much can be written. */
    private long take(long session, long ino, long held, long wanted) {
        return take(session, query(ino, held, wanted, 0));
    }

    private long take(long session, Query.GetAllowance query) {
        Growth growth = allowances.take(session, query);
        return Math.min(growth.lengthBytes(), growth.storedBytes());
    }

    private void isRefused(long session, Query.GetAllowance query) {
        FsException refused =
                assertThrows(FsException.class, () -> allowances.take(session, query));
        assertEquals(Errno.EDQUOT, refused.errno());
    }

    private void isRefused(long session, long held, long wanted) {
        isRefused(session, query(file, held, wanted, 0));
    }

    @Test
    void whereNothingIsLimitedThereIsNoEnd() {
        assertEquals(Allowances.FREE_BYTES, take(1, file, 0, 5));
        long more = 3 * Allowances.FREE_BYTES;
        assertEquals(more, take(1, file, 0, more));
    }

    @Test
    void asMuchIsAllowedAtOnceAsTheLimitsLeave() {
        long tib = 1L << 40;
        limit(100 * tib, 0);
        assertEquals(5 * tib, take(1, file, 0, 5 * tib));
        isRefused(2, 0, 96 * tib);
        limit(0, 100 * tib);
        assertEquals(50 * tib, take(1, file, 0, 50 * tib));
        isRefused(1, 0, 50 * tib + 1);
        limit(100 * tib, 100 * tib);
        assertEquals(50 * tib, take(1, file, 0, 50 * tib));
        isRefused(1, 1, 50 * tib);
    }

    @Test
    void muchIsAllowedFarFromTheLimitAndLittleNearIt() {
        limit(1000 * MIB, 0);
        assertEquals(Allowances.STEP_BYTES, take(1, file, 0, MIB));
        assertEquals(20 * MIB, take(1, file, 0, 20 * MIB));
        limit(8 * MIB, 0);
        assertEquals(2 * MIB, take(1, file, 0, MIB));
        assertEquals(8 * MIB, take(1, file, 0, 8 * MIB));
        isRefused(1, 0, 8 * MIB + 1);
    }

    /** Those who hear after the last mutation that they have to ask again. */
    private Set<Long> told() {
        long before = allowances.version();
        Set<Long> sessions = new HashSet<>();
        for (Notice notice : allowances.addressed(bench.notices)) {
            assertEquals(new Push.QuotasChanged(allowances.version()), notice.push());
            sessions.add(notice.session());
        }
        assertEquals(sessions.isEmpty(), before == allowances.version());
        return sessions;
    }

    @Test
    void whoWritesWithoutALimitAsksAgainWhenTheFileMovesBelowOne() {
        limit(8 * MIB, 0);
        long outside = bench.create(Bench.ROOT, "outside").ino();
        assertEquals(Allowances.FREE_BYTES, take(1, outside, 0, 1));
        take(2, bench.create(Bench.ROOT, "other").ino(), 0, 1);
        bench.rename(Bench.ROOT, "outside", Bench.ROOT, "renamed");
        assertEquals(Set.of(), told());
        bench.rename(Bench.ROOT, "renamed", dir, "inside");
        assertEquals(Set.of(1L), told());
        assertEquals(2 * MIB, take(1, outside, 0, 1));
        bench.rename(dir, "inside", bench.mkdir(dir, "sub").ino(), "inside");
        assertEquals(Set.of(), told());
        allowances.giveBack(1, outside);
        bench.rename(Bench.ROOT, "other", dir, "inside");
        assertEquals(Set.of(2L), told());
    }

    @Test
    void whoWritesBelowADirectoryAsksAgainWhenItMoves() {
        limit(8 * MIB, 0);
        long tree = bench.mkdir(Bench.ROOT, "tree").ino();
        long deep = bench.create(bench.mkdir(tree, "sub").ino(), "deep").ino();
        long elsewhere = bench.create(Bench.ROOT, "elsewhere").ino();
        take(1, deep, 0, 1);
        take(2, elsewhere, 0, 1);
        bench.rename(Bench.ROOT, "tree", dir, "tree");
        assertEquals(Set.of(1L), told());
        assertEquals(2 * MIB, take(1, deep, 0, 1));
        bench.rename(dir, "tree", Bench.ROOT, "tree");
        assertEquals(Set.of(), told());
    }

    @Test
    void whoWritesAsksAgainWhenAFileGetsAHomeOrAnOwnerWithALimit() {
        limit(8 * MIB, 0);
        long linked = bench.create(Bench.ROOT, "a").ino();
        bench.ok(new TreeMutation.Link(linked, dir, Name.of("b")));
        assertEquals(Set.of(), told());
        take(1, linked, 0, 1);
        bench.unlink(Bench.ROOT, "a");
        assertEquals(Set.of(1L), told());
        Quota quota = new Quota(Sums.ZERO, new Sums(0, MIB, 0), 0);
        bench.leader(new LeaderMutation.SetQuota(Account.user(4711), quota, false));
        bench.change(linked, AttributeChange.NONE.withUid(4711));
        assertEquals(Set.of(1L), told());
        assertEquals(MIB / 4, take(1, linked, 0, 1));
    }

    @Test
    void whoWritesToAFileOfTheTrashAsksAgainWhenItComesBack() {
        bench.leader(new TrashMutation.SetRetention(0, 60));
        limit(8 * MIB, 0);
        for (boolean isMoved : new boolean[] {false, true}) {
            bench.unlink(dir, "f");
            assertEquals(Set.of(), told());
            assertEquals(Allowances.FREE_BYTES, take(1, file, 0, 1));
            if (isMoved) {
                bench.rename(bench.inode(file).parentIno(), "f", dir, "f");
            } else {
                bench.leader(new TrashMutation.RestoreTrash(new long[] {file}));
            }
            assertEquals(Set.of(1L), told());
            assertEquals(2 * MIB, take(1, file, 0, 1));
        }
    }

    @Test
    void copiesCountForSpace() {
        limit(0, 8 * MIB);
        assertEquals(MIB, take(1, file, 0, MIB / 2));
        isRefused(1, 0, 4 * MIB + 1);
    }

    private void hasNoRoom(long held, long wanted, long room) {
        isRefused(1, query(file, held, wanted, room));
    }

    /** Two copies of each byte count, and holes are no part of what counts for the length. */
    @Test
    void holesHaveToFitIntoTheSpaceAndAreNotKept() {
        limit(MIB, 8 * MIB);
        assertEquals(0, take(1, query(file, 0, 0, 4 * MIB)));
        hasNoRoom(0, 0, 4 * MIB + 1);
        hasNoRoom(MIB, 0, 3 * MIB + 1);
        assertEquals(MIB, take(1, query(file, 0, MIB, 3 * MIB)));
        hasNoRoom(0, MIB + 1, 3 * MIB);
        take(1, query(file, 0, 0, 4 * MIB));
        assertEquals(MIB, take(2, file, 0, MIB), "nobody keeps anything");
        hasNoRoom(0, 0, 3 * MIB + 1);
        limit(8 * MIB, 0);
        assertEquals(0, take(1, query(file, 0, 0, 1L << 50)));
        hasNoRoom(0, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    private Query.GetAllowance growing(Growth held, Growth wanted) {
        return new Query.GetAllowance(file, held, wanted, 0);
    }

    /** One byte behind a gap makes the file long, and stores one byte. */
    @Test
    void theHoleBeforeAWriteCountsForTheLength() {
        Growth far = new Growth((1L << 30) + 1, 1);
        limit(MIB, 0);
        isRefused(1, growing(Growth.NONE, far));
        isRefused(1, growing(Growth.NONE, new Growth(MIB + 1, 1)));
        assertEquals(
                new Growth(MIB, Allowances.STEP_BYTES),
                allowances.take(1, growing(Growth.NONE, new Growth(MIB, 1))));
        isRefused(2, growing(Growth.NONE, new Growth(1, 1)));
        assertEquals(
                new Growth(0, Allowances.STEP_BYTES),
                allowances.take(1, growing(new Growth(MIB, 1), new Growth(0, 1))),
                "the hole is written");
        limit(0, MIB);
        Growth allowed = allowances.take(1, growing(Growth.NONE, far));
        assertEquals(far.lengthBytes(), allowed.lengthBytes());
    }

    /** Whoever is beyond a limit of length may still write where nothing grows. */
    @Test
    void whatIsThereIsOverwrittenBeyondALimit() {
        bench.truncate(file, 2 * MIB);
        limit(MIB, 0);
        isRefused(1, growing(Growth.NONE, new Growth(1, 1)));
        long stored = allowances.take(1, growing(Growth.NONE, new Growth(0, MIB))).storedBytes();
        assertTrue(stored >= MIB, "stored " + stored);
    }

    @Test
    void roomHasToBeOnTheDisks() {
        Query.GetAllowance query = query(file, 0, 0, 100);
        assertInstanceOf(Reply.AllowanceReply.class, allowances.answer(1, query, _ -> 100));
        Reply refused = allowances.answer(1, query, _ -> 99);
        assertEquals(Errno.ENOSPC, assertInstanceOf(Reply.Failure.class, refused).errno());
        Query.GetAllowance write = query(file, 0, 100, 0);
        assertInstanceOf(Reply.AllowanceReply.class, allowances.answer(1, write, _ -> 99));
        limit(0, 1);
        Reply both = allowances.answer(1, query, _ -> 99);
        assertEquals(Errno.EDQUOT, assertInstanceOf(Reply.Failure.class, both).errno());
    }

    /** Refused, it writes nothing: others may. */
    @Test
    void whatTheDisksHaveNoRoomForIsNotKept() {
        limit(8 * MIB, 0);
        Query.GetAllowance query = query(file, MIB, 6 * MIB, 100);
        assertInstanceOf(Reply.Failure.class, allowances.answer(1, query, _ -> 99));
        isRefused(2, 0, 8 * MIB);
        assertEquals(7 * MIB, take(2, file, 0, 7 * MIB));
    }

    @Test
    void aSessionThatHasEndedHoldsNothing() {
        limit(8 * MIB, 0);
        take(1, file, 0, 6 * MIB);
        take(2, bench.create(dir, "g").ino(), 0, MIB / 2);
        live.remove(1L);
        allowances.ended(1);
        assertEquals((8 * MIB - MIB / 2) / 4, take(2, file, 0, 1));
        Reply late = allowances.answer(1, query(file, 0, 1, 0), _ -> 100);
        assertEquals(Errno.NO_SESSION, assertInstanceOf(Reply.Failure.class, late).errno());
    }

    /** Else it would make the sum of all negative, and others could write beyond the limit. */
    @Test
    void whoClaimsToHoldMoreThanThereIsMakesNoRoom() {
        limit(8 * MIB, 8 * MIB);
        long all = Long.MAX_VALUE;
        assertEquals(0, take(1, query(file, all, 0, 0)));
        long other = bench.create(dir, "g").ino();
        isRefused(1, query(other, all, 0, 0));
        isRefused(2, 0, 1);
    }

    /** As by sparse files that are there when the limit is set. */
    @Test
    void whatIsUsedAndAllowedBesideIsNeverSmallAgain() {
        limit(1000 * MIB, 0);
        take(1, file, 0, 200 * MIB);
        limit(0, 0);
        for (String name : List.of("x", "y")) {
            bench.truncate(bench.create(dir, name).ino(), FileSystem.MAX_FILE_BYTES);
        }
        limit(1000 * MIB, 0);
        isRefused(2, query(file, 0, 1, 0));
    }

    /** It would make room for others who write. */
    @Test
    void aFileThatGrowsByLessThanNothingIsRefused() {
        limit(8 * MIB, 0);
        for (Growth wrong : List.of(new Growth(-1, 0), new Growth(0, -1))) {
            for (Query.GetAllowance each :
                    List.of(
                            new Query.GetAllowance(file, wrong, Growth.NONE, 0),
                            new Query.GetAllowance(file, Growth.NONE, wrong, 0))) {
                Reply reply = allowances.answer(1, each, _ -> 100);
                assertEquals(Errno.EINVAL, assertInstanceOf(Reply.Failure.class, reply).errno());
            }
        }
    }

    /** The client tries again, with what it was allowed. */
    @Test
    void aCommitThatIsRefusedGivesNothingBack() {
        limit(8 * MIB, 0);
        take(1, file, 0, 6 * MIB);
        Mutation commit = new ContentMutation.CommitSize(file, 1, 0, 1, 0);
        Envelope envelope = new Envelope(1, 1, 0, 1, commit);
        allowances.follow(envelope, new Reply.Failure(Errno.ESTALE, "it has changed"));
        isRefused(2, 0, 3 * MIB);
        allowances.follow(envelope, new Reply.Done());
        assertEquals(3 * MIB, take(2, file, 0, 3 * MIB));
    }

    @Test
    void whatOthersWereAllowedIsNotAllowedAgain() {
        limit(8 * MIB, 0);
        assertEquals(6 * MIB, take(1, file, 0, 6 * MIB));
        isRefused(2, 0, 3 * MIB);
        isRefused(1, 6 * MIB, 3 * MIB);
        assertEquals(2 * MIB, take(1, file, 6 * MIB, 2 * MIB));
        allowances.giveBack(1, file);
        assertEquals(3 * MIB, take(2, file, 0, 3 * MIB));
        live.remove(2L);
        assertEquals(8 * MIB, take(1, file, 0, 8 * MIB));
    }

    /** Under locks a client asks what its commit began with. */
    @Test
    void aWitnessedCommitGivesBackWhatWasAllowed() {
        limit(8 * MIB, 0);
        take(1, file, 0, 6 * MIB);
        isRefused(2, 0, 3 * MIB);
        ContentMutation commit = new ContentMutation.CommitSize(file, 1, 0, 1, 0);
        allowances.follow(
                new Envelope(1, 1, 0, 1, new TreeMutation.Witnessed(commit)), new Reply.Done());
        assertEquals(3 * MIB, take(2, file, 0, 3 * MIB));
    }

    @Test
    void aDirectoryWithAQuotaShowsItAsItsSize() {
        Usage whole = new Usage(1 << 30, 1 << 29, 1 << 29, 100, 1000);
        assertEquals(whole, allowances.room(file, whole));
        bench.create(dir, "g", "x".repeat(1024));
        limit(3 * MIB, 0);
        Usage room = allowances.room(file, whole);
        assertEquals(3 * MIB, room.totalBytes());
        assertEquals(3 * MIB - 1024, room.availableBytes());
        assertEquals(whole, allowances.room(Bench.ROOT, whole));
        assertTrue(allowances.room(dir, whole).freeBytes() < whole.freeBytes());
    }
}
