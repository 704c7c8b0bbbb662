package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.client.session.ClientSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsSettings;
import io.cairn.nfs.lock.NlmClient;
import io.cairn.nfs.rpc.Credential;
import io.cairn.node.NfsNode;
import io.cairn.runtime.Clock;
import io.cairn.testkit.Shell;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.shared.SharedCounter;
import io.cairn.testkit.shared.SharedCounter.Guard;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files and names that several doors of one cluster use at the same time (I12). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SharedFilesTest {
    private static final int NFS_FILE_SYNC = 2;

    @TempDir private static Path directory;
    private final Map<DriverKind, Path> readers = new LinkedHashMap<>();
    private Path writer = Path.of("/");
    private NfsClient nfs;
    private Endpoint gateway;
    private TestCluster cluster;

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 2, 2);
        writer = mount("writer", DriverKind.KERNEL);
        for (DriverKind driver : DriverKind.values()) {
            readers.put(driver, mount("reader-" + driver, driver));
        }
        NfsNode node =
                cluster.add(
                        new NfsNode(
                                cluster.world(),
                                List.of(cluster.master()),
                                List.of("/ *(rw,no_root_squash,insecure)"),
                                NfsSettings.of(new Endpoint("127.0.0.1", 0))));
        gateway = node.endpoint();
        nfs = cluster.add(new NfsClient(gateway, Credential.sys(0, 0)));
    }

    private Path mount(String name, DriverKind driver) throws IOException {
        return cluster.mount(name, MountOptions.standard().withDriver(driver));
    }

    @AfterAll
    void stop() throws Exception {
        cluster.close();
    }

    /** A directory that all see, through the writing mount and the one with a driver. */
    private List<Path> places(String name, DriverKind driver) throws IOException {
        Path made = Files.createDirectory(writer.resolve(name + driver));
        Path reader = Objects.requireNonNull(readers.get(driver));
        return List.of(made, reader.resolve(name + driver));
    }

    @ParameterizedTest
    @CsvSource({"KERNEL,2", "KERNEL,4", "JNR,2", "JNR,4"})
    void readersOfOneMountSeeEveryClose(DriverKind driver, int threads) throws Exception {
        List<Path> places = places("closes" + threads, driver);
        Path written = places.getFirst().resolve("file");
        Path read = places.getLast().resolve("file");
        assertEquals(0, SharedCounter.staleReads(written, read, threads, 400), "in the inode");
        Files.write(written, new byte[100_000]);
        assertEquals(0, SharedCounter.staleReads(written, read, threads, 400), "in chunks");
    }

    @ParameterizedTest
    @CsvSource({
        "KERNEL,POSIX",
        "KERNEL,BYTE_FAR_AWAY",
        "KERNEL,OFD",
        "KERNEL,FLOCK",
        "JNR,POSIX",
        "JNR,BYTE_FAR_AWAY",
        "JNR,OFD",
        "JNR,FLOCK"
    })
    void countingUnderALockLosesNothing(DriverKind driver, Guard guard) throws Exception {
        List<Path> places = places("counts" + guard, driver);
        Path file = places.getFirst().resolve("file");
        try (NativePosix a = new NativePosix(places.getFirst(), Set.of(), 0);
                NativePosix b = new NativePosix(places.getLast(), Set.of(), 0)) {
            Files.write(file, SharedCounter.bytes(0));
            assertEquals(120, SharedCounter.countOfBoth(a, b, guard, 60), "in the inode");
            Files.write(file, new byte[100_000]);
            SharedCounter.put(file, 0);
            assertEquals(120, SharedCounter.countOfBoth(a, b, guard, 60), "in chunks");
        }
    }

    private void countOverNfs(NfsClient.Handle file, String machine, int times) throws Exception {
        NlmClient.Range range = new NlmClient.Range(file.bytes(), 7, 0, 0);
        try (NlmClient locks = new NlmClient(gateway, machine)) {
            for (int i = 0; i < times; i++) {
                Poll.until("the lock", 30, () -> locks.lock(range, true) == NlmClient.GRANTED);
                long value = SharedCounter.value(nfs.read(file, 0, 8).bytes());
                nfs.write(file, 0, SharedCounter.bytes(value + 1), NFS_FILE_SYNC);
                assertEquals(NlmClient.GRANTED, locks.unlock(range));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void countingBesideAnNfsClientLosesNothing(DriverKind driver) throws Exception {
        List<Path> places = places("nfs", driver);
        Files.write(places.getFirst().resolve("file"), new byte[20_000]);
        SharedCounter.put(places.getFirst().resolve("file"), 0);
        NfsClient.Handle root = nfs.mount("/");
        NfsClient.Handle dir = nfs.lookup(root, "nfs" + driver).handle();
        NfsClient.Handle file = nfs.lookup(dir, "file").handle();
        try (NativePosix mounted = new NativePosix(places.getLast(), Set.of(), 0);
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            int fd = mounted.open("file", NativePosix.O_RDWR, 0);
            Future<?> other =
                    thread.submit(
                            () -> {
                                countOverNfs(file, "alpha" + driver, 40);
                                return null;
                            });
            SharedCounter.count(mounted, fd, Guard.POSIX, 40);
            other.get();
        }
        assertEquals(80, SharedCounter.get(places.getLast().resolve("file")));
    }

    /** Makes something of a name. */
    private interface Maker {
        void make(String name) throws IOException;
    }

    private Map<String, Maker> makers(Path at, NfsClient.Handle dir) throws IOException {
        Path source = Files.createFile(at.resolve("source"));
        Map<String, Maker> makers = new LinkedHashMap<>();
        makers.put("create", name -> Files.writeString(at.resolve(name), "1"));
        makers.put("mkdir", name -> Files.createDirectory(at.resolve(name)));
        makers.put("symlink", name -> Files.createSymbolicLink(at.resolve(name), source));
        makers.put("link", name -> Files.createLink(at.resolve(name), source));
        makers.put(
                "rename",
                name -> Files.move(Files.createFile(at.resolve("temporary")), at.resolve(name)));
        makers.put("nfs-create", name -> nfs.create(dir, name, 0, AttributeChange.NONE));
        makers.put("nfs-mkdir", name -> nfs.mkdir(dir, name));
        makers.put(
                "nfs-rename",
                name -> {
                    nfs.create(dir, "temporary", 0, AttributeChange.NONE);
                    byte[] from = "temporary".getBytes(StandardCharsets.UTF_8);
                    nfs.rename(dir, from, dir, name.getBytes(StandardCharsets.UTF_8));
                });
        return makers;
    }

    private static boolean isThere(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    /** Also one that the looking mount has removed itself. */
    @ParameterizedTest
    @EnumSource
    void aMissedNameIsFoundAsSoonAsItIsMade(DriverKind driver) throws Exception {
        List<Path> places = places("missed", driver);
        Path at = places.getFirst();
        Path seen = places.getLast();
        NfsClient.Handle dir = nfs.lookup(nfs.mount("/"), "missed" + driver).handle();
        for (Map.Entry<String, Maker> each : makers(at, dir).entrySet()) {
            for (int i = 0; i < 5; i++) {
                String name = each.getKey() + i;
                assertFalse(isThere(seen.resolve(name)));
                each.getValue().make(name);
                assertTrue(isThere(seen.resolve(name)), name);
                String own = name + "-own";
                Files.delete(Files.createFile(seen.resolve(own)));
                each.getValue().make(own);
                assertTrue(isThere(seen.resolve(own)), name + " was removed before");
            }
        }
    }

    @Test
    void anNfsClientFindsAMissedName() throws Exception {
        Path at = places("found", DriverKind.KERNEL).getFirst();
        NfsClient.Handle dir = nfs.lookup(nfs.mount("/"), "found" + DriverKind.KERNEL).handle();
        for (int i = 0; i < 10; i++) {
            String name = "n" + i;
            assertTrue(nfs.readdir(dir, 0, 4000).entries().size() >= i);
            assertThrows(RuntimeException.class, () -> nfs.lookup(dir, name));
            Files.createFile(at.resolve(name));
            assertTrue(nfs.lookup(dir, name).attributes().isFile());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDatabaseIsUsedInTurn(DriverKind driver) throws Exception {
        List<Path> places = places("database", driver);
        String script =
                """
                import sqlite3, sys
                ones = [sqlite3.connect(p + '/db', timeout=30) for p in sys.argv[1:]]
                ones[0].execute('create table t (n integer)')
                ones[0].commit()
                for i in range(30):
                    for one in ones:
                        one.execute('insert into t select count(*) from t')
                        one.commit()
                    for one in ones:
                        found = [r[0] for r in one.execute('select n from t order by n')]
                        assert found == list(range(2 * i + 2)), found
                for one in ones:
                    assert one.execute('pragma integrity_check').fetchall() == [('ok',)]
                """;
        Path file = directory.resolve("database.py");
        Files.writeString(file, script);
        Shell.run(directory, "python3 database.py " + places.getFirst() + " " + places.getLast());
    }

    /** What is seen after close is what was committed: nothing changes by itself later. */
    @ParameterizedTest
    @EnumSource
    void attributesStayAsTheyWereAfterClose(DriverKind driver) throws Exception {
        Path at = places("attributes", driver).getLast();
        String script =
                """
                import os, sys, time
                os.chdir(sys.argv[1])
                seen = {}
                def stat(name):
                    s = os.stat(name)
                    return (s.st_size, s.st_blocks, s.st_mtime_ns, s.st_ctime_ns)
                def write(name, flags, size, look):
                    fd = os.open(name, os.O_CREAT | os.O_RDWR | flags)
                    if look: os.fstat(fd)
                    os.write(fd, b'x' * size)
                    if look: os.fstat(fd)
                    os.close(fd)
                    seen[name] = stat(name)
                for look in (False, True):
                    for size in (10, 5000, 300000):
                        for flags in (0, os.O_APPEND):
                            write('f%d-%d-%d' % (look, size, flags), flags, size, look)
                for name in list(seen):
                    write(name, os.O_TRUNC, 7, True)
                    write(name, os.O_APPEND, 70000, True)
                for i in range(15):
                    for name in seen:
                        assert stat(name) == seen[name], (name, seen[name], stat(name))
                    time.sleep(0.1)
                """;
        Path file = directory.resolve("attributes.py");
        Files.writeString(file, script);
        Shell.run(directory, "python3 attributes.py " + at);
    }

    /** A working directory, or a descriptor of O_PATH, of what was removed or replaced. */
    @Test
    void whatHasNoNameAnyMoreStaysWhatItIs() throws Exception {
        Path own = places("nameless", DriverKind.KERNEL).getLast();
        String script =
                """
                import errno, os, sys, time
                own = sys.argv[1]
                def fails(number, call, *args, **more):
                    try:
                        call(*args, **more)
                    except OSError as e:
                        assert e.errno == number, e
                    else:
                        assert False, (call, args)
                def put(name, text):
                    with open(own + '/' + name, 'w') as f: f.write(text)
                put('gone', 'one'); put('replaced', 'two'); put('new', 'three')
                os.mkdir(own + '/dir'); os.mkdir(own + '/cwd')
                gone = os.open(own + '/gone', os.O_PATH)
                replaced = os.open(own + '/replaced', os.O_PATH)
                dir = os.open(own + '/dir', os.O_PATH)
                os.chdir(own + '/cwd')
                os.remove(own + '/gone')
                os.rename(own + '/new', own + '/replaced')
                os.rmdir(own + '/dir'); os.rmdir(own + '/cwd')
                end = time.monotonic() + 2.5
                while time.monotonic() < end:
                    for fd, text in ((gone, 'one'), (replaced, 'two')):
                        at = '/proc/self/fd/%d' % fd
                        assert os.readlink(at).startswith(own)
                        for s in (os.fstat(fd), os.stat(at)):
                            assert (s.st_nlink, s.st_size) == (0, len(text)), s
                        assert open(at).read() == text
                        os.chmod(at, 0o640)
                        assert os.fstat(fd).st_mode & 0o777 == 0o640
                    assert open(own + '/replaced').read() == 'three'
                    for enter in (lambda: None, lambda: os.fchdir(dir)):
                        enter()
                        assert os.stat('.').st_nlink == 0
                        assert os.listdir('.') == []
                        fails(errno.ENOENT, os.getcwd)
                        fails(errno.ENOENT, os.open, 'x', os.O_CREAT | os.O_RDWR)
                        fails(errno.ENOENT, os.mkdir, 'x')
                        fails(errno.ENOENT, os.stat, 'x')
                        assert os.path.samefile('..', own)
                    assert os.fstat(dir).st_nlink == 0
                    time.sleep(0.3)
                """;
        Path file = directory.resolve("nameless.py");
        Files.writeString(file, script);
        Shell.run(directory, "python3 nameless.py " + own);
    }

    /** As between NFS clients: under locks, and for who opens after a close. */
    @ParameterizedTest
    @EnumSource
    void whatIsStoredThroughMappingsIsSeen(DriverKind driver) throws Exception {
        List<Path> places = places("mapped", driver);
        String script =
                """
                import fcntl, mmap, os, struct, sys
                OFD_SETLKW = 38
                def flock(fd, lock): fcntl.flock(fd, fcntl.LOCK_EX if lock else fcntl.LOCK_UN)
                def posix(fd, lock): fcntl.lockf(fd, fcntl.LOCK_EX if lock else fcntl.LOCK_UN)
                def ofd(fd, lock):
                    kind = fcntl.F_WRLCK if lock else fcntl.F_UNLCK
                    fcntl.fcntl(fd, OFD_SETLKW, struct.pack('hhqqi4x', kind, 0, 0, 0, 0))
                def put(m, n): m[0:8] = m[len(m) - 8:] = b'%08d' % n
                for size in (100, 20000, 300000):
                    for guard in (flock, posix, ofd):
                        paths = [p + '/%d%s' % (size, guard.__name__) for p in sys.argv[1:]]
                        with open(paths[0], 'wb') as f: f.write(b'0' * size)
                        fds = [os.open(p, os.O_RDWR) for p in paths]
                        maps = [mmap.mmap(fd, size) for fd in fds]
                        n = 0
                        for i in range(20):
                            fd, m = fds[i % 2], maps[i % 2]
                            guard(fd, True)
                            new = mmap.mmap(fd, size)
                            found = [m[:8], m[-8:], new[:8], os.pread(fd, 8, 0)]
                            assert [int(each) for each in found] == 4 * [n], (paths, n, found)
                            n += 1
                            put(m, n)
                            guard(fd, False)
                            new.close() # with a descriptor: POSIX locks would end with it
                        for m in maps: m.close()
                        for fd in fds: os.close(fd)
                        for i in range(8):
                            fd = os.open(paths[i % 2], os.O_RDWR)
                            with mmap.mmap(fd, size) as m: put(m, 1000 + i)
                            os.close(fd)
                            fd = os.open(paths[1 - i % 2], os.O_RDONLY)
                            with mmap.mmap(fd, size, prot=mmap.PROT_READ) as m:
                                assert int(m[:8]) == int(m[-8:]) == 1000 + i, (paths, i, m[:8])
                            os.close(fd)
                """;
        Path file = directory.resolve("mapped.py");
        Files.writeString(file, script);
        Shell.run(directory, "python3 mapped.py " + places.getFirst() + " " + places.getLast());
    }

    /** The clock of a machine that is wrong by some time. */
    private record WrongClock(long byNs) implements Clock {
        @Override
        public long nanoTime() {
            return Clock.system().nanoTime();
        }

        @Override
        public long wallNs() {
            return Clock.system().wallNs() + byNs;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-7_000, 7_000})
    void timesOfAFileComeFromTheClockOfTheMaster(long wrongBySeconds) {
        Clock wrong = new WrongClock(TimeUnit.SECONDS.toNanos(wrongBySeconds));
        Name name = Name.of("timed" + wrongBySeconds);
        try (CairnFileSystem files =
                CairnFileSystem.connect(
                        ClientSettings.of(List.of(cluster.master()), "wrong"),
                        cluster.world().transport(),
                        wrong,
                        cluster.world().scheduler(),
                        cluster.world().random())) {
            FileSystem.Created made =
                    files.create(Caller.ROOT, FileSystem.ROOT_INO, name, 0644, FileSystem.O_RDWR);
            try (OpenFile file = made.file()) {
                file.write(0, ByteBuffer.wrap(new byte[] {1}));
                long shownNs = file.attributes().mtimeNs();
                assertTrue(shownNs >= made.attributes().mtimeNs(), "older than the file itself");
                file.flush();
                assertEquals(shownNs, file.attributes().mtimeNs());
                file.read(0, ByteBuffer.allocate(1));
                isNow(shownNs);
                isNow(file.attributes().atimeNs());
                isNow(file.attributes().ctimeNs());
            }
        }
    }

    private static void isNow(long timeNs) {
        long distanceNs = Math.abs(Clock.system().wallNs() - timeNs);
        assertTrue(distanceNs < TimeUnit.SECONDS.toNanos(60), "off by ns: " + distanceNs);
    }
}
