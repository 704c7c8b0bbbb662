package io.cairn.metadata.state;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.cairn.cluster.Inode;
import io.cairn.fs.FileType;
import io.cairn.metadata.inode.InodeDraft;
import org.junit.jupiter.api.Test;

class InodeCacheTest {
    private final InodeCache cache = new InodeCache();

    private static Inode inode(long ino, int inlineBytes) {
        InodeDraft draft = new InodeDraft(ino, FileType.FILE, 1);
        draft.setInline(new byte[inlineBytes]);
        return draft.seal();
    }

    @Test
    void findsTheLastOnePut() {
        Inode older = inode(5, 0);
        Inode newer = inode(5, 1);
        cache.put(older);
        assertSame(older, cache.get(5));
        cache.put(newer);
        assertSame(newer, cache.get(5));
        cache.remove(5);
        assertNull(cache.get(5));
    }

    @Test
    void neighboursOfASlotReplaceEachOtherAndAreNotMistaken() {
        Inode inode = inode(5, 0);
        cache.put(inode);
        assertNull(cache.get(5 + InodeCache.SLOTS));
        cache.remove(5 + InodeCache.SLOTS);
        assertSame(inode, cache.get(5));
        cache.put(inode(5 + InodeCache.SLOTS, 0));
        assertNull(cache.get(5));
    }

    @Test
    void longContentsStayOutAndTakeTheOldStateWithThem() {
        cache.put(inode(5, InodeCache.MAX_INLINE_BYTES));
        cache.put(inode(5, InodeCache.MAX_INLINE_BYTES + 1));
        assertNull(cache.get(5));
    }
}
