package io.cairn.fuse.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountTableTest {
    @Test
    void parsesOptionalFieldsAndEscapes() {
        String text =
                """
                36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:2 - ext3 /dev/root rw
                40 35 0:52 / /mnt/a\\040b rw - fuse.cairn host\\011x rw,user_id=0
                garbage
                """;
        assertEquals(
                List.of(
                        new MountTable.Entry("98:0", Path.of("/mnt2"), "ext3", "/dev/root"),
                        new MountTable.Entry("0:52", Path.of("/mnt/a b"), "fuse.cairn", "host\tx")),
                MountTable.parse(text));
    }

    @Test
    void findsTheRoot() {
        assertNotNull(MountTable.find(Path.of("/")));
    }
}
