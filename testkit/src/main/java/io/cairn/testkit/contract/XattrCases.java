package io.cairn.testkit.contract;

import static io.cairn.fs.FileSystem.XATTR_CREATE;
import static io.cairn.fs.FileSystem.XATTR_REPLACE;
import static io.cairn.testkit.posix.Posix.Capability.LARGE_XATTR;
import static io.cairn.testkit.posix.Posix.Capability.SPECIAL_FILES;
import static io.cairn.testkit.posix.Posix.Capability.XATTR;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;
import java.util.List;
import java.util.Random;

/** xattr(7) and the calls it names. */
final class XattrCases extends Scene {
    XattrCases(Posix fs) {
        super(fs);
        fs.create("f", 0644);
    }

    private void set(String name, String value) {
        fs.setxattr("f", name, bytes(value), 0);
    }

    private String value(String name) {
        return text(fs.getxattr("f", name, 1 << 16));
    }

    /** The names, without those that security modules of the machine add by themselves. */
    private List<String> names(Posix who) {
        return who.listxattr("f").stream()
                .filter(name -> !name.equals("security.selinux"))
                .sorted()
                .toList();
    }

    @Case(needs = XATTR)
    void valueIsKept() {
        set("user.a", "one");
        set("user.b", "");
        assertEquals("one", value("user.a"));
        assertEquals("", value("user.b"));
        assertEquals(List.of("user.a", "user.b"), names(fs));
    }

    @Case(needs = XATTR)
    void valueIsReplacedByAShorterAndALongerOne() {
        set("user.a", "medium");
        set("user.a", "s");
        assertEquals("s", value("user.a"));
        set("user.a", repeat('l', 1000));
        assertEquals(repeat('l', 1000), value("user.a"));
        assertEquals(1, names(fs).size());
    }

    @Case(needs = XATTR)
    void valuesAreBytes() {
        byte[] value = new byte[256];
        new Random(3).nextBytes(value);
        fs.setxattr("f", "user.bytes", value, 0);
        assertArrayEquals(value, fs.getxattr("f", "user.bytes", 1000));
    }

    @Case(needs = XATTR)
    void settingMovesCtimeOnly() {
        moves("", ".", () -> moves("c", "f", () -> set("user.a", "x")));
        moves("c", "f", () -> fs.removexattr("f", "user.a"));
    }

    @Case(needs = XATTR)
    void missingNameIsEnodata() {
        fails(Errno.ENODATA, () -> value("user.missing"));
        fails(Errno.ENODATA, () -> fs.removexattr("f", "user.missing"));
        fails(Errno.ENOENT, () -> fs.getxattr("missing", "user.a", 10));
        assertEquals(List.of(), names(fs));
    }

    @Case(needs = XATTR)
    void removedNameIsGone() {
        set("user.a", "x");
        set("user.b", "y");
        fs.removexattr("f", "user.a");
        fails(Errno.ENODATA, () -> value("user.a"));
        assertEquals(List.of("user.b"), names(fs));
    }

    @Case(needs = XATTR)
    void createFlagRefusesAnExistingName() {
        fs.setxattr("f", "user.a", bytes("x"), XATTR_CREATE);
        fails(Errno.EEXIST, () -> fs.setxattr("f", "user.a", bytes("y"), XATTR_CREATE));
        assertEquals("x", value("user.a"));
    }

    @Case(needs = XATTR)
    void replaceFlagRefusesAMissingName() {
        fails(Errno.ENODATA, () -> fs.setxattr("f", "user.a", bytes("y"), XATTR_REPLACE));
        set("user.a", "x");
        fs.setxattr("f", "user.a", bytes("y"), XATTR_REPLACE);
        assertEquals("y", value("user.a"));
    }

    @Case(needs = XATTR)
    void smallBufferIsErangeAndNoBufferTellsTheLength() {
        set("user.a", "12345");
        fails(Errno.ERANGE, () -> fs.getxattr("f", "user.a", 4));
        assertEquals(5, fs.getxattr("f", "user.a", 5).length);
        assertEquals(5, fs.getxattr("f", "user.a", 0).length);
    }

    @Case(needs = XATTR)
    void unknownNamespaceIsUnsupported() {
        fails(Errno.EOPNOTSUPP, () -> set("nonsense", "x"));
        fails(Errno.EOPNOTSUPP, () -> set("other.a", "x"));
        fails(Errno.EOPNOTSUPP, () -> value("other.a"));
    }

    @Case(needs = XATTR)
    void namesHaveTwoHundredFiftyFiveBytes() {
        String longest = "user." + repeat('n', 250);
        set(longest, "x");
        assertEquals("x", value(longest));
        fails(Errno.ERANGE, () -> set(longest + "n", "x"));
        fails(Errno.ERANGE, () -> set("", "x"));
    }

    @Case(needs = XATTR)
    void valuesBeyondTheLimitAreE2big() {
        fails(Errno.E2BIG, () -> fs.setxattr("f", "user.a", new byte[65_537], 0));
    }

    @Case(needs = {XATTR, LARGE_XATTR})
    void valuesHaveSixtyFourKilobytes() {
        byte[] value = new byte[65_536];
        new Random(5).nextBytes(value);
        fs.setxattr("f", "user.big", value, 0);
        assertArrayEquals(value, fs.getxattr("f", "user.big", 65_536));
    }

    @Case(needs = XATTR)
    void directoriesHaveAttributes() {
        fs.mkdir("d", 0755);
        fs.setxattr("d", "user.a", bytes("x"), 0);
        assertEquals("x", text(fs.getxattr("d", "user.a", 10)));
    }

    @Case(needs = {XATTR, SPECIAL_FILES})
    void userAttributesAreForFilesAndDirectories() {
        fs.mknod("p", FileType.FIFO, 0666, 0);
        fs.symlink("f", "l");
        fails(Errno.EPERM, () -> fs.setxattr("p", "user.a", bytes("x"), 0));
        fails(Errno.EPERM, () -> fs.lsetxattr("l", "user.a", bytes("x"), 0));
        fails(Errno.ENODATA, () -> fs.getxattr("p", "user.a", 10));
    }

    @Case(needs = XATTR)
    void attributesFollowLinks() {
        fs.symlink("f", "l");
        fs.setxattr("l", "user.a", bytes("x"), 0);
        assertEquals("x", value("user.a"));
    }

    @Case(needs = XATTR)
    void trustedAttributesOfLinksAreTheirOwn() {
        fs.symlink("f", "l");
        fs.lsetxattr("l", "trusted.a", bytes("x"), 0);
        fails(Errno.ENODATA, () -> value("trusted.a"));
    }

    @Case(needs = XATTR)
    void userAttributesNeedThePermissionsOfTheFile() {
        set("user.a", "x");
        assertEquals("x", text(ann().getxattr("f", "user.a", 10)));
        fails(Errno.EACCES, () -> ann().setxattr("f", "user.a", bytes("y"), 0));
        fails(Errno.EACCES, () -> ann().removexattr("f", "user.a"));
        fs.chmod("f", 0600);
        fails(Errno.EACCES, () -> ann().getxattr("f", "user.a", 10));
        assertEquals(List.of("user.a"), names(ann()));
    }

    @Case(needs = XATTR)
    void stickyDirectoriesTakeUserAttributesFromTheirOwner() {
        fs.mkdir("d", 0777);
        fs.chmod("d", 01777);
        fails(Errno.EPERM, () -> ann().setxattr("d", "user.a", bytes("y"), 0));
        fs.chown("d", ANN, ANNS);
        ann().setxattr("d", "user.a", bytes("y"), 0);
    }

    @Case(needs = XATTR)
    void trustedAttributesAreForTheSuperuser() {
        set("trusted.a", "x");
        assertEquals("x", value("trusted.a"));
        fs.chown("f", ANN, ANNS);
        fails(Errno.EPERM, () -> ann().setxattr("f", "trusted.a", bytes("y"), 0));
        fails(Errno.EPERM, () -> ann().removexattr("f", "trusted.a"));
        fails(Errno.ENODATA, () -> ann().getxattr("f", "trusted.a", 10));
        assertEquals(List.of("trusted.a"), names(fs));
        assertEquals(List.of(), names(ann()));
    }

    @Case(needs = XATTR)
    void securityAttributesAreReadByAll() {
        set("security.cairn", "x");
        assertEquals("x", text(ann().getxattr("f", "security.cairn", 10)));
        fs.chown("f", ANN, ANNS);
        fails(Errno.EPERM, () -> ann().setxattr("f", "security.cairn", bytes("y"), 0));
    }

    @Case(needs = XATTR)
    void attributesFollowTheFileThroughRenameAndLink() {
        set("user.a", "x");
        fs.link("f", "g");
        fs.rename("f", "h", 0);
        assertEquals("x", text(fs.getxattr("g", "user.a", 10)));
        assertEquals("x", text(fs.getxattr("h", "user.a", 10)));
    }

    @Case(needs = XATTR)
    void newFileUnderAnOldNameHasNoAttributes() {
        set("user.a", "x");
        fs.unlink("f");
        fs.create("f", 0644);
        assertEquals(List.of(), names(fs));
    }

    @Case(needs = XATTR)
    void manyAttributesAreKeptApart() {
        for (int i = 0; i < 30; i++) {
            set("user.n" + i, "value " + i);
        }
        assertEquals(30, names(fs).size());
        for (int i = 0; i < 30; i++) {
            assertEquals("value " + i, value("user.n" + i));
        }
    }
}
