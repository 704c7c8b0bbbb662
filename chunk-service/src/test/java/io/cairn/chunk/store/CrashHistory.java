package io.cairn.chunk.store;

import static io.cairn.chunk.store.StoreWorld.BLOCK;
import static io.cairn.chunk.store.StoreWorld.CHUNK;
import static io.cairn.chunk.store.StoreWorld.chunk;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.chunk.store.seal.Keyring;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A random history of one target, drawn from a seed, with crashes, held against models. */
final class CrashHistory {
    private static final int OBJECTS = 12;

    private final Random random;
    private final CrashDisk disk = new CrashDisk();
    private final StoreWorld world;
    private final Map<ChunkAddress, ChunkModel> models = new LinkedHashMap<>();
    private final List<String> trace = new ArrayList<>();

    /** Power loss may bring back what they were before; their object is never used again then. */
    private final Set<ChunkAddress> deleted = new HashSet<>();

    private final Map<ChunkAddress, Long> acknowledged = new HashMap<>();
    private int step;
    private int packed;

    /** Decides what is packed and when; null when nothing is. */
    private final @Nullable Random packing;

    CrashHistory(long seed) throws TargetException {
        this(seed, false);
    }

    /** With {@code packs} most contents can be packed, and blobs are. */
    CrashHistory(long seed, boolean packs) throws TargetException {
        this(seed, packs, new Keyring(null));
    }

    /** The same on a server that knows keys. */
    CrashHistory(long seed, boolean packs, Keyring keys) throws TargetException {
        random = new Random(seed);
        packing = packs ? new Random(~seed) : null;
        world = new StoreWorld(disk, Path.of("/target"), keys);
        for (int oid = 1; oid <= OBJECTS; oid++) {
            models.put(chunk(oid, 0), new ChunkModel());
            models.put(chunk(oid, oid), new ChunkModel());
        }
    }

    /** Works for some steps; with {@code crashes} the process stops now and then. */
    void run(int steps, boolean crashes) throws TargetException {
        for (step = 0; step < steps; step++) {
            if (crashes && random.nextInt(6) == 0) {
                disk.stopAfter(1 + random.nextInt(8));
            }
            try {
                packSome();
                act();
                if (crashes && random.nextInt(12) == 0) {
                    crash();
                }
            } catch (CrashDisk.Stop e) {
                crash();
            }
        }
        disk.kill();
        world.reopen();
        settleAll(false);
        models.forEach(
                (chunk, model) -> {
                    Supplier<String> place = () -> where(chunk);
                    model.observeKill(world.readPadded(chunk, place), place);
                    assertTrue(world.target().verify(chunk), () -> where(chunk));
                });
        checkCount();
    }

    private void packSome() {
        if (packing == null || packing.nextInt(3) > 0) {
            return;
        }
        int bound = packing.nextInt(4) == 0 ? models.size() : 3;
        int place = packing.nextInt(bound);
        ChunkAddress chunk = models.keySet().stream().skip(place).findFirst().orElseThrow();
        if (deleted.contains(chunk)) {
            return;
        }
        trace("pack", chunk);
        Codec codec = packing.nextBoolean() ? Codec.LZ4 : Codec.ZSTD;
        if (world.target().verification().pack(BlobKey.of(chunk), codec)) {
            packed++;
            flushed(chunk, model(chunk));
        }
    }

    /** How many times a blob was packed. */
    int packed() {
        return packed;
    }

    private String where(ChunkAddress chunk) {
        String name = StoreWorld.key(chunk).toString();
        return trace.stream()
                .filter(line -> line.contains(name) || line.contains("all"))
                .collect(Collectors.joining("\n", "step " + step + ", " + name + ":\n", "\n"));
    }

    private void trace(String what, ChunkAddress chunk) {
        trace.add(step + ": " + what + " " + StoreWorld.key(chunk));
    }

    private ChunkAddress any() {
        // A few chunks get most of the work.
        int bound = random.nextInt(4) == 0 ? models.size() : 3;
        return models.keySet().stream().skip(random.nextInt(bound)).findFirst().orElseThrow();
    }

    private void act() throws TargetException {
        ChunkAddress chunk = any();
        if (deleted.contains(chunk)) {
            // Numbers of objects are never used again.
            return;
        }
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6, 7 -> write(chunk);
            case 8, 9 -> zero(chunk);
            case 10, 11, 12 -> {
                trace("flush", chunk);
                world.target().flush(chunk);
                flushed(chunk, model(chunk));
            }
            case 13 -> install(chunk);
            case 14 -> cloneFrom(chunk);
            case 15 -> {
                if (random.nextBoolean()) {
                    delete(chunk);
                } else {
                    world.target().syncDeletions();
                }
            }
            case 16 -> {
                trace.add(step + ": flush all");
                world.target().flushAll();
                models.forEach(this::flushed);
            }
            case 17 -> {
                trace.add(step + ": restart all");
                world.restart();
                models.forEach(this::flushed);
            }
            default -> {
                Supplier<String> place = () -> where(chunk);
                assertArrayEquals(
                        model(chunk).current(), world.readPadded(chunk, place), () -> where(chunk));
            }
        }
    }

    /** An absent chunk has nothing to flush: its deletion may be undone. */
    private void flushed(ChunkAddress chunk, ChunkModel model) {
        if (world.stat(chunk).sequence() > 0) {
            model.flush();
        }
    }

    private ChunkModel model(ChunkAddress chunk) {
        ChunkModel model = models.get(chunk);
        if (model == null) {
            throw new IllegalArgumentException(chunk.toString());
        }
        return model;
    }

    private void attempt(ChunkAddress chunk, byte[] contents, Runnable action) {
        ChunkModel model = model(chunk);
        model.attempt(contents);
        try {
            action.run();
            model.acknowledge();
            acknowledged.put(chunk, world.stat(chunk).sequence());
        } catch (FsException e) {
            throw new AssertionError(where(chunk) + ": " + e, e);
        }
    }

    private void write(ChunkAddress chunk) {
        boolean aligned = random.nextBoolean();
        int unit = aligned ? BLOCK : 1;
        int offset = random.nextInt(CHUNK / unit) * unit;
        int most = Math.min(CHUNK - offset, random.nextBoolean() ? 3 * BLOCK : CHUNK);
        int length = aligned ? (1 + random.nextInt(Math.max(1, most / BLOCK))) * BLOCK : 0;
        length = length > 0 ? Math.min(length, CHUNK - offset) : 1 + random.nextInt(most);
        byte[] bytes = new byte[length];
        if (random.nextInt(8) > 0) {
            random.nextBytes(bytes);
        }
        if (packing != null && packing.nextInt(4) > 0) {
            for (int i = 0; i < length; i++) {
                bytes[i] = (byte) (i % 8 == 0 ? bytes[i] : i % 32);
            }
        }
        byte[] next = model(chunk).current();
        System.arraycopy(bytes, 0, next, offset, length);
        trace("write " + length + " at " + offset, chunk);
        attempt(chunk, next, () -> world.write(chunk, offset, bytes));
    }

    private void zero(ChunkAddress chunk) {
        int offset = random.nextInt(CHUNK);
        int length = 1 + random.nextInt(CHUNK - offset);
        byte[] next = model(chunk).current();
        Arrays.fill(next, offset, offset + length, (byte) 0);
        trace("zero " + length + " at " + offset, chunk);
        attempt(chunk, next, () -> world.zero(chunk, offset, length));
    }

    private void install(ChunkAddress chunk) {
        byte[] bytes = new byte[random.nextInt(CHUNK + 1)];
        random.nextBytes(bytes);
        int partBlocks = 1 + random.nextInt(8);
        trace("install " + bytes.length, chunk);
        long sequence = world.stat(chunk).sequence() + 1 + random.nextInt(5);
        attempt(
                chunk,
                Arrays.copyOf(bytes, CHUNK),
                () -> world.install(chunk, sequence, bytes, partBlocks));
        model(chunk).flush();
    }

    private void cloneFrom(ChunkAddress source) {
        ChunkAddress chunk = any();
        if (chunk.index() != source.index() || world.stat(chunk).sequence() > 0) {
            return;
        }
        int length = random.nextInt(CHUNK + 1);
        byte[] next = Arrays.copyOf(Arrays.copyOf(model(source).current(), length), CHUNK);
        trace("clone " + length + " from " + source.oid(), chunk);
        attempt(chunk, next, () -> world.target().cloneFrom(chunk, source.oid(), length));
        model(chunk).flush();
    }

    private void delete(ChunkAddress chunk) {
        trace("delete", chunk);
        model(chunk).unflush();
        deleted.add(chunk);
        attempt(
                chunk,
                new byte[CHUNK],
                () -> world.target().delete(chunk.group(), chunk.oid(), chunk.index()));
    }

    private void crash() throws TargetException {
        boolean power = random.nextInt(3) == 0;
        trace.add(step + ": all " + (power ? "lose power" : "killed"));
        if (power) {
            disk.losePower(random);
        } else {
            disk.kill();
        }
        world.reopen();
        settleAll(power);
        models.forEach((chunk, model) -> observe(chunk, model, power));
        models.keySet().forEach(chunk -> acknowledged.put(chunk, world.stat(chunk).sequence()));
        checkCount();
    }

    /** What a server does that has no peer. */
    private void settleAll(boolean power) {
        for (BlobKey key : world.target().doubtful()) {
            ChunkAddress chunk = chunk(key.oid(), key.index());
            trace("settle", chunk);
            try {
                checkKept(chunk, world.target().settle(key, chunk.epoch()), power);
            } catch (FsException e) {
                assertEquals(Errno.EIO, e.errno());
                assertTrue(!model(chunk).isFlushed(), () -> where(chunk) + ": " + e.getMessage());
            }
        }
    }

    /** What settling claims to be there is there; a kill takes nothing that was acknowledged. */
    private void checkKept(ChunkAddress chunk, @Nullable WriteMark kept, boolean power) {
        long last = acknowledged.getOrDefault(chunk, 0L);
        boolean all = kept != null && kept.sequence() >= last;
        assertTrue(power || all, () -> where(chunk) + ": kept " + kept + " of " + last);
        if (all && !deleted.contains(chunk)) {
            Supplier<String> place = () -> where(chunk);
            model(chunk).checkKept(world.readPadded(chunk, place), place);
        }
    }

    private void observe(ChunkAddress chunk, ChunkModel model, boolean power) {
        Supplier<String> place = () -> where(chunk);
        try {
            byte[] seen = world.readPadded(chunk, place);
            if (power) {
                model.observePowerLoss(seen, place);
            } else {
                model.observeKill(seen, place);
            }
        } catch (StoreWorld.BadBlock | FsException e) {
            assertTrue(power && !model.isFlushed(), () -> place.get() + ": " + e.getMessage());
            world.target().delete(chunk.group(), chunk.oid(), chunk.index());
            // The next loss of power may undo that, and what is settled then is no promise.
            deleted.add(chunk);
            model.lose();
        }
    }

    private void checkCount() {
        long present =
                models.keySet().stream().filter(chunk -> disk.holds(world.path(chunk))).count();
        assertEquals(
                present,
                world.target().chunks().total(),
                () -> "blobs: " + String.join("\n", trace));
    }
}
