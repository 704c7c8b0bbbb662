package io.cairn.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.nfs.ModelGateway;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsError;
import io.cairn.nfs.rpc.Credential;
import io.cairn.nfs.rpc.RpcLimits;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.runtime.Clock;
import io.cairn.testkit.model.ModelFileSystem;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** MOUNT, and what exports allow. */
final class MountProgramTest {
    private static final int READ_ONLY_WRITE = 30;

    private final FileSystem files = new ModelFileSystem(Clock.system());
    private ModelGateway gateway = new ModelGateway();
    private NfsClient client = gateway.client();

    @BeforeEach
    void start() {
        gateway.close();
        long data = files.mkdir(Caller.ROOT, 1, Name.of("data"), 0755).ino();
        files.mkdir(Caller.ROOT, data, Name.of("sub"), 0777);
        files.mkdir(Caller.ROOT, 1, Name.of("secret"), 0755);
        files.mknod(Caller.ROOT, data, Name.of("file"), io.cairn.fs.FileType.FILE, 0644, 0);
        files.symlink(
                Caller.ROOT, data, Name.of("out"), "/secret".getBytes(StandardCharsets.UTF_8));
        gateway =
                new ModelGateway(
                        files,
                        RpcLimits.STANDARD,
                        "/data *(rw,insecure)",
                        "/data/sub *(ro,insecure)",
                        "/secret 10.99.99.99(rw)",
                        "/gone *(rw,insecure)",
                        "/strict *(rw)");
        client = new NfsClient(gateway.endpoint(), Credential.sys(1000, 1000));
    }

    @AfterEach
    void stop() {
        client.close();
        gateway.close();
    }

    private int mountStatus(String path) {
        return assertThrows(NfsError.class, () -> client.mount(path), path).status();
    }

    @Test
    void pathsBelowAnExportCanBeMounted() {
        Attributes root = client.getattr(client.mount("/data"));
        assertTrue(root.isDirectory());
        assertEquals(client.getattr(client.mount("/data/./")).ino(), root.ino());
    }

    /** libnfs asks so for a file directly below the root. */
    @Test
    void anEmptyPathIsTheRoot() {
        assertEquals(13, mountStatus(""), "the root is not exported");
        stop();
        gateway = new ModelGateway(files, RpcLimits.STANDARD, "/ *(rw,insecure)");
        client = new NfsClient(gateway.endpoint(), Credential.sys(1000, 1000));
        assertEquals(1, client.getattr(client.mount("")).ino());
    }

    @Test
    void failuresAreToldApart() {
        assertEquals(13, mountStatus("/"));
        assertEquals(13, mountStatus("/secret"));
        assertEquals(13, mountStatus("/database"));
        assertEquals(13, mountStatus("/data/../secret"));
        assertEquals(13, mountStatus("relative"));
        assertEquals(2, mountStatus("/data/none"));
        assertEquals(2, mountStatus("/gone"));
        assertEquals(20, mountStatus("/data/file"));
        assertEquals(20, mountStatus("/data/out"));
        assertEquals(63, mountStatus("/data/" + "x".repeat(1100)));
    }

    @Test
    void parentOfAnExportIsTheExportItself() {
        NfsClient.Handle data = client.mount("/data");
        assertEquals(client.getattr(data).ino(), client.lookup(data, "..").attributes().ino());
        NfsClient.Handle sub = client.lookup(data, "sub").handle();
        assertEquals(client.getattr(data).ino(), client.lookup(sub, "..").attributes().ino());
        NfsClient.Page page = client.readdir(data, 0, 4096);
        assertEquals("..", page.entries().get(1).text());
        assertEquals(client.getattr(data).ino(), page.entries().get(1).ino());
    }

    @Test
    void directoryMovedOutOfItsExportLeadsNowhere() {
        NfsClient.Handle data = client.mount("/data");
        NfsClient.Handle sub = client.lookup(data, "sub").handle();
        long dataIno = client.getattr(data).ino();
        files.rename(Caller.ROOT, dataIno, Name.of("sub"), 1, Name.of("moved"), 0);
        NfsError e = assertThrows(NfsError.class, () -> client.lookup(sub, ".."));
        assertEquals(NfsStatus.STALE, e.status());
    }

    @Test
    void readOnlyExportsCannotBeChanged() {
        NfsClient.Handle sub = client.mount("/data/sub");
        NfsError e = assertThrows(NfsError.class, () -> client.mkdir(sub, "d"));
        assertEquals(READ_ONLY_WRITE, e.status());
        assertEquals(1 | 2, client.access(sub, 0x3f), "only what is asked, nothing that writes");
        NfsClient.Handle writable = client.lookup(client.mount("/data"), "sub").handle();
        assertEquals(0x1f, client.access(writable, -1));
        client.mkdir(writable, "d");
    }

    @Test
    void rootIsSquashed() {
        try (NfsClient root = new NfsClient(gateway.endpoint(), Credential.sys(0, 0))) {
            NfsClient.Handle sub = root.lookup(root.mount("/data"), "sub").handle();
            assertEquals(65_534, root.mkdir(sub, "d").attributes().uid());
        }
    }

    @Test
    void unreservedPortsAreRefusedWhereItSaysSecure() {
        files.mkdir(Caller.ROOT, 1, Name.of("strict"), 0755);
        assertEquals(13, mountStatus("/strict"));
    }

    @Test
    void exportsAndMountsAreListed() {
        client.mount("/data");
        XdrReader exports = client.call(NfsClient.MOUNT, 5, out -> {});
        assertTrue(exports.bool());
        assertEquals("/data", text(exports));
        assertTrue(exports.bool());
        assertEquals("*", text(exports));
        assertFalse(exports.bool());
        assertTrue(exports.bool());
        XdrReader mounts = client.call(NfsClient.MOUNT, 2, out -> {});
        assertTrue(mounts.bool());
        assertEquals("127.0.0.1", text(mounts));
        assertEquals("/data", text(mounts));
        assertFalse(mounts.bool());
        client.call(NfsClient.MOUNT, 4, out -> {});
        assertFalse(client.call(NfsClient.MOUNT, 2, out -> {}).bool());
    }

    private static String text(XdrReader in) {
        return new String(in.opaque(1024), StandardCharsets.UTF_8);
    }
}
