package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.testkit.Shell;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mount whose root is a directory of the cluster. */
final class SubdirectoryMountTest {
    /** Makes handles of its arguments, drops the caches, and tells where the handles lead. */
    private static final String HANDLES =
            """
            #define _GNU_SOURCE
            #include <fcntl.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <unistd.h>
            int main(int argc, char **argv) {
                struct file_handle *handles[16];
                int mount, id;
                for (int i = 1; i < argc; i++) {
                    handles[i] = malloc(sizeof(struct file_handle) + 128);
                    handles[i]->handle_bytes = 128;
                    if (name_to_handle_at(AT_FDCWD, argv[i], handles[i], &id, 0)) {
                        perror(argv[i]);
                        return 1;
                    }
                }
                mount = open("mnt", O_RDONLY | O_DIRECTORY);
                system("sync; echo 2 >/proc/sys/vm/drop_caches");
                for (int i = 1; i < argc; i++) {
                    char link[64], path[4096];
                    int fd = open_by_handle_at(mount, handles[i], O_RDONLY);
                    if (fd < 0) {
                        perror(argv[i]);
                        return 1;
                    }
                    sprintf(link, "/proc/self/fd/%d", fd);
                    path[readlink(link, path, sizeof path - 1)] = 0;
                    puts(path);
                }
                return 0;
            }
            """;

    @TempDir private Path directory;

    @Test
    void handlesBelowItsRootStayGood() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(1);
            cluster.mount("all");
            Shell.run(directory, "mkdir -p all/sub/a/b; echo x >all/sub/a/f; echo y >all/sub/g");
            cluster.mount("mnt", ":/sub");
            java.nio.file.Files.writeString(directory.resolve("handles.c"), HANDLES);
            String paths =
                    Shell.run(
                            directory,
                            "gcc -o handles handles.c 2>&1\n"
                                    + "./handles mnt/a mnt/a/b mnt/a/f mnt/g mnt");
            String base = directory.toRealPath() + "/mnt";
            assertEquals(
                    String.join("\n", base + "/a", base + "/a/b", base + "/a/f", base + "/g", base)
                            + "\n",
                    paths);
        }
    }
}
