package io.cairn.chunk;

import io.cairn.runtime.Disk;
import io.cairn.runtime.FileDisk;
import io.cairn.verify.fault.BlobDamage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;

/** A chunk for each {@link BlobDamage}, in targets on a real disk. */
public final class DamagedBlobs {
    private static final int CHUNK = 1 << ChunkCluster.CHUNK_LOG2;
    private static final int DATA_BYTE = 5000;
    private static final Disk DISK = new FileDisk();

    private DamagedBlobs() {}

    /** The chunk that gets a damage: the others are in directories of their own. */
    public static int index(BlobDamage damage) {
        return damage == BlobDamage.DIRECTORY_DELETED ? 3 : 0;
    }

    /** The object that gets a damage. */
    public static long oid(BlobDamage damage) {
        return 0x100L + Arrays.asList(BlobDamage.values()).indexOf(damage);
    }

    private static Path file(BlobDamage damage, Path target, int group) {
        return BlobDamage.file(target, group, oid(damage), index(damage));
    }

    /**
     * Does it.
     *
     * @param earlier the same target at an earlier time
     * @param other an intact chunk of the same group
     */
    public static void strike(BlobDamage damage, Path target, Path earlier, int group, long other)
            throws IOException {
        BlobDamage.Means means =
                new BlobDamage.Means(
                        CHUNK,
                        DATA_BYTE,
                        () -> BlobDamage.contents(DISK, file(damage, earlier, group)),
                        () -> BlobDamage.contents(DISK, BlobDamage.file(target, group, other, 0)));
        damage.strike(DISK, file(damage, target, group), means);
    }

    /** Removes a directory with everything in it. */
    static void remove(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(each);
            }
        }
    }

    /** Keeps the file that is to be put back later. */
    static void keepEarlier(Path target, Path earlier, int group) throws IOException {
        Path there = file(BlobDamage.EARLIER_FILE_PUT_BACK, earlier, group);
        Files.createDirectories(Objects.requireNonNull(there.getParent()));
        Files.copy(
                file(BlobDamage.EARLIER_FILE_PUT_BACK, target, group),
                there,
                StandardCopyOption.REPLACE_EXISTING);
    }
}
