package io.cairn.cli.service;

import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.verify.access.FileAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * A small sample of the usual work on a filesystem: many little files and a big one. It does the
 * same through a mount, through a gateway, and through the client alone, because a machine that
 * builds may not mount.
 */
final class Rehearsal {
    private static final int SMALL_BYTES = 4096;
    private static final int PIECE_BYTES = 1 << 20;

    private final int rounds;
    private final int files;
    private final int pieces;

    /**
     * Decides how much work it is.
     *
     * @param thorough enough of it for the JVM to learn what is hot; else it learns the classes
     */
    Rehearsal(boolean thorough) {
        rounds = thorough ? 3 : 1;
        files = thorough ? 700 : 20;
        pieces = thorough ? 64 : 8;
    }

    /** Works on a mounted directory. */
    void onMount(Path mounted) throws IOException {
        for (int round = 0; round < rounds; round++) {
            Path directory = Files.createDirectory(mounted.resolve("round" + round));
            for (int i = 0; i < files; i++) {
                Files.createFile(directory.resolve("empty" + i));
                Files.write(directory.resolve("small" + i), new byte[SMALL_BYTES]);
            }
            try (Stream<Path> listed = Files.walk(directory)) {
                listed.forEach(path -> path.toFile().lastModified());
            }
            for (int i = 0; i < files; i++) {
                Files.readAllBytes(directory.resolve("small" + i));
                Path empty = directory.resolve("empty" + i);
                Files.exists(directory.resolve("absent" + i));
                Files.move(empty, directory.resolve("moved" + i), StandardCopyOption.ATOMIC_MOVE);
                Files.delete(directory.resolve("moved" + i));
                Files.createDirectory(empty);
                Files.delete(empty);
            }
            bigFile(directory.resolve("big"));
        }
    }

    private void bigFile(Path file) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        try (FileChannel out =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int i = 0; i < pieces; i++) {
                out.write(piece.clear());
            }
            out.force(false);
        }
        try (FileChannel in = FileChannel.open(file)) {
            for (int i = 0; i < pieces; i++) {
                in.read(piece.clear());
            }
        }
    }

    /** Works in the root of a filesystem. */
    void onClient(FileSystem door) {
        Caller caller = Caller.ROOT;
        long directory = door.mkdir(caller, FileSystem.ROOT_INO, Name.of("client"), 0755).ino();
        for (int i = 0; i < rounds * files; i++) {
            Name name = Name.of("file" + i);
            int flags = FileSystem.O_RDWR | FileSystem.O_EXCL;
            try (OpenFile made = door.create(caller, directory, name, 0644, flags).file()) {
                made.write(0, ByteBuffer.allocate(SMALL_BYTES));
                made.flush();
            }
            long ino = door.lookup(caller, directory, name).ino();
            try (OpenFile opened = door.open(caller, ino, FileSystem.O_RDONLY)) {
                opened.read(0, ByteBuffer.allocate(SMALL_BYTES));
            }
            door.unlink(caller, directory, name);
        }
        FileSystem.Created big =
                door.create(caller, directory, Name.of("big"), 0644, FileSystem.O_RDWR);
        try (OpenFile file = big.file()) {
            ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
            for (long i = 0; i < pieces; i++) {
                file.write(i * PIECE_BYTES, piece.clear());
            }
            file.sync(false);
            for (long i = 0; i < pieces; i++) {
                file.read(i * PIECE_BYTES, piece.clear());
            }
        }
    }

    /** Works through a gateway, as NFS clients do. */
    void onGateway(FileAccess gateway) throws IOException {
        String directory = "gateway";
        gateway.createDirectory(directory);
        // Each of these files reaches the disks several times.
        for (int i = 0; i < files / 5; i++) {
            String name = directory + "/file" + i;
            gateway.store(name, new byte[SMALL_BYTES], i % 2 == 0);
            gateway.load(name);
            gateway.write(name, SMALL_BYTES, new byte[SMALL_BYTES], true);
            gateway.read(name, 0, SMALL_BYTES);
            gateway.rename(name, name + "-moved");
        }
        for (String name : gateway.list(directory)) {
            gateway.remove(directory + "/" + name);
        }
        gateway.store(directory + "/big", new byte[PIECE_BYTES * pieces], true);
        gateway.load(directory + "/big");
    }
}
