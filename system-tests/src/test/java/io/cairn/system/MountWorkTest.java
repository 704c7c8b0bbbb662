package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A person works on the mount of {@code cairn up} as on a disk. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MountWorkTest {
    @TempDir private static Path directory;
    private Path mount = Path.of("/");
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
                                "--chunk-servers",
                                "3",
                                "--admin",
                                "127.0.0.1:0",
                                "--listen",
                                "127.0.0.1:0"));
        up.await(CairnProcess.READY, 60);
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

    private Path fresh(String name) throws Exception {
        return Files.createDirectory(mount.resolve(name));
    }

    @Test
    void compilesAndRunsACProject() throws Exception {
        Path work = fresh("c-project");
        Shell.run(
                work,
                """
                mkdir src include
                echo 'int twice(int);' > include/twice.h
                printf '#include "twice.h"\\nint twice(int x) { return 2 * x; }\\n' > src/twice.c
                printf '#include <stdio.h>\\n#include "twice.h"\\nint main(void) { \
                printf("%%d\\\\n", twice(21)); return 0; }\\n' > src/main.c
                printf 'all: prog\\nprog: src/main.o src/twice.o\\n\\tgcc -o $@ $^\\n%%.o: %%.c \
                include/twice.h\\n\\tgcc -Iinclude -c -o $@ $<\\n' > Makefile
                make -s
                test "$(./prog)" = 42
                touch src/twice.c && make -s && make -q prog
                ar rcs libtwice.a src/twice.o && ranlib libtwice.a
                gcc -Iinclude -o static src/main.c -L. -ltwice && test "$(./static)" = 42
                """);
    }

    @Test
    void gitWorks() throws Exception {
        Path work = fresh("git");
        Shell.run(
                work,
                """
                export HOME="$PWD" GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
                GIT_COMMITTER_EMAIL=a@b
                git init -q -b main repo && cd repo
                for i in $(seq 1 60); do mkdir -p d$((i % 7)); seq 1 $((i * 20)) > d$((i % \
                7))/f$i; done
                git add -A && git commit -qm one
                git checkout -q -b side && seq 5 > d1/new && git mv d2/f2 d2/moved && git commit \
                -qam two
                git add -A && git commit -qm three
                git checkout -q main && git merge -q side && git gc -q --prune=now
                git fsck --strict --no-progress
                test -z "$(git status --porcelain)"
                cd .. && git clone -q repo copy && diff -r -x .git repo copy
                """);
    }

    @Test
    void archivesComeBackIdentical() throws Exception {
        Path work = fresh("archive");
        Shell.run(
                work,
                """
                mkdir tree && cd tree
                for d in a b c; do mkdir -p $d/x/y; for i in 1 2 3 4 5 6 7 8; do
                  head -c $((i * 9001)) /dev/urandom > $d/x/f$i; done; ln -s ../a/x/f1 $d/link; \
                  ln $d/x/f1 $d/x/y/hard; done
                mkfifo a/fifo; chmod 750 b; chmod u+s c/x/f2; touch -d '2001-02-03 04:05:06.789' \
                c/x/f3; setfattr -n user.k -v v a/x/f1
                cd .. && tar --xattrs -cf t.tar tree && mkdir out && tar --xattrs -xpf t.tar -C out
                rsync -aHX tree/ synced/ && test -z "$(rsync -aHXin --delete tree/ synced/)"
                diff -r --no-dereference -x fifo tree out/tree
                test "$(stat -c %y out/tree/c/x/f3)" = "$(stat -c %y tree/c/x/f3)"
                test "$(stat -c %i out/tree/a/x/f1)" = "$(stat -c %i out/tree/a/x/y/hard)"
                test "$(stat -c %h out/tree/a/x/f1)" = 2
                test -p out/tree/a/fifo && test -u out/tree/c/x/f2
                test "$(getfattr --only-values -n user.k out/tree/a/x/f1)" = v
                """);
    }

    @Test
    void sqliteKeepsItsPromises() throws Exception {
        Path work = fresh("sqlite");
        Shell.run(
                work,
                """
                sqlite3 t.db 'create table t(a integer primary key, b text);'
                for mode in delete wal truncate; do
                  sqlite3 t.db "pragma journal_mode=$mode;" >/dev/null
                  (echo 'begin;'; for i in $(seq 1 500); do echo "insert into t(b) values('$mode \
                  $i');"; done; echo 'commit;') | sqlite3 t.db
                done
                for i in 1 2 3 4; do (for j in $(seq 1 10); do sqlite3 -cmd '.timeout 30000' \
                t.db "insert into t(b) values('p$i');"; done) & pids="$pids $!"; done
                for p in $pids; do wait $p; done
                test "$(sqlite3 t.db 'pragma integrity_check;')" = ok
                test "$(sqlite3 t.db 'select count(*) from t;')" = 1540
                """
                        .replaceFirst("sqlite3 t.db 'create", "pids=; sqlite3 t.db 'create"));
    }

    @Test
    void editorsAndOrdinaryToolsWork() throws Exception {
        Path work = fresh("tools");
        Shell.run(
                work,
                """
                echo one > file && cp -p file .file.swp && echo two > file~new && mv file file~ \
                && mv file~new file && rm file~ .file.swp
                test "$(cat file)" = two
                dd if=/dev/zero of=zeros bs=1M count=20 conv=fsync status=none
                test "$(stat -c %s zeros)" = 20971520 && test "$(du -k zeros | cut -f1)" -ge 20000
                truncate -s 1G sparse && test "$(du -k sparse | cut -f1)" -lt 1000
                head -c 5000000 /dev/urandom > data && cp data copy && cmp data copy
                split -b 300000 data part. && cat part.* | cmp - data
                sort -R /usr/share/common-licenses/GPL-3 | sort > sorted && sort \
                /usr/share/common-licenses/GPL-3 | cmp - sorted
                mkdir many && cd many && seq 1 1500 | xargs touch && test "$(ls | wc -l)" = 1500
                find . -type f -name '*7' -delete && test "$(ls | wc -l)" = 1350
                cd .. && rm -rf many && test ! -e many
                flock lockfile -c 'echo locked' | grep -q locked
                df . | tail -1 | awk '{ exit !($2 > 0 && $4 > 0 && $4 <= $2) }'
                """);
    }

    @Test
    void memoryMapsWork() throws Exception {
        Path work = fresh("mmap");
        Shell.run(
                work,
                """
                cat > m.c <<'C'
                #include <fcntl.h>
                #include <string.h>
                #include <sys/mman.h>
                #include <unistd.h>
                int main(void) {
                  int fd = open("mapped", O_RDWR | O_CREAT, 0644);
                  if (fd < 0 || ftruncate(fd, 1 << 20)) return 1;
                  char *p = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
                  if (p == MAP_FAILED) return 2;
                  for (int i = 0; i < 1 << 20; i += 4096) strcpy(p + i, "cairn");
                  if (msync(p, 1 << 20, MS_SYNC) || munmap(p, 1 << 20) || close(fd)) return 3;
                  char b[6]; fd = open("mapped", O_RDONLY);
                  for (int i = 0; i < 1 << 20; i += 4096) if (pread(fd, b, 6, i) != 6 || \
                  strcmp(b, "cairn")) return 4;
                  p = mmap(0, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
                  return p == MAP_FAILED || strcmp(p + 8192, "cairn");
                }
                C
                gcc -o m m.c && ./m
                """);
    }

    @Test
    void hugeOffsetsWork() throws Exception {
        Path work = fresh("huge");
        Shell.run(
                work,
                """
                printf end | dd of=far bs=1 seek=5000000000 conv=notrunc status=none
                test "$(stat -c %s far)" = 5000000003
                test "$(tail -c 3 far)" = end
                test "$(dd if=far bs=1M skip=2000 count=1 status=none | tr -d '\\0' | wc -c)" = 0
                """);
        assertTrue(Files.size(work.resolve("far")) > Integer.MAX_VALUE);
    }
}
