package io.cairn.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.nfs.v3.HandleCodec.Handle;
import io.cairn.runtime.Clock;
import io.cairn.testkit.model.ModelFileSystem;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class HandleCodecTest {
    private static final HandleCodec CODEC = new HandleCodec(7, new byte[16]);

    private static void isBad(HandleCodec codec, byte[] handle) {
        NfsException e = assertThrows(NfsException.class, () -> codec.decode(handle));
        assertEquals(NfsStatus.BADHANDLE, e.status());
    }

    @Property(tries = 200)
    void whatIsEncodedIsDecoded(@ForAll int export, @ForAll long ino, @ForAll int generation) {
        Handle handle = new Handle(export, ino, generation);
        assertEquals(handle, CODEC.decode(CODEC.encode(handle)));
    }

    @Property(tries = 300)
    void everyChangedBitIsSeen(@ForAll long ino, @ForAll @IntRange(max = 36 * 8 - 1) int bit) {
        byte[] bytes = CODEC.encode(new Handle(1, ino, 1));
        bytes[bit / 8] ^= (byte) (1 << bit % 8);
        isBad(CODEC, bytes);
    }

    @Property(tries = 200)
    void otherBytesAreBad(@ForAll @Size(max = 64) byte[] bytes) {
        isBad(CODEC, bytes);
    }

    @Test
    void handlesOfOtherKeysAndFilesystemsAreBad() {
        byte[] key = new byte[16];
        key[3] = 1;
        isBad(CODEC, new HandleCodec(7, key).encode(new Handle(1, 1, 1)));
        isBad(CODEC, new HandleCodec(8, new byte[16]).encode(new Handle(1, 1, 1)));
    }

    @Test
    void allGatewaysOfAFilesystemMakeTheSameHandles() {
        FileSystem files = new ModelFileSystem(Clock.system());
        HandleCodec first = HandleCodec.of(files, new Random(1));
        HandleCodec second = HandleCodec.of(files, new Random(2));
        Handle handle = new Handle(5, 6, 7);
        assertArrayEquals(first.encode(handle), second.encode(handle));
        assertEquals(first.filesystem(), second.filesystem());
    }

    @Test
    void damagedSecretIsRefusedWithItsName() {
        FileSystem files = new ModelFileSystem(Clock.system());
        files.setXattr(Caller.ROOT, FileSystem.ROOT_INO, HandleCodec.ATTRIBUTE, new byte[3], 0);
        FsException e = assertThrows(FsException.class, () -> HandleCodec.of(files, new Random(1)));
        assertEquals(Errno.EIO, e.errno());
        assertEquals(true, String.valueOf(e.getMessage()).contains("trusted.cairn.nfs"));
    }
}
