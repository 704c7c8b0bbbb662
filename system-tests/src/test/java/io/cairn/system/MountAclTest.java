package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.Acl;
import io.cairn.fs.Caller;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.node.Closing;
import io.cairn.node.EmbeddedCluster;
import io.cairn.node.MountNode;
import io.cairn.node.ProcessContext;
import io.cairn.node.Source;
import io.cairn.testkit.Shell;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Access control lists through mounts: stored as they are, and tied to the mode. */
final class MountAclTest {
    @TempDir private Path base;
    private final Closing closing = new Closing();

    private Posix mount(String given) throws Exception {
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path mountpoint = Files.createDirectory(base.resolve("mnt"));
        ProcessContext world = closing.add(new ProcessContext());
        Endpoint any = new Endpoint("127.0.0.1", 0);
        EmbeddedCluster cluster =
                closing.add(
                        EmbeddedCluster.start(
                                world,
                                new EmbeddedCluster.Plan(base.resolve("data"), 1, 1, any, any)));
        Source source = new Source(List.of(cluster.master()), "/");
        MountOptions options = MountOptions.parse(given);
        closing.add(new MountNode(world, source, mountpoint, options));
        return new NativePosix(mountpoint, EnumSet.noneOf(Posix.Capability.class), 0);
    }

    @AfterEach
    void stop() throws Exception {
        closing.close();
        ProcessCluster.unmount(base.resolve("mnt"));
    }

    private String run(String script) throws Exception {
        return Shell.run(base, script).strip();
    }

    private static Acl acl(int mode, int userBits, int mask) {
        List<Acl.Entry> entries = new ArrayList<>(Acl.ofMode(mode).entries());
        entries.add(new Acl.Entry(Acl.Tag.USER, userBits, 1000));
        entries.add(new Acl.Entry(Acl.Tag.MASK, mask, 0));
        return Acl.of(entries);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void listsAreKeptWithTheMode(String driver) throws Exception {
        Posix posix = mount("driver=" + driver);
        run("echo text >mnt/f; chmod 640 mnt/f; mkdir mnt/d; chmod 755 mnt/d");
        posix.setxattr("f", Acl.ACCESS_ATTRIBUTE, acl(0640, 7, 6).toBytes(), 0);
        assertEquals("660", run("stat -c %a mnt/f"));
        run("chmod 604 mnt/f");
        byte[] told = posix.getxattr("f", Acl.ACCESS_ATTRIBUTE, 1000);
        assertArrayEquals(acl(0644, 7, 0).toBytes(), told);
        assertTrue(posix.listxattr("f").contains(Acl.ACCESS_ATTRIBUTE));
        posix.setxattr("d", Acl.DEFAULT_ATTRIBUTE, acl(0750, 7, 7).toBytes(), 0);
        run("umask 022; echo text >mnt/d/g; mkdir mnt/d/s");
        String inherited = driver.equals("kernel") ? "660" : "640";
        assertEquals(inherited, run("stat -c %a mnt/d/g"), "jnr takes the umask away, too");
        run("umask 077; echo text >mnt/h; mkdir mnt/s; mkfifo mnt/p");
        assertEquals("600 700 600", run("stat -c %a mnt/h mnt/s mnt/p | xargs"), "no list there");
        assertArrayEquals(
                acl(0750, 7, 7).toBytes(), posix.getxattr("d/s", Acl.DEFAULT_ATTRIBUTE, 1000));
        run("chmod 660 mnt/f");
        posix.removexattr("f", Acl.ACCESS_ATTRIBUTE);
        assertEquals("660", run("stat -c %a mnt/f"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void aListByAnOwnerOutsideTheGroupTakesSetGidAway(String driver) throws Exception {
        Posix posix = mount("driver=" + driver);
        int user = 12_345;
        byte[] list = acl(0770, 7, 7).toBytes();
        posix.create("f", 0775);
        posix.chown("f", user, 7);
        posix.chmod("f", 02775);
        posix.setxattr("f", Acl.ACCESS_ATTRIBUTE, list, 0);
        assertEquals(02770, posix.stat("f").mode(), "root may");
        posix.as(Caller.of(user, user, 7)).setxattr("f", Acl.ACCESS_ATTRIBUTE, list, 0);
        assertEquals(02770, posix.stat("f").mode(), "so may who is in the group");
        posix.as(Caller.of(user, user)).setxattr("f", Acl.ACCESS_ATTRIBUTE, list, 0);
        assertEquals(0770, posix.stat("f").mode());
    }

    @Test
    void theKernelEnforcesListsWhenAsked() throws Exception {
        Posix posix = mount("acl");
        String asUser = "setpriv --reuid 1000 --regid 1000 --clear-groups ";
        run("echo text >mnt/f; chmod 600 mnt/f; mkdir mnt/d");
        assertEquals("refused", run(asUser + "cat mnt/f 2>/dev/null || echo refused"));
        posix.setxattr("f", Acl.ACCESS_ATTRIBUTE, acl(0600, 6, 6).toBytes(), 0);
        assertEquals("text", run(asUser + "cat mnt/f"));
        posix.setxattr("f", Acl.ACCESS_ATTRIBUTE, acl(0600, 6, 0).toBytes(), 0);
        assertEquals("refused", run(asUser + "cat mnt/f 2>/dev/null || echo refused"));

        run("umask 077; echo text >mnt/plain; mkdir mnt/plain.d; mkfifo mnt/plain.p");
        assertEquals("600 700 600", run("stat -c %a mnt/plain* | xargs"));
        posix.setxattr("d", Acl.DEFAULT_ATTRIBUTE, acl(0750, 7, 7).toBytes(), 0);
        run("umask 077; echo text >mnt/d/g; mkdir mnt/d/s; mkfifo mnt/d/p");
        assertEquals("660 660 770", run("stat -c %a mnt/d/g mnt/d/p mnt/d/s | xargs"));
        assertEquals("text", run(asUser + "cat mnt/d/g"));
    }
}
