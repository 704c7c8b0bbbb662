package io.cairn.master.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.runtime.Disk.DiskFile;
import io.cairn.runtime.DiskFullException;
import io.cairn.testkit.simulated.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A disk of 64 MiB: 4 MiB of reserve, low below 2. */
class HeadroomTest {
    private static final long MIB = 1 << 20;

    private final SimulatedDisk disk = new SimulatedDisk(64 * MIB);
    private final Path directory = Path.of("/m1");
    private final Path hog = Path.of("/hog");

    private Headroom open() throws IOException {
        disk.makeDirectories(directory);
        return new Headroom(disk, directory);
    }

    /** Others fill the disk until so much is left. */
    private void leave(long bytes) throws IOException {
        disk.delete(hog);
        try (DiskFile file = disk.openOrCreate(hog)) {
            long end = disk.usableBytes(directory) - bytes;
            for (long at = 0; at < end; at += MIB / 4) {
                file.write(ByteBuffer.allocate((int) Math.min(MIB / 4, end - at)), at);
            }
        }
        assertEquals(bytes, disk.usableBytes(directory));
    }

    @Test
    void changesStopWhileThereIsLittleRoomAndGoOnWhenThereIsMore() throws IOException {
        Headroom room = open();
        assertEquals(60 * MIB, disk.usableBytes(directory));
        leave(3 * MIB);
        room.look();
        assertFalse(room.isLow());
        leave(2 * MIB - 4096);
        room.look();
        assertTrue(room.isLow());
        leave(3 * MIB);
        room.look();
        assertTrue(room.isLow(), "not at every byte");
        leave(4 * MIB);
        room.look();
        assertFalse(room.isLow());
    }

    @Test
    void aFailureTellsThatThereWasNoRoom() {
        IOException full = new IOException("No space left on device");
        assertTrue(Headroom.isBehind(full));
        assertTrue(Headroom.isBehind(new IllegalStateException("entry 7", full)));
        assertTrue(Headroom.isBehind(new IOException("append to 7.sst: Disk quota exceeded")));
        assertTrue(Headroom.isBehind(new DiskFullException(directory)));
        assertFalse(Headroom.isBehind(new IOException("Input/output error")));
        assertFalse(Headroom.isBehind(new IOException((String) null)));
        assertFalse(Headroom.isBehind(null));
    }

    @Test
    void theReserveIsThereWhenOthersTookAllTheRest() throws IOException {
        Headroom room = open();
        leave(0);
        room.look();
        assertTrue(room.isLow());
        assertEquals(4 * MIB, disk.usableBytes(directory));
        disk.delete(hog);
        room.look();
        assertFalse(room.isLow());
        assertEquals(60 * MIB, disk.usableBytes(directory));
    }

    @Test
    void aMasterThatIsStartedOnAFullDiskHasTheReserve() throws IOException {
        open();
        leave(0);
        assertFalse(Headroom.isScarce(disk, directory));
        assertTrue(open().isLow());
        assertEquals(4 * MIB, disk.usableBytes(directory));
        leave(0);
        assertTrue(Headroom.isScarce(disk, directory));
        assertTrue(open().isLow());
        leave(5 * MIB);
        assertFalse(Headroom.isScarce(disk, directory));
        assertTrue(open().isLow(), "what the reserve needs is no room");
    }
}
