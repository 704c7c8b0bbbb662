package io.cairn.testkit.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.runtime.Clock;
import io.cairn.testkit.contract.ModelContractTest;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What only the seam of the model shows; the rest is in {@link ModelContractTest}. */
final class ModelFileSystemTest {
    private static final long CAPACITY = 10L * ModelContents.PAGE_BYTES;
    private static final Caller USER = Caller.of(1000, 1000);
    private static final Caller CHECKED = Caller.checkedByKernel(1000, 1000);

    private final ModelFileSystem fs = new ModelFileSystem(Clock.system(), 100, CAPACITY);

    private OpenFile create(String name) {
        return fs.create(
                        Caller.ROOT,
                        FileSystem.ROOT_INO,
                        Name.of(name),
                        0600,
                        FileSystem.O_RDWR | FileSystem.O_CREAT)
                .file();
    }

    private static void fails(Errno errno, Runnable action) {
        assertEquals(errno, assertThrows(FsException.class, action::run).errno());
    }

    @Test
    void fullFilesystemRefusesWritesAndTakesThemAgainAfterDeletion() {
        OpenFile a = create("a");
        a.write(0, ByteBuffer.allocate((int) CAPACITY));
        OpenFile b = create("b");
        fails(Errno.ENOSPC, () -> b.write(0, ByteBuffer.allocate(1)));
        assertEquals(0, fs.usage().freeBytes());
        fs.unlink(Caller.ROOT, FileSystem.ROOT_INO, Name.of("a"));
        fails(Errno.ENOSPC, () -> b.write(0, ByteBuffer.allocate(1)));
        a.close();
        assertEquals(1, b.write(0, ByteBuffer.allocate(1)));
        assertEquals(CAPACITY - ModelContents.PAGE_BYTES, fs.usage().freeBytes());
    }

    @Test
    void checkedCallersAreNotCheckedAgain() {
        OpenFile file = create("a");
        fails(Errno.EACCES, () -> fs.open(USER, file.ino(), FileSystem.O_RDONLY));
        fs.open(CHECKED, file.ino(), FileSystem.O_RDONLY).close();
        fails(Errno.EACCES, () -> fs.mkdir(USER, FileSystem.ROOT_INO, Name.of("d"), 0755));
        assertEquals(1000, fs.mkdir(CHECKED, FileSystem.ROOT_INO, Name.of("d"), 0755).uid());
    }

    @Test
    void orphanLivesUntilItsLastClose() {
        OpenFile file = create("a");
        OpenFile again = fs.open(Caller.ROOT, file.ino(), FileSystem.O_RDONLY);
        fs.unlink(Caller.ROOT, FileSystem.ROOT_INO, Name.of("a"));
        file.close();
        file.close();
        assertEquals(0, fs.getAttributes(Caller.ROOT, again.ino()).nlink());
        again.close();
        fails(Errno.ESTALE, () -> fs.getAttributes(Caller.ROOT, again.ino()));
    }

    @Test
    void pagesOfAListingHaveEveryNameOnceInCookieOrder() {
        for (int i = 0; i < 100; i++) {
            create("f" + i).close();
        }
        Set<String> seen = new HashSet<>();
        long cookie = 0;
        DirectoryPage page;
        do {
            page = fs.readDirectory(Caller.ROOT, FileSystem.ROOT_INO, cookie, 9, true);
            for (DirectoryEntry entry : page.entries()) {
                assertTrue(entry.cookie() >= cookie);
                assertTrue(seen.add(entry.name().toString()));
                assertEquals(entry.name().cookie(), entry.cookie());
                cookie = entry.cookie();
            }
        } while (!page.end());
        assertEquals(100, seen.size());
    }

    @Test
    void offsetsBeyondTheLargestFileAreEfbig() {
        OpenFile file = create("a");
        fails(Errno.EFBIG, () -> file.write(FileSystem.MAX_FILE_BYTES, ByteBuffer.allocate(1)));
        assertEquals(0, file.attributes().size());
    }

    @Test
    void closedFileIsEbadf() {
        OpenFile file = create("a");
        file.close();
        fails(Errno.EBADF, () -> file.read(0, ByteBuffer.allocate(1)));
        fails(Errno.EBADF, () -> file.sync(false));
    }
}
