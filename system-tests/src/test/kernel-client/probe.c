/* Probes of the guest that no shell has: locks of byte ranges, exclusive creation, open files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int fail(const char *what) {
    printf("%s: %s\n", what, strerror(errno));
    return 1;
}

/* lock FILE read|write START LENGTH try|wait SECONDS: says "locked", keeps it so long. */
static int lock_range(char **a) {
    struct flock range = {.l_type = strcmp(a[1], "read") ? F_WRLCK : F_RDLCK,
                          .l_whence = SEEK_SET, .l_start = atoll(a[2]), .l_len = atoll(a[3])};
    int file = open(a[0], O_RDWR);
    if (file < 0) return fail("open");
    if (fcntl(file, strcmp(a[4], "wait") ? F_SETLK : F_SETLKW, &range) < 0) return fail("lock");
    puts("locked");
    fflush(stdout);
    sleep((unsigned) atoi(a[5]));
    return 0;
}

/* holder FILE START LENGTH: who has a lock there. */
static int holder(char **a) {
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET,
                          .l_start = atoll(a[1]), .l_len = atoll(a[2])};
    int file = open(a[0], O_RDWR);
    if (file < 0) return fail("open");
    if (fcntl(file, F_GETLK, &range) < 0) return fail("getlk");
    if (range.l_type == F_UNLCK) puts("free");
    else printf("held %lld %lld\n", (long long) range.l_start, (long long) range.l_len);
    return 0;
}

/* exclusive FILE: O_CREAT | O_EXCL. */
static int exclusive(char **a) {
    int file = open(a[0], O_CREAT | O_EXCL | O_RDWR, 0640);
    if (file < 0) return fail("open");
    if (write(file, "x", 1) != 1 || close(file) < 0) return fail("write");
    return 0;
}

/* orphan FILE: removes it while it is open, and goes on reading and writing. */
static int orphan(char **a) {
    char text[8] = {0};
    struct stat status;
    int file = open(a[0], O_CREAT | O_RDWR, 0600);
    if (file < 0) return fail("open");
    if (write(file, "before", 6) != 6 || fsync(file) < 0) return fail("write");
    if (unlink(a[0]) < 0) return fail("unlink");
    if (access(a[0], F_OK) == 0) return fail("still there");
    if (pwrite(file, "B", 1, 0) != 1 || fsync(file) < 0) return fail("write after unlink");
    if (pread(file, text, 6, 0) != 6 || strcmp(text, "Before")) return fail("read after unlink");
    if (fstat(file, &status) < 0 || status.st_size != 6) return fail("stat after unlink");
    return close(file) < 0 ? fail("close") : 0;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

/* write FILE STOP: until a file STOP is there, blocks of 8 KiB that tell their number, an fsync for
   every 16. Says how many there are, and at the end the longest time that one block took. */
static int write_blocks(char **a) {
    static long long block[1024];
    long number = 0;
    double longest = 0;
    int file = open(a[0], O_CREAT | O_RDWR | O_TRUNC, 0644);
    if (file < 0) return fail("open");
    while (number % 16 != 0 || access(a[1], F_OK) < 0) {
        double start = seconds(), took;
        for (int i = 0; i < 1024; i++) block[i] = number * 1024 + i;
        if (write(file, block, sizeof block) != sizeof block) return fail("write");
        number++;
        if (number % 16 == 0) {
            if (fsync(file) < 0) return fail("fsync");
            printf("written %ld\n", number);
            fflush(stdout);
        }
        took = seconds() - start;
        if (took > longest) longest = took;
    }
    if (close(file) < 0) return fail("close");
    printf("longest %.3f\n", longest);
    return 0;
}

/* check FILE BLOCKS: reads what write_blocks wrote. */
static int check_blocks(char **a) {
    static long long block[1024];
    long count = atol(a[1]);
    int file = open(a[0], O_RDONLY);
    if (file < 0) return fail("open");
    for (long i = 0; i < count; i++) {
        if (read(file, block, sizeof block) != sizeof block) return fail("read");
        for (int j = 0; j < 1024; j++) {
            if (block[j] != i * 1024 + j) {
                printf("block %ld word %d is %lld\n", i, j, block[j]);
                return 1;
            }
        }
    }
    return read(file, block, 1) == 0 ? 0 : fail("longer than written");
}

int main(int count, char **a) {
    static const struct {
        const char *name;
        int (*run)(char **);
        int arguments;
    } probes[] = {{"lock", lock_range, 6},     {"holder", holder, 3}, {"exclusive", exclusive, 1},
                  {"orphan", orphan, 1},       {"write", write_blocks, 2},
                  {"check", check_blocks, 2}};
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (count == probes[i].arguments + 2 && !strcmp(a[1], probes[i].name)) {
            return probes[i].run(a + 2);
        }
    }
    return 64;
}
