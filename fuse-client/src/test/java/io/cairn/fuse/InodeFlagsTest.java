package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.testkit.Shell;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** chattr and lsattr on a mount, as administrators type them. */
@Timeout(60)
class InodeFlagsTest extends MountTest {
    private static final Set<Posix.Capability> FLAGS = EnumSet.of(Posix.Capability.INODE_FLAGS);

    /** Whether this process may protect inodes; not so in some containers. */
    private static boolean mayProtect(Path at) {
        try (Posix posix = new NativePosix(at, FLAGS, 0)) {
            return posix.capabilities().containsAll(FLAGS);
        }
    }

    @Test
    void theToolsShowAndSetFlags() throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mount(at, DriverKind.KERNEL)) {
            String shown =
                    Shell.run(
                            at,
                            """
                            echo text >f; mkdir d
                            chattr +dA f; lsattr f | cut -d' ' -f1 | tr -d -
                            chattr +A d; lsattr -d d | cut -d' ' -f1 | tr -d -
                            touch d/inherits; lsattr d/inherits | cut -d' ' -f1 | tr -d -
                            chattr =A f; lsattr f | cut -d' ' -f1 | tr -d -
                            lsattr -v f | sed 's/^ *//' | cut -d' ' -f1; lsattr -vd d | wc -l
                            if chattr +c f 2>/dev/null; then echo compressed; fi
                            """);
            assertEquals("dA\nA\nA\nA\n0\n1\n", shown);
            if (mayProtect(at)) {
                protect(at);
            }
        }
    }

    private static void protect(Path at) throws Exception {
        Shell.run(
                at,
                """
                refused() { ! "$@" 2>err || { echo "not refused: $*"; exit 1; }
                    grep -q 'not permitted' err || { cat err; exit 1; }; }
                write() { echo "$2" >"$1"; }
                append() { echo "$2" >>"$1"; }
                trap 'chattr -R -ia . 2>/dev/null' EXIT
                mkdir i a; echo one >i/f; echo one >a/f; echo log >log; echo still >still
                chattr +i still i; chattr +a log a
                lsattr -d still i | cut -d' ' -f1 | tr -d - | tr '\\n' ' ' | grep -qx 'i i '
                for each in 'write still x' 'append still x' 'rm -f still' 'mv still other' \\
                    'ln still other' 'chmod 600 still' 'chown 7 still' 'touch still' \\
                    'truncate -s 0 still' 'touch i/new' 'mkdir i/new' 'rm -f i/f' \\
                    'mv i/f i/g' 'mv i moved' 'write log x' 'truncate -s 0 log' 'rm -f log' \\
                    'mv log other' 'ln log other' 'touch -d 2001-01-01 log' 'rm -f a/f' \\
                    'mv a/f a/g' 'rm -rf a' 'rm -rf i'; do refused $each; done
                append log two; touch log; touch a/new; append a/f two; append i/f two
                test "$(cat log)" = "$(printf 'log\\ntwo')"
                test "$(cat still)" = still
                chattr -i still i; chattr -a log a
                rm -r still i log a
                """);
    }

    @Test
    void clearingAppendOfAnOpenFileOpensNoWay() throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mount(at, DriverKind.KERNEL);
                Posix posix = new NativePosix(at, FLAGS, 0)) {
            if (!mayProtect(at)) {
                return;
            }
            posix.create("log", 0644);
            posix.setflags("log", Attributes.APPEND);
            int fd = posix.open("log", Posix.O_RDWR | Posix.O_APPEND, 0);
            byte[] bytes = "0123456789".getBytes(StandardCharsets.US_ASCII);
            posix.write(fd, bytes);
            posix.setAppend(fd, false);
            FsException refused =
                    assertThrows(FsException.class, () -> posix.pwrite(fd, new byte[3], 2));
            assertEquals(Errno.EPERM, refused.errno());
            posix.setAppend(fd, true);
            assertEquals(3, posix.write(fd, new byte[3]));
            posix.close(fd);
            assertEquals(13, posix.stat("log").size());
            posix.setflags("log", 0);
            posix.truncate("log", 0);
        }
    }

    @Test
    void otherControlsAreUnknown() throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mount(at, DriverKind.KERNEL)) {
            Shell.run(
                    at,
                    """
                    echo text >f
                    perl -e 'use Errno; open(F, "<", "f") or die; my $b = "\\0" x 64;
                        sub fails { my ($n, $e) = @_; !defined(ioctl(F, $n, $b)) && $! == $e
                            or die sprintf("ioctl %x: %s", $n, $!); }
                        fails(0x5401, Errno::ENOTTY); fails(0x4711, Errno::ENOTTY);
                        defined(ioctl(F, 0x541b, $b)) or die "FIONREAD";
                        unpack("i", $b) == 5 or die;
                        defined(ioctl(F, 2, $b)) or die "FIGETBSZ"; unpack("i", $b) == 4096 or die;'
                    """);
        }
    }
}
