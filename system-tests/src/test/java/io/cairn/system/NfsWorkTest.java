package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** An NFS client that is not ours (libnfs) beside a FUSE mount of the same cluster. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class NfsWorkTest {
    @TempDir private static Path directory;
    private Path mount = Path.of("/");
    private String port = "";
    private CairnProcess up;

    @BeforeAll
    void startCluster() throws Exception {
        mount = directory.resolve("mnt");
        Files.createDirectories(mount);
        up =
                CairnProcess.start(
                        directory.resolve("up.log"),
                        List.of(
                                "up",
                                "--data",
                                directory.resolve("data").toString(),
                                "--mount",
                                mount.toString(),
                                "--nfs",
                                "127.0.0.1:0",
                                "--chunk-servers",
                                "2",
                                "--admin",
                                "127.0.0.1:0",
                                "--listen",
                                "127.0.0.1:0"));
        up.await(CairnProcess.READY, 60);
        port = up.await("(?m)^ +nfs +127\\.0\\.0\\.1:(\\d+)", 60).group(1);
        // Root of an NFS client is nobody unless the export says otherwise.
        run("chmod 1777 mnt");
        // The gateway may believe the old mode for a second.
        run("echo x >probe; until nfs-cp probe " + url("", "probe") + "; do sleep 0.1; done");
    }

    @AfterAll
    void stopCluster() throws Exception {
        up.terminate();
        try {
            assertEquals(143, up.awaitExit(60), up.output());
        } finally {
            up.close();
            ProcessCluster.unmount(mount);
        }
    }

    /** The name by which libnfs knows a path; the export is what stands before the double slash. */
    private String url(String export, String path) {
        return "'nfs://127.0.0.1"
                + export
                + "//"
                + path
                + "?nfsport="
                + port
                + "&mountport="
                + port
                + "'";
    }

    private String run(String script) throws Exception {
        return Shell.run(directory, script);
    }

    @Test
    void whatNfsWritesTheMountReads() throws Exception {
        run("head -c 30000000 /dev/urandom >source; nfs-cp source " + url("", "big"));
        run("cmp source mnt/big");
    }

    @Test
    void rootOfAnNfsClientIsNobody() throws Exception {
        run("echo made >source; nfs-cp source " + url("", "squashed"));
        assertEquals("65534\n", run("stat -c %u mnt/squashed"));
        run("install -m 600 source mnt/secret; ! nfs-cat " + url("", "secret"));
    }

    @Test
    void whatTheMountWritesNfsReads() throws Exception {
        run("head -c 30000000 /dev/urandom >mnt/made; nfs-cat " + url("", "made") + " >copy");
        run("cmp copy mnt/made");
    }

    @Test
    void directoriesAreListed() throws Exception {
        run("mkdir -p mnt/dir/sub; for i in $(seq 300); do echo $i >mnt/dir/file-$i; done");
        String listing = run("nfs-ls -R " + url("", "dir"));
        assertTrue(listing.contains("file-300"), listing);
        assertTrue(listing.contains("sub"), listing);
        assertEquals(301, listing.lines().filter(line -> !line.isBlank()).count());
    }

    @Test
    void directoriesBelowTheExportAreMounted() throws Exception {
        run("mkdir -p mnt/a/b; echo hello >mnt/a/b/f");
        assertEquals("hello\n", run("nfs-cat " + url("/a/b", "f")));
    }

    /** The path of the mount is empty then. libnfs itself fails at the export "/" below that. */
    @Test
    void filesBelowTheRootNeedNoDoubleSlash() throws Exception {
        run("echo hello >mnt/plain");
        String file =
                "'nfs://127.0.0.1/plain?nfsport=%s&mountport=%s&auto-traverse-mounts=0'"
                        .formatted(port, port);
        assertEquals("hello\n", run("nfs-cat " + file));
    }

    @Test
    void servedPortIsRefusedToTheNext() throws Exception {
        CairnProcess.Result second =
                CairnProcess.run(
                        directory, "nfs", "--masters", master(), "--listen", "127.0.0.1:" + port);
        assertEquals(ExitCode.of(io.cairn.base.Errno.EBUSY), second.exitCode(), second.output());
        assertTrue(second.output().contains("the port is in use"), second.output());
    }

    private String master() throws Exception {
        return up.await("master +(127\\.0\\.0\\.1:\\d+)", 60).group(1);
    }
}
