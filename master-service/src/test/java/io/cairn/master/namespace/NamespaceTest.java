package io.cairn.master.namespace;

import static io.cairn.master.namespace.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.cluster.Inode;
import io.cairn.wire.Query;
import io.cairn.wire.Reply;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class NamespaceTest {
    private final Bench bench = new Bench();

    @Test
    void createsAndReads() {
        Inode dir = bench.mkdir(ROOT, "d");
        Inode file = bench.create(dir.ino(), "f", "hello");
        assertEquals(file.attributes(), bench.inode(file.ino()).attributes());
        Reply reply = bench.read(new Query.GetPath(file.ino()));
        byte[] path = assertInstanceOf(Reply.BytesReply.class, reply).bytes();
        assertEquals("/d/f", new String(path, StandardCharsets.UTF_8));
        byte[] before = bench.namespace.fingerprint();
        bench.reopen();
        assertArrayEquals(before, bench.namespace.fingerprint());
        bench.verify();
    }
}
