package io.cairn.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import org.junit.jupiter.api.Test;

final class NfsStatusTest {
    @Test
    void whatMayGoAwayByItselfIsTriedAgain() {
        for (Errno errno : Errno.values()) {
            if (errno.isTransient()) {
                assertEquals(NfsStatus.JUKEBOX, NfsStatus.of(errno), errno.name());
            }
        }
        FsException lost = new FsException(Errno.DISCONNECTED, "the master is away");
        assertEquals(
                NfsStatus.JUKEBOX,
                NfsStatus.of(new FsException(Errno.EIO, "as doors see it", lost)));
        FsException bad = new FsException(Errno.EBADMSG, "every replica is bad");
        assertEquals(NfsStatus.IO, NfsStatus.of(new FsException(Errno.EIO, "read", bad)));
        assertEquals(NfsStatus.IO, NfsStatus.of(new FsException(Errno.EIO, "lost bytes")));
        assertEquals(NfsStatus.NOT_SYNC, NfsStatus.of(Errno.ECANCELED));
    }
}
