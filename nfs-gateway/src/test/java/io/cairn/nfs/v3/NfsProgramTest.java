package io.cairn.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.OpenFile;
import io.cairn.nfs.ModelGateway;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsClient.Handle;
import io.cairn.nfs.NfsClient.Node;
import io.cairn.nfs.NfsError;
import io.cairn.nfs.RpcClient;
import io.cairn.nfs.rpc.Credential;
import io.cairn.nfs.rpc.RpcLimits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What RFC 1813 says about the procedures beyond what the contract of a filesystem covers. */
final class NfsProgramTest {
    private static final AttributeChange MODE = AttributeChange.NONE.withMode(0644);
    private static final int UNCHECKED = 0;
    private static final int GUARDED = 1;

    private final ModelGateway gateway = new ModelGateway();
    private final NfsClient client = gateway.client();
    private final Handle root = client.mount("/");

    @AfterEach
    void stop() {
        client.close();
        gateway.close();
    }

    private static void fails(int status, Executable action) {
        assertEquals(status, assertThrows(NfsError.class, action).status());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void namesThatAreNone() {
        client.mkdir(root, "d");
        fails(NfsStatus.ACCES, () -> client.lookup(root, ""));
        fails(NfsStatus.INVAL, () -> client.lookup(root, "../x"));
        fails(NfsStatus.INVAL, () -> client.lookup(root, bytes("d\0x")));
        fails(NfsStatus.NAMETOOLONG, () -> client.lookup(root, "x".repeat(256)));
        fails(NfsStatus.NOENT, () -> client.lookup(root, "x".repeat(255)));
        fails(NfsStatus.EXIST, () -> client.mkdir(root, "."));
        fails(NfsStatus.EXIST, () -> client.mkdir(root, ".."));
        fails(NfsStatus.INVAL, () -> client.mkdir(root, "a/b"));
        fails(NfsStatus.ACCES, () -> client.create(root, "", GUARDED, MODE));
        fails(NfsStatus.INVAL, () -> client.remove(root, "."));
        fails(NfsStatus.INVAL, () -> client.rmdir(root, bytes(".")));
        fails(NfsStatus.EXIST, () -> client.rmdir(root, bytes("..")));
        fails(NfsStatus.INVAL, () -> client.rename(root, bytes("."), root, bytes("e")));
        fails(NfsStatus.INVAL, () -> client.rename(root, bytes("d"), root, bytes("..")));
    }

    @Test
    void namesAreBytes() {
        byte[] name = {(byte) 0xff, (byte) 0xc3, 0x28, ' ', '\n'};
        client.make(root, name, MODE, null);
        NfsClient.Page page = client.readdir(root, 0, 4096);
        assertArrayEquals(name, page.entries().get(2).name());
        client.rmdir(root, name);
    }

    @Test
    void dotsAreLookedUp() {
        Handle d = client.mkdir(root, "d").handle();
        assertEquals(client.getattr(d).ino(), client.lookup(d, ".").attributes().ino());
        assertEquals(FileSystem.ROOT_INO, client.lookup(d, "..").attributes().ino());
        assertEquals(FileSystem.ROOT_INO, client.lookup(root, "..").attributes().ino());
        Handle file = client.create(root, "f", GUARDED, MODE).handle();
        fails(NfsStatus.NOTDIR, () -> client.lookup(file, "."));
        fails(NfsStatus.NOTDIR, () -> client.lookup(file, "x"));
    }

    @Test
    void handlesThatAreNone() {
        fails(NfsStatus.BADHANDLE, () -> client.getattr(new Handle(new byte[0])));
        fails(NfsStatus.BADHANDLE, () -> client.getattr(new Handle(new byte[36])));
        Node gone = client.create(root, "f", GUARDED, MODE);
        client.write(gone.handle(), 0, bytes("x"), 0);
        client.remove(root, "f");
        fails(NfsStatus.STALE, () -> client.getattr(gone.handle()));
        fails(NfsStatus.STALE, () -> client.read(gone.handle(), 0, 10));
        fails(NfsStatus.STALE, () -> client.write(gone.handle(), 0, bytes("x"), 2));
    }

    @Test
    void exclusiveCreateIsDoneOnceEvenByAnotherGateway() {
        Node made = client.create(root, "f", 4711);
        assertEquals(made, client.create(root, "f", 4711));
        try (ModelGateway other =
                        new ModelGateway(
                                gateway.files(),
                                RpcLimits.STANDARD,
                                "/ *(rw,no_root_squash,insecure)");
                NfsClient second = other.client()) {
            assertEquals(root, second.mount("/"), "handles are the same everywhere");
            assertEquals(made.handle(), second.create(root, "f", 4711).handle());
            fails(NfsStatus.EXIST, () -> second.create(root, "f", 4712));
        }
        fails(NfsStatus.EXIST, () -> client.create(root, "f", GUARDED, MODE));
        Node zero = client.create(root, "zero", 0);
        assertEquals(zero, client.create(root, "zero", 0));
        fails(NfsStatus.EXIST, () -> client.create(root, "zero", 1));
    }

    @Test
    void uncheckedCreateOfAFileThatExistsSetsItsSizeOnly() {
        Handle file = client.create(root, "f", GUARDED, MODE).handle();
        client.write(file, 0, bytes("contents"), 2);
        AttributeChange all = AttributeChange.NONE.withMode(0600).withUid(77);
        assertEquals(8, client.create(root, "f", UNCHECKED, all).attributes().size());
        Attributes cut = client.create(root, "f", UNCHECKED, all.withSize(3)).attributes();
        assertEquals(3, cut.size());
        assertEquals(0644, cut.mode());
        assertEquals(0, cut.uid());
        client.mkdir(root, "d");
        fails(NfsStatus.EXIST, () -> client.create(root, "d", UNCHECKED, MODE));
    }

    private void flag(Node file, int flags) {
        AttributeChange change = AttributeChange.NONE.withFlags(Attributes.ALL_FLAGS, flags);
        gateway.files().setAttributes(Caller.ROOT, file.attributes().ino(), change);
    }

    private void contain(String text, Handle file) {
        assertEquals(text, new String(client.read(file, 0, 100).bytes(), StandardCharsets.UTF_8));
    }

    @Test
    void protectedFilesAreReadAndNotWritten() {
        for (int flag : new int[] {Attributes.IMMUTABLE, Attributes.APPEND}) {
            for (boolean wasOpen : new boolean[] {false, true}) {
                Node made = client.create(root, "f" + flag + wasOpen, GUARDED, MODE);
                Handle file = made.handle();
                if (wasOpen) {
                    client.write(file, 0, bytes("text"), 0);
                } else {
                    long ino = made.attributes().ino();
                    try (OpenFile open =
                            gateway.files().open(Caller.ROOT, ino, FileSystem.O_RDWR)) {
                        open.write(0, ByteBuffer.wrap(bytes("text")));
                    }
                }
                flag(made, flag);
                for (int i = 0; i < 2; i++) {
                    fails(NfsStatus.PERM, () -> client.write(file, 0, bytes("x"), 0));
                    contain("text", file);
                    fails(NfsStatus.PERM, () -> client.write(file, 4, bytes("x"), 2));
                    client.commit(file);
                }
                contain("text", file);
                flag(made, 0);
                contain("text", file);
                client.commit(file);
                assertEquals(4, client.write(file, 0, bytes("more"), 2).count());
                client.commit(file);
                contain("more", file);
            }
        }
    }

    @Test
    void attributesOfANewFileAreSet() {
        AttributeChange wanted =
                AttributeChange.NONE
                        .withMode(04751)
                        .withUid(5)
                        .withGid(6)
                        .withSize(100)
                        .withMtime(1_000_000_000_000_000_007L);
        Attributes made = client.create(root, "f", UNCHECKED, wanted).attributes();
        assertEquals(5, made.uid());
        assertEquals(6, made.gid());
        assertEquals(100, made.size());
        assertEquals(1_000_000_000_000_000_007L, made.mtimeNs());
        assertEquals(0, made.mode() & ~04751);
    }

    @Test
    void guardLetsOnlyTheKnownStateChange() {
        Node file = client.create(root, "f", GUARDED, MODE);
        long ctime = file.attributes().ctimeNs();
        fails(NfsStatus.NOT_SYNC, () -> client.setattr(file.handle(), MODE, ctime - 1));
        AttributeChange change = AttributeChange.NONE.withMode(0600);
        assertEquals(0600, client.setattr(file.handle(), change, ctime).mode());
        fails(NfsStatus.NOT_SYNC, () -> client.setattr(file.handle(), MODE, ctime));
        assertEquals(0600, client.getattr(file.handle()).mode());
    }

    @Test
    void valuesOutOfRange() {
        Handle file = client.create(root, "f", GUARDED, MODE).handle();
        fails(NfsStatus.FBIG, () -> client.setattr(file, AttributeChange.NONE.withSize(-1), -1));
        fails(
                NfsStatus.FBIG,
                () -> client.setattr(file, AttributeChange.NONE.withSize(Long.MAX_VALUE), -1));
        fails(NfsStatus.FBIG, () -> client.write(file, -1, bytes("x"), 0));
        fails(NfsStatus.FBIG, () -> client.write(file, Long.MAX_VALUE, bytes("x"), 0));
        assertEquals(0, client.read(file, -1, 10).bytes().length);
        assertTrue(client.read(file, Long.MAX_VALUE, 10).eof());
        isGarbage(7, 0, 0, 0, 1, 7, 0);
        isGarbage(2, 0, 0, 0, 0, 7, 0);
        isGarbage(8, 0, 3);
    }

    /** A call with the root's handle and these words behind it is GARBAGE_ARGS. */
    private void isGarbage(int procedure, int... words) {
        RpcClient.Answer answer =
                client.rpc()
                        .call(
                                NfsClient.NFS,
                                3,
                                procedure,
                                Credential.sys(0, 0),
                                out -> {
                                    out.opaque(root.bytes());
                                    for (int word : words) {
                                        out.i32(word);
                                    }
                                });
        assertEquals(4, answer.status(), "procedure " + procedure);
    }

    @Test
    void dataOfAnotherLengthThanSaidIsInvalid() {
        Handle file = client.create(root, "f", GUARDED, MODE).handle();
        RpcClient.Answer answer =
                client.rpc()
                        .call(
                                NfsClient.NFS,
                                3,
                                NfsClient.WRITE,
                                Credential.sys(0, 0),
                                out ->
                                        out.opaque(file.bytes())
                                                .i64(0)
                                                .i32(5)
                                                .i32(0)
                                                .opaque(bytes("four")));
        assertEquals(NfsStatus.INVAL, answer.results().i32());
    }

    @Test
    void typeIsToldBeforeNamesAndRights() {
        Handle file = client.create(root, "f", GUARDED, AttributeChange.NONE.withMode(0)).handle();
        NfsClient ann = client.as(Caller.of(1000, 1000));
        for (String text : List.of("x", ".", "..", "", "a/b")) {
            byte[] name = bytes(text);
            fails(NfsStatus.NOTDIR, () -> ann.lookup(file, name));
            fails(NfsStatus.NOTDIR, () -> ann.remove(file, name));
            fails(NfsStatus.NOTDIR, () -> ann.rmdir(file, name));
            fails(NfsStatus.NOTDIR, () -> ann.rename(file, name, root, bytes("y")));
            fails(NfsStatus.NOTDIR, () -> ann.rename(root, bytes("y"), file, name));
            fails(NfsStatus.NOTDIR, () -> ann.make(file, name, MODE, null));
            fails(NfsStatus.NOTDIR, () -> ann.make(file, name, MODE, bytes("t")));
            fails(NfsStatus.NOTDIR, () -> ann.mknod(file, name, FileType.FIFO, MODE, 0));
            fails(NfsStatus.NOTDIR, () -> ann.link(file, file, name));
        }
        fails(NfsStatus.NOTDIR, () -> ann.create(file, "x", GUARDED, MODE));
    }

    @Test
    void filesOfOtherTypesCannotBeMade() {
        for (FileType type : new FileType[] {FileType.FILE, FileType.DIRECTORY}) {
            fails(NfsStatus.BADTYPE, () -> client.mknod(root, bytes("n"), type, MODE, 0));
        }
        Attributes device =
                client.mknod(root, bytes("n"), FileType.BLOCK_DEVICE, MODE, 0x12345L).attributes();
        assertEquals(0x12345L, device.rdev());
    }

    @Test
    void ownerMayUseHisFileWhateverItsMode() {
        NfsClient ann = client.as(Caller.of(1000, 1000));
        NfsClient bob = client.as(Caller.of(1001, 1001));
        client.setattr(root, AttributeChange.NONE.withMode(0777), -1);
        Handle file = ann.create(root, "f", 1).handle();
        ann.setattr(file, AttributeChange.NONE.withMode(0), -1);
        ann.write(file, 0, bytes("mine"), 2);
        assertArrayEquals(bytes("mine"), ann.read(file, 0, 10).bytes());
        ann.setattr(file, AttributeChange.NONE.withSize(2), -1);
        assertEquals(0, ann.access(file, 0x3f), "but the client is told what the mode says");
        fails(NfsStatus.ACCES, () -> bob.read(file, 0, 10));
        fails(NfsStatus.ACCES, () -> bob.write(file, 0, bytes("x"), 0));
        fails(NfsStatus.ACCES, () -> bob.commit(file));
        fails(NfsStatus.PERM, () -> bob.setattr(file, MODE, -1));
        ann.setattr(file, AttributeChange.NONE.withMode(0711), -1);
        assertArrayEquals(bytes("mi"), bob.read(file, 0, 10).bytes(), "programs are paged in");
    }

    @Test
    void writesTellHowStableTheyAre() {
        Handle file = client.create(root, "f", GUARDED, MODE).handle();
        NfsClient.Written unstable = client.write(file, 0, bytes("abc"), 0);
        assertEquals(0, unstable.committed());
        assertEquals(3, unstable.count());
        assertEquals(1, client.write(file, 3, bytes("def"), 1).committed());
        assertEquals(2, client.write(file, 6, bytes("ghi"), 2).committed());
        assertEquals(unstable.verifier(), client.commit(file));
        assertArrayEquals(bytes("abcdefghi"), client.read(file, 0, 100).bytes());
        try (ModelGateway other = new ModelGateway();
                NfsClient second = other.client()) {
            Handle f = second.create(second.mount("/"), "f", GUARDED, MODE).handle();
            assertNotEquals(unstable.verifier(), second.write(f, 0, bytes("x"), 0).verifier());
        }
    }

    @Test
    void readsEndWhereTheFileEnds() {
        Handle file = client.create(root, "f", GUARDED, MODE).handle();
        client.write(file, 0, new byte[100], 0);
        assertFalse(client.read(file, 0, 99).eof());
        assertTrue(client.read(file, 0, 100).eof());
        assertTrue(client.read(file, 90, 100).eof());
        assertEquals(10, client.read(file, 90, 100).bytes().length);
        assertEquals(0, client.read(file, 0, 0).bytes().length);
        fails(NfsStatus.ISDIR, () -> client.read(root, 0, 1));
    }

    @Test
    void filesystemIsDescribed() {
        long[] numbers = client.fsstat(client.create(root, "f", GUARDED, MODE).handle());
        assertTrue(numbers[0] >= numbers[1] && numbers[1] >= numbers[2]);
        var info = client.call(NfsClient.NFS, NfsClient.FSINFO, out -> out.opaque(root.bytes()));
        assertEquals(0, info.i32());
    }

    @Test
    void exportsHaveTransferSizesOfTheirOwn() {
        try (ModelGateway other =
                        new ModelGateway(
                                gateway.files(),
                                RpcLimits.STANDARD,
                                "/ *(rw,no_root_squash,insecure,rsize=65536,wsize=32768)");
                NfsClient two = other.client()) {
            var info = two.call(NfsClient.NFS, NfsClient.FSINFO, out -> out.opaque(root.bytes()));
            assertEquals(0, info.i32());
            assertTrue(info.bool());
            info.fixed(84);
            assertEquals(65536, info.i32());
            assertEquals(65536, info.i32());
            info.i32();
            assertEquals(32768, info.i32());
        }
    }

    @Test
    void linkAndRenameStayInTheirExport() {
        client.mkdir(root, "a");
        client.mkdir(root, "b");
        try (ModelGateway other =
                        new ModelGateway(
                                gateway.files(),
                                RpcLimits.STANDARD,
                                "/a *(rw,no_root_squash,insecure)",
                                "/b *(rw,no_root_squash,insecure)");
                NfsClient two = other.client()) {
            Handle a = two.mount("/a");
            Handle b = two.mount("/b");
            Handle file = two.create(a, "f", GUARDED, MODE).handle();
            fails(NfsStatus.XDEV, () -> two.rename(a, bytes("f"), b, bytes("f")));
            fails(NfsStatus.XDEV, () -> two.link(file, b, bytes("f")));
            fails(NfsStatus.STALE, () -> two.getattr(root));
        }
    }
}
