package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What fallocate asks of quotas and of disks; two copies of each byte. */
final class PreallocationTest {
    private static final int KEEP_SIZE = 1;
    private static final int MIB = 1 << 20;

    @TempDir private Path directory;

    private static OpenFile create(CairnFileSystem fs, long parent, String name) {
        return fs.create(Caller.ROOT, parent, Name.of(name), 0644, FileSystem.O_RDWR).file();
    }

    private static void fails(Errno errno, OpenFile file, int mode, long length) {
        FsException refused = assertThrows(FsException.class, () -> file.allocate(mode, 0, length));
        assertEquals(errno, refused.errno());
    }

    private static void write(OpenFile file, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 1);
        file.write(0, ByteBuffer.wrap(bytes));
        file.sync(false);
    }

    private static void limit(TestCluster cluster, long dir, long spaceBytes) throws Exception {
        Quota quota = new Quota(Sums.ZERO, new Sums(0, 0, spaceBytes), 0);
        LeaderMutation limit = new LeaderMutation.SetQuota(Account.directory(dir), quota, false);
        Reply reply = cluster.embedded().service().submit(limit).get(60, TimeUnit.SECONDS);
        assertEquals(new Reply.Done(), reply);
    }

    @Test
    void holesHaveToFitIntoASpaceQuotaAndAllOntoTheDisks() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 2, 2)) {
            CairnFileSystem fs = cluster.client("java");
            long dir = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("d"), 0755).ino();
            try (OpenFile free = create(fs, FileSystem.ROOT_INO, "free")) {
                fails(Errno.ENOSPC, free, 0, 1L << 50);
                fails(Errno.ENOSPC, free, KEEP_SIZE, 1L << 50);
                free.allocate(0, 0, 3 * MIB);
                assertEquals(3 * MIB, free.attributes().size());
            }
            limit(cluster, dir, 8 * MIB);
            CairnFileSystem limited = cluster.client("limited");
            try (OpenFile file = create(limited, dir, "f");
                    OpenFile other = create(limited, dir, "g")) {
                file.allocate(0, 0, 3 * MIB);
                file.allocate(0, 0, 3 * MIB);
                file.allocate(KEEP_SIZE, 0, 4 * MIB);
                fails(Errno.EDQUOT, file, KEEP_SIZE, 5 * MIB);
                write(file, MIB);
                file.allocate(0, 0, 3 * MIB);
                write(other, 2 * MIB);
                // One MiB is left, and two are missing below the end.
                fails(Errno.EDQUOT, file, 0, 3 * MIB);
                fails(Errno.EDQUOT, file, KEEP_SIZE, 3 * MIB);
                file.allocate(0, 0, MIB);
                other.allocate(0, 0, 2 * MIB);
                assertEquals(3 * MIB, file.attributes().size());
            }
        }
    }
}
