package io.cairn.verify.fault;

import io.cairn.runtime.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/** The files of blobs in the data of a chunk server, while it does not run. */
final class BlobFiles {
    private static final List<BlobDamage> KINDS = List.of(BlobDamage.values());

    private static final int CHUNK_BYTES = 4 << 20;
    private static final int PAGE = 4096;

    private final Disk disk;
    private final Path data;
    private final Map<Path, ByteBuffer> earlier = new HashMap<>();

    BlobFiles(Disk disk, Path data) {
        this.disk = disk;
        this.data = data;
    }

    private List<Path> files() throws IOException {
        Path groups = data.resolve("pg");
        if (!Files.isDirectory(groups)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(groups)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Keeps what some files hold, to be put back later. */
    void remember(Random random, int count) throws IOException {
        earlier.clear();
        List<Path> files = files();
        for (int i = 0; i < count && !files.isEmpty(); i++) {
            Path file = files.get(random.nextInt(files.size()));
            earlier.put(file, BlobDamage.contents(disk, file));
        }
    }

    /** Damages some files. */
    void damage(Random random, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            List<Path> files = new ArrayList<>(files());
            if (files.size() < 2) {
                break;
            }
            BlobDamage kind = KINDS.get(random.nextInt(KINDS.size()));
            if (kind == BlobDamage.EARLIER_FILE_PUT_BACK) {
                files.retainAll(earlier.keySet());
            }
            if (files.isEmpty()) {
                continue;
            }
            Path file = files.get(random.nextInt(files.size()));
            Path other = other(file, random);
            ByteBuffer former = earlier.getOrDefault(file, ByteBuffer.allocate(0));
            kind.strike(
                    disk,
                    file,
                    new BlobDamage.Means(
                            CHUNK_BYTES,
                            random.nextInt(PAGE),
                            former::duplicate,
                            () -> BlobDamage.contents(disk, other)));
        }
    }

    private Path other(Path file, Random random) throws IOException {
        List<Path> files = new ArrayList<>(files());
        files.remove(file);
        return files.get(random.nextInt(files.size()));
    }
}
