package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fuse.jnr.HiddenFiles;
import io.cairn.fuse.kernel.StaleOpens;
import io.cairn.fuse.loop.CapabilityMemory;
import io.cairn.fuse.loop.KernelPages;
import io.cairn.fuse.loop.KernelView;
import io.cairn.fuse.loop.OpenInodes;
import io.cairn.fuse.loop.SeenNames;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The small memories of a mount. */
class CachesTest {
    private final AtomicLong nanoTime = new AtomicLong(1);

    private static Attributes attributes(long ino, long size, long version) {
        return new Attributes(
                ino,
                1,
                FileType.FILE,
                0644,
                1,
                0,
                0,
                0,
                size,
                size,
                5,
                6,
                7,
                version,
                Acls.NONE,
                0,
                0);
    }

    private void passMs(long ms) {
        nanoTime.addAndGet(ms * 1_000_000);
    }

    @Test
    void kernelKnowsWhatItWasToldLast() {
        KernelView view = new KernelView(nanoTime::get);
        assertFalse(view.knows(attributes(2, 10, 1)));
        tell(view, attributes(2, 10, 1));
        assertTrue(view.knows(attributes(2, 10, 1)));
        assertFalse(view.knows(attributes(2, 11, 1)));
        assertFalse(view.knows(attributes(2, 10, 2)));
        tell(view, attributes(2, 11, 1));
        assertFalse(view.knows(attributes(2, 10, 1)));
    }

    private static void tell(KernelView view, Attributes attributes) {
        view.tells(attributes);
        view.told(true);
    }

    /** Another client has changed inode 2, and the kernel may keep what it is told again. */
    private void forget(KernelView view) {
        view.refresh(attributes(2, 99, 9), _ -> {});
        passMs(1000);
    }

    /** An answer that crosses a notice is ignored, and the reader goes by the size from before. */
    @Test
    void theKernelIsMadeToForgetOnceAndKeepsNothingForASecond() {
        KernelView view = new KernelView(nanoTime::get);
        AtomicLong notices = new AtomicLong();
        tell(view, attributes(2, 10, 1));
        view.refresh(attributes(2, 10, 1), notices::addAndGet);
        assertEquals(0, notices.get());
        view.refresh(attributes(2, 11, 2), notices::addAndGet);
        assertEquals(2, notices.get());
        passMs(900);
        assertFalse(view.tells(attributes(2, 11, 2)));
        view.told(true);
        view.refresh(attributes(2, 12, 3), notices::addAndGet);
        assertEquals(2, notices.get());
        passMs(900);
        assertFalse(view.tells(attributes(2, 12, 3)));
        view.told(true);
        assertFalse(view.knows(attributes(2, 12, 3)));
        passMs(100);
        assertTrue(view.tells(attributes(2, 12, 3)));
        view.refresh(attributes(2, 13, 4), notices::addAndGet);
        assertEquals(4, notices.get());
        view.told(true);
        assertFalse(view.knows(attributes(2, 12, 3)), "the answer was late");
    }

    @Test
    void aFileThatStaysAsItIsMayBeKeptHoweverOftenItIsOpened() {
        KernelView view = new KernelView(nanoTime::get);
        AtomicLong notices = new AtomicLong();
        tell(view, attributes(2, 10, 1));
        for (int i = 0; i < 10; i++) {
            view.refresh(attributes(2, 11, 2), notices::addAndGet);
            assertFalse(view.tells(attributes(2, 11, 2)));
            view.told(true);
            passMs(100);
        }
        tell(view, attributes(2, 11, 2));
        assertTrue(view.knows(attributes(2, 11, 2)));
        assertEquals(2, notices.get());
    }

    /** The kernel takes the answer to a change whatever it was made to forget since it asked. */
    @Test
    void anAnswerToAChangeIsTakenThoughItIsLate() {
        KernelView view = new KernelView(nanoTime::get);
        AtomicLong notices = new AtomicLong();
        tell(view, attributes(2, 10, 1));
        assertTrue(view.tellsOfChange(attributes(2, 10, 1)));
        view.refresh(attributes(2, 11, 2), notices::addAndGet);
        view.told(true);
        assertEquals(2, notices.get());
        view.refresh(attributes(2, 11, 2), notices::addAndGet);
        assertEquals(4, notices.get());
        assertFalse(view.tellsOfChange(attributes(2, 12, 3)));
        view.told(true);
        view.refresh(attributes(2, 12, 3), notices::addAndGet);
        assertEquals(4, notices.get());
    }

    /** A clock of any value, also one that turns negative. */
    @Test
    void quietTimesEndByAnyClock() {
        for (long start : new long[] {Long.MIN_VALUE, -1_000_000_001, 0, Long.MAX_VALUE / 2}) {
            nanoTime.set(start);
            KernelView view = new KernelView(nanoTime::get);
            view.refresh(attributes(2, 11, 2), _ -> {});
            passMs(999);
            assertFalse(view.tells(attributes(2, 11, 2)), "" + start);
            passMs(1);
            assertTrue(view.tells(attributes(2, 11, 2)), "" + start);
            view.told(true);
        }
    }

    @Test
    void whatIsOnItsWayToTheKernelIsNotKnownToIt() {
        KernelView view = new KernelView(nanoTime::get);
        tell(view, attributes(2, 10, 1));
        for (int i = 0; i < 40; i++) {
            view.tells(attributes(2 + i, 11, 2));
        }
        assertFalse(view.knows(attributes(2, 10, 1)));
        assertFalse(view.knows(attributes(2, 11, 2)));
        view.told(true);
        assertTrue(view.knows(attributes(41, 11, 2)));
        forget(view);
        tell(view, attributes(2, 11, 2));
        assertTrue(view.knows(attributes(2, 11, 2)));
        view.tells(attributes(2, 12, 3));
        view.told(false);
        assertFalse(view.knows(attributes(2, 12, 3)));
    }

    /** The kernel ignores an answer to a question that it asked before it took another answer. */
    @Test
    void ofAnswersThatMayHaveCrossedTheKernelMayHaveTakenEither() {
        KernelView view = new KernelView(nanoTime::get);
        tell(view, attributes(2, 10, 1));
        tell(view, attributes(2, 11, 2));
        assertFalse(view.knows(attributes(2, 11, 2)));
        tell(view, attributes(2, 11, 2));
        assertFalse(view.knows(attributes(2, 11, 2)), "it has not forgotten the ones before");
        forget(view);
        assertFalse(view.knows(attributes(2, 11, 2)));
        tell(view, attributes(2, 11, 2));
        assertTrue(view.knows(attributes(2, 11, 2)));
        tell(view, attributes(2, 11, 2));
        assertTrue(view.knows(attributes(2, 11, 2)), "the same once more");
    }

    @Test
    void pagesAreKeptFromTheDropOnAsLongAsTheVersionStays() {
        KernelPages pages = new KernelPages();
        assertFalse(pages.areFresh(2, 1));
        pages.dropped(new KernelPages.Freshness(2, 1));
        assertTrue(pages.areFresh(2, 1));
        assertFalse(pages.areFresh(2, 2));
        pages.dropped(new KernelPages.Freshness(2, 2));
        pages.dropped(new KernelPages.Freshness(2, 1));
        assertTrue(pages.areFresh(2, 2));
        assertFalse(pages.areFresh(3, 2));
    }

    @Test
    void missingCapabilitiesAreRememberedForASecond() {
        CapabilityMemory memory = new CapabilityMemory(nanoTime::get);
        assertFalse(memory.hasNone(0));
        assertFalse(memory.hasNone(9));
        memory.sawNone(9);
        assertTrue(memory.hasNone(9));
        assertFalse(memory.hasNone(10));
        passMs(900);
        assertTrue(memory.hasNone(9));
        passMs(200);
        assertFalse(memory.hasNone(9));
        memory.sawNone(9);
        memory.forget(9);
        assertFalse(memory.hasNone(9));
    }

    @Test
    void aThreadLooksAgainOnce() {
        StaleOpens opens = new StaleOpens(nanoTime::get);
        assertTrue(opens.shouldRetry(77));
        assertTrue(opens.shouldRetry(78));
        assertFalse(opens.shouldRetry(77));
        assertTrue(opens.shouldRetry(77));
        passMs(1500);
        assertTrue(opens.shouldRetry(77));
    }

    @Test
    void seenNamesFollowRenames() {
        SeenNames names = new SeenNames();
        Name a = Name.of("a");
        assertEquals(0, names.find(1, a));
        names.put(1, a, 5);
        assertEquals(5, names.find(1, a));
        assertEquals(0, names.find(2, a));
        assertEquals(5, names.remove(1, a));
        assertEquals(0, names.find(1, a));
    }

    @Test
    void hiddenNamesAreThoseOfLibfuse() {
        HiddenFiles hidden = new HiddenFiles();
        Name made = Name.of(".fuse_hidden0000000100000002");
        assertTrue(HiddenFiles.isHiddenName(made));
        assertFalse(HiddenFiles.isHiddenName(Name.of(".fuse_hidden")));
        hidden.add(made, 8);
        assertEquals(8, hidden.ino(made));
        hidden.removeInode(8);
        assertEquals(0, hidden.ino(made));
        assertFalse(hidden.remove(made));
    }

    @Test
    void openInodesAreCounted() {
        OpenInodes inodes = new OpenInodes();
        inodes.opened(3);
        inodes.opened(3);
        assertFalse(inodes.closed(3));
        assertTrue(inodes.isOpen(3));
        assertTrue(inodes.closed(3));
        assertFalse(inodes.isOpen(3));
    }

    @Test
    void locksOfADescriptionAreThoseThatNoProcessHasLost() {
        OpenInodes inodes = new OpenInodes();
        inodes.opened(3);
        inodes.opened(3);
        long process = 77;
        long description = 78;
        inodes.locked(3, process, 1);
        inodes.locked(3, process, 2);
        inodes.locked(3, description, 1);
        assertTrue(inodes.isLockedBeside(3, process, 1));
        assertFalse(inodes.isLockedBeside(3, description, 1));
        assertTrue(inodes.isLockedBeside(3, description, 2));
        assertTrue(inodes.unlocked(3, process));
        assertFalse(inodes.unlocked(3, process));
        inodes.locked(3, process, 2);
        assertEquals(List.of(description), inodes.ownersOnlyOf(3, 1));
        assertFalse(inodes.isLocked(3, description));
        assertTrue(inodes.isLocked(3, process));
    }
}
