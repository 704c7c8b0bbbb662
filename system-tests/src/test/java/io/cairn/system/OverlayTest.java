package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.testkit.Shell;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The kernel's overlayfs with its upper layer on a mount, as containers use it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OverlayTest {
    @TempDir private static Path directory;
    private ProcessCluster cluster;

    @BeforeAll
    void startCluster() throws Exception {
        cluster = new ProcessCluster(directory, 1);
        cluster.startMasters(1, 1);
        cluster.startChunkServers(1);
        cluster.mount("mnt");
    }

    @AfterAll
    void stopCluster() {
        cluster.close();
    }

    /** A script that works in the union, which is unmounted whatever happens. */
    private static String inUnion(String name, String options, String script) throws Exception {
        String begin =
                """
                base=$PWD
                mkdir -p NAME/lower/dir mnt/NAME/upper mnt/NAME/work NAME/merged
                echo low >NAME/lower/f; echo gone >NAME/lower/g; echo deep >NAME/lower/dir/h
                chmod 640 NAME/lower/f
                trap 'cd /; umount "$base/NAME/merged"' EXIT
                layers=lowerdir=NAME/lower,upperdir=mnt/NAME/upper,workdir=mnt/NAME/work
                mount -t overlay overlay -o ${layers}OPTIONS NAME/merged
                upper=$base/mnt/NAME/upper
                cd NAME/merged
                """
                        .replace("NAME", name)
                        .replace("OPTIONS", options);
        return Shell.run(directory, begin + script);
    }

    @Test
    void changesGoToTheUpperLayer() throws Exception {
        String seen =
                inUnion(
                        "plain",
                        "",
                        """
                        echo more >>f
                        rm g
                        mv dir/h dir/i
                        mkdir new
                        echo made >new/file
                        rm -r dir
                        mkdir dir
                        cat f; ls dir; ls
                        test -c "$upper/g"
                        test "$(stat -c %a f)" = 640
                        test "$(cat "$upper/f")" = "$(cat f)"
                        getfattr --absolute-names -n trusted.overlay.opaque "$upper/dir" >/dev/null
                        """);
        assertEquals("low\nmore\ndir\nf\nnew\n", seen);
    }

    @Test
    void directoriesAreRenamedWithTheirAttributes() throws Exception {
        String seen =
                inUnion(
                        "redirected",
                        ",redirect_dir=on,metacopy=on",
                        """
                        mv dir moved
                        chmod 600 f
                        cat moved/h
                        cat f
                        test ! -e dir
                        """);
        assertEquals("deep\nlow\n", seen);
    }

    @Test
    void attributesOfUsersDo() throws Exception {
        String seen =
                inUnion(
                        "user",
                        ",userxattr",
                        """
                        rm -r dir
                        mkdir dir
                        ls dir
                        getfattr --absolute-names -n user.overlay.opaque "$upper/dir" >/dev/null
                        rm g
                        ls
                        """);
        assertEquals("dir\nf\n", seen);
    }
}
