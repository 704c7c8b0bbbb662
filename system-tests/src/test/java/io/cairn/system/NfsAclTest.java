package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsClient.Handle;
import io.cairn.nfs.NfsError;
import io.cairn.nfs.NfsSettings;
import io.cairn.nfs.rpc.Credential;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.node.Closing;
import io.cairn.node.EmbeddedCluster;
import io.cairn.node.NfsNode;
import io.cairn.node.ProcessContext;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Access control lists over NFSACL, and what they do to NFS calls. */
final class NfsAclTest {
    private static final int NFSACL = 100227;
    private static final int GETACL = 1;
    private static final int SETACL = 2;
    private static final int DEFAULT_TYPE = 0x1000;
    private static final AttributeChange MODE = AttributeChange.NONE.withMode(0640);

    @TempDir private Path directory;
    private final Closing closing = new Closing();
    private NfsClient client;
    private Handle root;

    @BeforeEach
    void start() throws Exception {
        ProcessContext world = closing.add(new ProcessContext());
        Endpoint any = new Endpoint("127.0.0.1", 0);
        EmbeddedCluster cluster =
                closing.add(
                        EmbeddedCluster.start(
                                world,
                                new EmbeddedCluster.Plan(
                                        directory.resolve("data"), 1, 1, any, any)));
        NfsNode gateway =
                closing.add(
                        new NfsNode(
                                world,
                                List.of(cluster.master()),
                                List.of("/ *(rw,no_root_squash,insecure)"),
                                NfsSettings.of(any)));
        client = closing.add(new NfsClient(gateway.endpoint(), Credential.sys(0, 0)));
        root = client.mount("/");
    }

    @AfterEach
    void stop() {
        closing.close();
    }

    /** An entry on the wire: type, id, bits. */
    private static int[] entry(int type, int id, int bits) {
        return new int[] {type, id, bits};
    }

    private int set(NfsClient as, Handle handle, int mask, int[][] access, int[][] inherited) {
        return as.call(
                        NFSACL,
                        SETACL,
                        out -> {
                            out.opaque(handle.bytes()).i32(mask);
                            for (int[][] list : new int[][][] {access, inherited}) {
                                out.i32(list.length).i32(list.length);
                                for (int[] entry : list) {
                                    out.i32(entry[0]).i32(entry[1]).i32(entry[2]);
                                }
                            }
                        })
                .i32();
    }

    private int[][][] get(Handle handle, int mask) {
        XdrReader in = client.call(NFSACL, GETACL, out -> out.opaque(handle.bytes()).i32(mask));
        assertEquals(0, in.i32());
        if (in.bool()) {
            in.fixed(84);
        }
        assertEquals(mask, in.i32());
        return new int[][][] {list(in), list(in)};
    }

    private static int[][] list(XdrReader in) {
        in.i32();
        int[][] list = new int[in.i32()][];
        for (int i = 0; i < list.length; i++) {
            list[i] = entry(in.i32(), in.i32(), in.i32());
        }
        return list;
    }

    private static int[][] named(int typeBit, int userBits) {
        return new int[][] {
            entry(1 | typeBit, 0, 6),
            entry(2 | typeBit, 1000, userBits),
            entry(4 | typeBit, 0, 0),
            entry(16 | typeBit, 0, 7),
            entry(32 | typeBit, 0, 0)
        };
    }

    @Test
    void listsAreSetToldAndEnforced() {
        NfsClient ann = client.as(Caller.of(1000, 1000));
        NfsClient bob = client.as(Caller.of(1001, 1001));
        Handle file = client.create(root, "f", 1, MODE).handle();
        assertThrows(NfsError.class, () -> ann.read(file, 0, 10));
        assertEquals(4, get(file, 15)[0].length, "a mask is added for Solaris");
        assertEquals(0, set(client, file, 1, named(0, 6), new int[0][]));
        assertEquals(0670, client.getattr(file).mode());
        ann.write(file, 0, new byte[] {1}, 2);
        assertEquals(1, ann.read(file, 0, 10).bytes().length);
        assertEquals(0x1 | 0x4 | 0x8, ann.access(file, 0x3f));
        assertEquals(0, bob.access(file, 0x3f));
        assertThrows(NfsError.class, () -> bob.read(file, 0, 10));
        int[][] told = get(file, 15)[0];
        assertArrayEquals(entry(2, 1000, 6), told[1]);
        client.setattr(file, AttributeChange.NONE.withMode(0640), -1);
        assertThrows(NfsError.class, () -> ann.write(file, 0, new byte[1], 2), "the mask");
        assertEquals(1, ann.read(file, 0, 10).bytes().length);
        assertEquals(1, set(ann, file, 1, named(0, 7), new int[0][]), "only the owner");
        assertEquals(22, set(client, file, 1, new int[][] {entry(1, 0, 7)}, new int[0][]));
        assertEquals(0, set(client, file, 1, new int[0][], new int[0][]));
        assertThrows(NfsError.class, () -> ann.write(file, 0, new byte[1], 2));
    }

    @Test
    void directoriesPassListsOn() {
        Handle dir = client.mkdir(root, "d").handle();
        assertEquals(0, set(client, dir, 4, new int[0][], named(DEFAULT_TYPE, 7)));
        assertEquals(5, get(dir, 15)[1].length);
        assertEquals(0, get(dir, 3)[1].length);
        Handle file = client.create(dir, "f", 1, MODE).handle();
        assertEquals(0640, client.getattr(file).mode());
        NfsClient ann = client.as(Caller.of(1000, 1000));
        assertEquals(0x1, ann.access(file, 0x3f), "7, and the mask is the 4 of the mode");
        Handle sub = client.mkdir(dir, "s").handle();
        assertEquals(5, get(sub, 15)[1].length);
        assertEquals(DEFAULT_TYPE | 2, get(sub, 15)[1][1][0]);
        assertEquals(13, set(client, file, 4, new int[0][], named(DEFAULT_TYPE, 7)));
        assertEquals(0, set(client, dir, 4, new int[0][], new int[0][]));
        assertEquals(0, get(dir, 15)[1].length);
    }
}
