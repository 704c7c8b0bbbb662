package io.cairn.metadata.inode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import java.util.List;
import org.junit.jupiter.api.Test;

class InodeDraftTest {
    @Test
    void everyFieldGoesThrough() {
        Inode inode =
                new Inode(
                        new Attributes(
                                1,
                                2,
                                FileType.FILE,
                                3,
                                4,
                                5,
                                6,
                                7,
                                8,
                                9,
                                10,
                                11,
                                12,
                                13,
                                Acls.NONE,
                                18,
                                20),
                        14,
                        19,
                        new Policy(1, 16, 2),
                        new Layout(16, 2, 3, List.of(Layout.Run.of(0, 1, 5))),
                        new byte[] {1},
                        15,
                        16,
                        17);
        assertEquals(inode, new InodeDraft(inode).seal());
    }

    @Test
    void sizesRoundUpWithoutOverflow() {
        assertEquals(0, InodeDraft.roundUp(0, 512));
        assertEquals(512, InodeDraft.roundUp(1, 512));
        assertEquals(512, InodeDraft.roundUp(512, 512));
        assertEquals(Long.MAX_VALUE - 511, InodeDraft.roundUp(Long.MAX_VALUE, 512));
        assertEquals(Long.MAX_VALUE - 4095, InodeDraft.roundUp(Long.MAX_VALUE - 4096, 4096));
    }

    @Test
    void privilegeOfDirectoriesStays() {
        InodeDraft directory = new InodeDraft(1, FileType.DIRECTORY, 0);
        directory.mode = 06755;
        directory.killPrivilege();
        assertEquals(06755, directory.mode);
    }
}
