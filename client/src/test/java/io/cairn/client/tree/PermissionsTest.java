package io.cairn.client.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.tree.Permissions.XattrUse;
import io.cairn.fs.Acls;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who may do what. */
class PermissionsTest {
    private static final Caller OWNER = Caller.of(10, 20);
    private static final Caller MEMBER = Caller.of(11, 99, 20);
    private static final Caller OTHER = Caller.of(12, 22);
    private static final int READ = FileSystem.ACCESS_READ;
    private static final int WRITE = FileSystem.ACCESS_WRITE;
    private static final int EXECUTE = FileSystem.ACCESS_EXECUTE;

    private static Attributes inode(FileType type, int mode) {
        return new Attributes(5, 1, type, mode, 1, 10, 20, 0, 0, 0, 0, 0, 0, 1, Acls.NONE, 0, 0);
    }

    private static Attributes file(int mode) {
        return inode(FileType.FILE, mode);
    }

    private static Attributes flagged(int flags) {
        return new Attributes(
                5, 1, FileType.FILE, 0666, 1, 10, 20, 0, 0, 0, 0, 0, 0, 1, Acls.NONE, 0, flags);
    }

    @Test
    void protectedFilesRefuseEverybody() {
        Attributes immutable = flagged(Attributes.IMMUTABLE);
        Attributes append = flagged(Attributes.APPEND);
        int truncate = FileSystem.O_TRUNC;
        int appending = FileSystem.O_WRONLY | FileSystem.O_APPEND;
        Caller checked = Caller.checkedByKernel(12, 22);
        for (Caller caller : List.of(Caller.ROOT, Caller.of(10, 20), checked)) {
            refused(
                    Errno.EPERM,
                    () -> Permissions.require(caller, immutable, FileSystem.ACCESS_WRITE));
            Permissions.require(caller, append, FileSystem.ACCESS_WRITE);
            refused(Errno.EPERM, () -> Permissions.open(caller, immutable, appending));
            Permissions.open(caller, immutable, FileSystem.O_RDONLY);
            refused(Errno.EPERM, () -> Permissions.open(caller, append, FileSystem.O_RDWR));
            refused(Errno.EPERM, () -> Permissions.open(caller, append, appending | truncate));
            Permissions.open(caller, append, appending);
        }
    }

    @Test
    void onlyRootProtects() {
        AttributeChange immutable =
                AttributeChange.NONE.withFlags(Attributes.ALL_FLAGS, Attributes.IMMUTABLE);
        AttributeChange harmless =
                AttributeChange.NONE.withFlags(Attributes.ALL_FLAGS, Attributes.NOATIME);
        Caller owner = Caller.of(10, 20);
        Caller other = Caller.of(11, 20);
        Permissions.change(Caller.ROOT, flagged(0), immutable);
        Permissions.change(owner, flagged(0), harmless);
        refused(Errno.EPERM, () -> Permissions.change(other, flagged(0), harmless));
        refused(Errno.EPERM, () -> Permissions.change(owner, flagged(0), immutable));
        Caller checkedOther = Caller.checkedByKernel(11, 20);
        refused(Errno.EPERM, () -> Permissions.change(checkedOther, flagged(0), harmless));
        Permissions.change(Caller.checkedByKernel(10, 20), flagged(0), harmless);
        Permissions.change(Caller.checkedByKernel(0, 0), flagged(0), immutable);
        int append = Attributes.APPEND;
        refused(Errno.EPERM, () -> Permissions.change(owner, flagged(append), harmless));
    }

    private static Attributes directory(int mode) {
        return inode(FileType.DIRECTORY, mode);
    }

    private static void refused(Errno errno, Runnable action) {
        FsException error = assertThrows(FsException.class, action::run);
        assertEquals(errno, error.errno());
    }

    private static byte[] name(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void firstClassThatMatchesDecides() {
        Attributes file = file(0057);
        assertFalse(Permissions.grants(OWNER, file, READ));
        assertTrue(Permissions.grants(MEMBER, file, READ | EXECUTE));
        assertFalse(Permissions.grants(MEMBER, file, WRITE));
        assertTrue(Permissions.grants(OTHER, file, READ | WRITE | EXECUTE));
        assertTrue(Permissions.grants(Caller.checkedByKernel(12, 22), file(0), READ));
    }

    @Test
    void rootExecutesOnlyWhatIsExecutable() {
        assertTrue(Permissions.grants(Caller.ROOT, file(0), READ | WRITE));
        assertFalse(Permissions.grants(Caller.ROOT, file(0666), EXECUTE));
        assertTrue(Permissions.grants(Caller.ROOT, file(0001), EXECUTE));
        assertTrue(Permissions.grants(Caller.ROOT, directory(0), EXECUTE));
    }

    @Test
    void stickyDirectoryProtectsOthersFiles() {
        Attributes sticky = directory(01777);
        Permissions.remove(OWNER, sticky, file(0600));
        refused(Errno.EPERM, () -> Permissions.remove(OTHER, sticky, file(0666)));
        Permissions.remove(OTHER, directory(0777), file(0600));
        refused(Errno.EACCES, () -> Permissions.remove(OTHER, directory(0755), file(0666)));
        Permissions.remove(Caller.ROOT, sticky, file(0600));
    }

    @Test
    void modeIsTheOwnersAndSetgidTheMembers() {
        AttributeChange setgid = AttributeChange.NONE.withMode(02755);
        refused(Errno.EPERM, () -> Permissions.change(OTHER, file(0777), setgid));
        assertEquals(02755, Permissions.change(OWNER, file(0644), setgid).mode());
        Caller ownerElsewhere = Caller.of(10, 77);
        assertEquals(0755, Permissions.change(ownerElsewhere, file(0644), setgid).mode());
    }

    @Test
    void ownersGiveToTheirGroupsOnlyAndLosePrivilege() {
        AttributeChange toGroup = AttributeChange.NONE.withGid(33);
        refused(Errno.EPERM, () -> Permissions.change(OWNER, file(0644), toGroup));
        AttributeChange change = Permissions.change(Caller.of(10, 20, 33), file(06755), toGroup);
        assertTrue(change.has(AttributeChange.KILL_PRIVILEGE));
        refused(
                Errno.EPERM,
                () -> Permissions.change(OWNER, file(0644), AttributeChange.NONE.withUid(12)));
        Permissions.change(OWNER, file(0644), AttributeChange.NONE.withUid(10));
        assertTrue(
                Permissions.change(Caller.ROOT, file(0), AttributeChange.NONE.withUid(1))
                        .has(AttributeChange.KILL_PRIVILEGE));
        assertFalse(
                Permissions.change(Caller.ROOT, directory(0), AttributeChange.NONE.withUid(1))
                        .has(AttributeChange.KILL_PRIVILEGE));
    }

    @Test
    void timesAreTheOwnersNowIsTheWriters() {
        AttributeChange explicit = AttributeChange.NONE.withMtime(5);
        AttributeChange now =
                AttributeChange.NONE.withBits(
                        AttributeChange.ATIME
                                | AttributeChange.MTIME
                                | AttributeChange.ATIME_NOW
                                | AttributeChange.MTIME_NOW);
        refused(Errno.EPERM, () -> Permissions.change(OTHER, file(0666), explicit));
        Permissions.change(OTHER, file(0666), now);
        refused(Errno.EACCES, () -> Permissions.change(OTHER, file(0644), now));
        Permissions.change(OWNER, file(0), explicit);
    }

    @Test
    void truncationNeedsWriteAndTakesPrivilege() {
        AttributeChange cut = AttributeChange.NONE.withSize(0);
        refused(Errno.EACCES, () -> Permissions.change(OTHER, file(0644), cut));
        assertTrue(Permissions.change(OTHER, file(04666), cut).has(AttributeChange.KILL_PRIVILEGE));
        assertFalse(
                Permissions.change(Caller.ROOT, file(04666), cut)
                        .has(AttributeChange.KILL_PRIVILEGE));
        assertTrue(Permissions.losesPrivilege(OTHER, file(02710)));
        assertFalse(Permissions.losesPrivilege(OTHER, file(02700)));
    }

    @Test
    void attributeNamespaces() {
        Attributes open = file(0644);
        Permissions.xattr(OTHER, open, name("user.a"), XattrUse.GET);
        refused(Errno.EACCES, () -> Permissions.xattr(OTHER, open, name("user.a"), XattrUse.SET));
        refused(
                Errno.EPERM,
                () ->
                        Permissions.xattr(
                                Caller.ROOT,
                                inode(FileType.SYMLINK, 0777),
                                name("user.a"),
                                XattrUse.SET));
        refused(
                Errno.ENODATA,
                () -> Permissions.xattr(OTHER, open, name("trusted.a"), XattrUse.GET));
        Permissions.xattr(OTHER, open, name("security.a"), XattrUse.GET);
        refused(
                Errno.EPERM,
                () -> Permissions.xattr(OWNER, open, name("security.a"), XattrUse.SET));
        refused(
                Errno.EOPNOTSUPP,
                () -> Permissions.xattr(Caller.ROOT, open, name("system.nfs4_acl"), XattrUse.GET));
        refused(
                Errno.ERANGE,
                () -> Permissions.xattr(Caller.ROOT, open, new byte[256], XattrUse.GET));
        assertFalse(Permissions.lists(OTHER, name("trusted.a")));
        assertTrue(Permissions.lists(Caller.ROOT, name("trusted.a")));
    }

    @Test
    void newFilesOfStrangersAreNotSetgid() {
        assertEquals(0755, Permissions.modeOfNew(OTHER, directory(02777), 02755));
        assertEquals(02755, Permissions.modeOfNew(MEMBER, directory(02777), 02755));
        assertEquals(02755, Permissions.modeOfNew(OTHER, directory(0777), 02755));
    }
}
