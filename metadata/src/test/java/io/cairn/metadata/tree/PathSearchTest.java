package io.cairn.metadata.tree;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.base.Errno;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PathSearchTest {
    private final Bench bench = new Bench();

    private String path(long ino) {
        Reply reply = bench.read(new Query.GetPath(ino));
        return new String(
                assertInstanceOf(Reply.BytesReply.class, reply).bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void pathsOfRootDirectoriesAndFiles() {
        long a = bench.mkdir(ROOT, "a").ino();
        long b = bench.mkdir(a, "b").ino();
        long file = bench.create(b, "file").ino();
        assertEquals("/", path(ROOT));
        assertEquals("/a", path(a));
        assertEquals("/a/b", path(b));
        assertEquals("/a/b/file", path(file));
    }

    @Test
    void namesAreFoundBehindManyOthers() {
        long many = bench.mkdir(ROOT, "many").ino();
        for (int group = 0; group < 100; group++) {
            Envelope[] envelopes = new Envelope[100];
            for (int i = 0; i < envelopes.length; i++) {
                String name = "f" + (group * 100 + i);
                envelopes[i] = bench.envelope(1, Bench.creation(many, name, ""));
            }
            bench.applyEntry(Bench.entry(envelopes));
        }
        for (int i = 0; i < 10_000; i += 1111) {
            assertEquals("/many/f" + i, path(many + 1 + i));
        }
        long dir = bench.mkdir(many, "dir").ino();
        assertEquals("/many/dir", path(dir));
    }

    @Test
    void anOrphanHasNone() {
        long file = bench.create(ROOT, "f").ino();
        long dir = bench.mkdir(ROOT, "d").ino();
        bench.unlink(ROOT, "f");
        bench.ok(new TreeMutation.Rmdir(ROOT, Name.of("d")));
        bench.readFails(Errno.ENOENT, new Query.GetPath(file));
        bench.readFails(Errno.ENOENT, new Query.GetPath(dir));
        bench.readFails(Errno.ESTALE, new Query.GetPath(4711));
    }

    @Test
    void aPathHasALimit() {
        long at = ROOT;
        String name = "x".repeat(255);
        for (int i = 0; i <= PathSearch.MAX_BYTES / 256; i++) {
            at = bench.mkdir(at, name).ino();
        }
        bench.readFails(Errno.ENAMETOOLONG, new Query.GetPath(at));
    }
}
