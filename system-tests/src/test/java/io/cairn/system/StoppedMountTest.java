package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.client.tree.PathWalker;
import io.cairn.cluster.Layout;
import io.cairn.fs.Caller;
import io.cairn.fuse.loop.MountOptions;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A mount whose machine stands still until its session has ended. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(240)
final class StoppedMountTest {
    private static final long LEASE_MS = 1500;

    /** Writes, waits to be told, then lets the files go: half of them with fsync first. */
    private static final String WRITER =
            """
            import os, sys
            os.chdir(sys.argv[1])
            files = []
            for size in (10, 15000, 300000):
                for first in (0, 10, 20000):
                    for fsync in (False, True):
                        name = '%d-%d-%s' % (size, first, fsync)
                        fd = os.open(name, os.O_CREAT | os.O_RDWR)
                        if first:
                            os.write(fd, b'a' * first)
                            os.fsync(fd)
                        files.append((fd, name, fsync, first, size))
            for fd, name, fsync, first, size in files:
                os.pwrite(fd, b'b' * size, first)
            print('written', flush=True)
            sys.stdin.readline()
            for fd, name, fsync, first, size in files:
                told = False
                for call in [os.fsync, os.close] if fsync else [os.close]:
                    try:
                        call(fd)
                    except OSError:
                        told = True
                if told:
                    print('told', name)
                else:
                    found = open(sys.argv[2] + '/' + name, 'rb').read()
                    print('there' if found == b'a' * first + b'b' * size else 'LOST', name)
            """;

    @TempDir private static Path directory;
    private TestCluster cluster;
    private Path other = Path.of("/");

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 2, 2, LEASE_MS);
        other = cluster.mount("other", MountOptions.standard());
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    /** The object that a file in its inode would get its chunks in. */
    private long object(CairnFileSystem files, String path) {
        long ino = new PathWalker(files, Caller.ROOT).resolve(path).ino();
        Layout layout = files.placement(ino, 0).inode().layout();
        assertNotNull(layout);
        return layout.lastOid();
    }

    /**
     * Bytes are there afterwards, or their loss is told.
     *
     * @param renewed whether the mount comes back only when what it left has been collected
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bytesThatNobodySyncedAreThereOrTheirLossIsTold(boolean renewed) throws Exception {
        String name = "stopped-" + renewed;
        Path at = Files.createDirectory(directory.resolve(name));
        cluster.add(() -> ProcessCluster.unmount(at));
        List<String> mount =
                List.of("mount", cluster.master().toString(), at.toString(), "--foreground");
        CairnFileSystem files = cluster.client("looker");
        try (CairnProcess mounted = CairnProcess.start(directory.resolve(name + ".log"), mount)) {
            mounted.await(CairnProcess.READY, 60);
            Files.createDirectory(at.resolve(name));
            Process writer =
                    new ProcessBuilder("python3", "-c", WRITER, name, other.resolve(name) + "")
                            .directory(at.toFile())
                            .redirectErrorStream(true)
                            .start();
            try (BufferedReader said = writer.inputReader()) {
                assertEquals("written", said.readLine());
                String small = "/" + name + "/15000-10-False";
                // Asked before: the stopped mount may have a right that is in the way.
                long object = object(files, small);
                mounted.signal("STOP");
                Poll.until("end of the session", 30, () -> !cluster.status().contains(at + ""));
                if (renewed) {
                    Poll.until("renewal", 30, () -> object(files, small) != object);
                }
                mounted.signal("CONT");
                writer.getOutputStream().write('\n');
                writer.getOutputStream().flush();
                List<String> lines = said.lines().toList();
                assertTrue(writer.waitFor(60, TimeUnit.SECONDS));
                assertEquals(18, lines.size(), lines::toString);
                assertTrue(lines.stream().noneMatch(l -> l.startsWith("LOST")), lines::toString);
            }
        }
    }
}
