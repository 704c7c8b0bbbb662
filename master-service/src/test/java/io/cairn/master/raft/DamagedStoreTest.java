package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.master.store.FormatFile;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.master.store.StoreSettings;
import io.cairn.runtime.file.Durable;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.TreeMutation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One damaged byte in any file of the store: the master starts with everything that is in the state
 * of some log entry, or it refuses and names the file. It never starts with less.
 */
class DamagedStoreTest {
    private static final int PLACES = 6;
    private static final int MANIFEST_PLACES = 60;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private final Map<Long, String> states = new HashMap<>();
    private long index = -1;

    private static ReplicatedState open(Path master) throws IOException {
        return new ReplicatedState(
                master, FormatFile.open(master, "m1"), new StoreSettings(1 << 20, 1 << 20));
    }

    private void apply(ReplicatedState state, Mutation mutation) throws IOException {
        byte[] entry = new Encoder().bytes(new Envelope(0, 0, 0, 1, mutation).toBytes()).toBytes();
        state.apply(1, ++index, entry);
        states.put(index, fingerprint(state));
    }

    private static String fingerprint(ReplicatedState state) {
        return HexFormat.of().formatHex(state.namespace().fingerprint());
    }

    /** A master that was started several times. Returns the index of its checkpoint, or -1. */
    private long prepare(Path master, boolean checkpoint) throws IOException {
        long kept = -1;
        Files.createDirectories(master);
        for (int start = 0; start < 3; start++) {
            ReplicatedState state = open(master);
            if (start == 0) {
                apply(state, new LeaderMutation.Found(7, 1, 4096));
            }
            for (int i = 0; i < 5; i++) {
                Name name = Name.of("d" + start + i);
                apply(state, new TreeMutation.Mkdir(FileSystem.ROOT_INO, name, 0755, 0, 0));
            }
            if (checkpoint && start == 1) {
                state.checkpoint();
                kept = index;
            }
            state.close();
        }
        return kept;
    }

    @Test
    void aStoreWithoutACheckpoint() throws IOException {
        check(false);
    }

    @Test
    void aStoreWithACheckpoint() throws IOException {
        check(true);
    }

    private void check(boolean checkpoint) throws IOException {
        Path master = directory.resolve("m");
        long kept = prepare(master, checkpoint);
        List<Path> files;
        try (Stream<Path> all = Files.list(master.resolve("db"))) {
            files = all.filter(DamagedStoreTest::isRead).sorted().toList();
        }
        List<String> wrong = new ArrayList<>();
        for (Path file : files) {
            for (long at : places(file)) {
                String finding = damage(master, file, at, kept);
                if (!finding.isEmpty()) {
                    wrong.add(file.getFileName() + " at " + at + ": " + finding);
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    /** What is not only written: the diary, and the lock. */
    private static boolean isRead(Path file) {
        String name = file.getFileName().toString();
        return !name.startsWith("LOG") && !name.equals("LOCK");
    }

    private static List<Long> places(Path file) throws IOException {
        long size = Files.size(file);
        String name = file.getFileName().toString();
        // The list of tables is what RocksDB forgives most in: the end of it may be torn.
        int count = name.startsWith("MANIFEST") ? MANIFEST_PLACES : PLACES;
        Random random = new Random(name.hashCode());
        List<Long> places = new ArrayList<>();
        for (int i = 0; i < Math.min(size, count); i++) {
            places.add(random.nextLong(size));
        }
        return places;
    }

    /** What is wrong with what happens then; empty when nothing is. */
    private String damage(Path master, Path file, long at, long kept) throws IOException {
        Path copy = directory.resolve("copy");
        Durable.deleteTree(copy);
        Files.createDirectories(copy);
        TestFiles.copy(master, copy);
        TestFiles.damage(copy.resolve("db").resolve(file.getFileName()), at);
        try (ReplicatedState state = open(copy)) {
            long found = state.namespace().appliedIndex();
            if (found < kept) {
                return "starts at entry " + found + ", the checkpoint is of " + kept;
            }
            String wanted = found < 0 ? fingerprint(state) : states.get(found);
            return fingerprint(state).equals(wanted) ? "" : "another state at entry " + found;
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            boolean named =
                    message.contains(copy.resolve("db").toString())
                            && message.contains(file.getFileName().toString());
            return named ? "" : "refused: " + message;
        } catch (RuntimeException e) {
            return "failed: " + e;
        }
    }
}
