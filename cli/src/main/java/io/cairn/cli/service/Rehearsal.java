package io.cairn.cli.service;

import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
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
 * same through a mount and through the client alone, because a machine that builds may not mount.
 */
final class Rehearsal {
    private static final int ROUNDS = 3;
    private static final int FILES = 700;
    private static final int SMALL_BYTES = 4096;
    private static final int PIECE_BYTES = 1 << 20;
    private static final int PIECES = 64;

    private Rehearsal() {}

    /** Works on a mounted directory. */
    static void onMount(Path mounted) throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            Path directory = Files.createDirectory(mounted.resolve("round" + round));
            for (int i = 0; i < FILES; i++) {
                Files.createFile(directory.resolve("empty" + i));
                Files.write(directory.resolve("small" + i), new byte[SMALL_BYTES]);
            }
            try (Stream<Path> listed = Files.walk(directory)) {
                listed.forEach(path -> path.toFile().lastModified());
            }
            for (int i = 0; i < FILES; i++) {
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

    private static void bigFile(Path file) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        try (FileChannel out =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int i = 0; i < PIECES; i++) {
                out.write(piece.clear());
            }
            out.force(false);
        }
        try (FileChannel in = FileChannel.open(file)) {
            for (int i = 0; i < PIECES; i++) {
                in.read(piece.clear());
            }
        }
    }

    /** Works in the root of a filesystem. */
    static void onClient(FileSystem files) {
        Caller caller = Caller.ROOT;
        long directory = files.mkdir(caller, FileSystem.ROOT_INO, Name.of("client"), 0755).ino();
        for (int i = 0; i < ROUNDS * FILES; i++) {
            Name name = Name.of("file" + i);
            int flags = FileSystem.O_RDWR | FileSystem.O_EXCL;
            try (OpenFile made = files.create(caller, directory, name, 0644, flags).file()) {
                made.write(0, ByteBuffer.allocate(SMALL_BYTES));
                made.flush();
            }
            long ino = files.lookup(caller, directory, name).ino();
            try (OpenFile opened = files.open(caller, ino, FileSystem.O_RDONLY)) {
                opened.read(0, ByteBuffer.allocate(SMALL_BYTES));
            }
            files.unlink(caller, directory, name);
        }
        FileSystem.Created big =
                files.create(caller, directory, Name.of("big"), 0644, FileSystem.O_RDWR);
        try (OpenFile file = big.file()) {
            ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
            for (long i = 0; i < PIECES; i++) {
                file.write(i * PIECE_BYTES, piece.clear());
            }
            file.sync(false);
            for (long i = 0; i < PIECES; i++) {
                file.read(i * PIECE_BYTES, piece.clear());
            }
        }
    }
}
